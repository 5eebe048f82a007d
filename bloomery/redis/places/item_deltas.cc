// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/item_deltas.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <span>
#include <utility>

#include "bloomery/bits/byte_order.h"
#include "bloomery/bits/heap_words.h"
#include "bloomery/errors.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/native/file_header.h"
#include "bloomery/place/watermark_text.h"
#include "bloomery/redis/client/deadline.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/places/chain_bytes.h"
#include "bloomery/redis/places/item_description.h"
#include "bloomery/redis/places/live_bitmap.h"
#include "bloomery/text/grouped.h"

namespace bloomery::redis {
namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{4} << 20;
constexpr int kMostAttempts = 8;  // of reading a filter whose ring is made anew meanwhile

[[noreturn]] void refuse_reply(const std::string& name, const char* command) {
  throw ProtocolError(name + ": no answer to " + command);
}

// The four parts of an answer, the first two of which are the position.
std::span<const Reply> parts_of(const Reply& reply, const std::string& name, const char* command) {
  const auto& parts = reply.elements;
  if (!reply.is(Reply::Type::array) || parts.size() != 4 || !parts[0].is(Reply::Type::text) ||
      !parts[1].is(Reply::Type::number)) {
    refuse_reply(name, command);
  }
  return parts;
}

DeltaPosition position_in(std::span<const Reply> parts, const std::string& name) {
  const auto ring = read_identity(parts[0].text);
  if (!ring || !ring->is_set() || parts[1].number < 0) refuse_reply(name, "BLOOM.DELTA");
  return {*ring, static_cast<std::uint64_t>(parts[1].number)};
}

// Throws DeltaSource::Gone for the refusal of a server that can answer.
const Reply& require_filter(const Reply& reply, const Location& location) {
  try {
    return require_done(reply, location);
  } catch (const RefusedError& refused) {
    switch (refusal_of(reply.text)) {
      case Refusal::loading:
      case Refusal::master_down:
      case Refusal::cluster_down:
      case Refusal::try_again:
      case Refusal::busy:
      case Refusal::later:
      case Refusal::moved:
      case Refusal::ask:
        throw;
      default:
        throw DeltaSource::Gone(refused.what());
    }
  }
}

struct Piece {
  DeltaPosition position{};
  std::uint64_t all = 0;
  std::string bytes{};
};

// Comes again while other clients are reading, for ten minutes at most: often enough to keep its
// turn (module/read_places.h).
Answer in_turn(Client& client, const Request& request, const CallContext& context) {
  constexpr std::chrono::milliseconds kBetween{50};
  constexpr int kMostTimes = 12'000;
  for (int times = 0;; ++times) {
    Answer answer = client.run(request, Repeat::safe, context);
    const Reply& reply = answer.replies.at(0);
    const bool is_later = reply.is(Reply::Type::error) && refusal_of(reply.text) == Refusal::later;
    if (!is_later || times == kMostTimes) return answer;
    Deadline(client.location().server(), context, kForever)
        .pause(kBetween, "waiting for its turn to read the filter");
  }
}

// Nothing where the server does not know the command.
std::optional<Piece> read_piece(Client& client, const std::string& name, std::uint64_t offset,
                                const CallContext& context) {
  const std::string& key = client.location().key;
  Request request;
  request.add({"BLOOM.READ", key, std::to_string(offset), std::to_string(kPieceBytes)});
  Answer answer = in_turn(client, request, context);
  Reply& reply = answer.replies.at(0);
  if (reply.is(Reply::Type::error) && refusal_of(reply.text) == Refusal::unknown_command) {
    return std::nullopt;
  }
  const auto parts = parts_of(require_filter(reply, client.location()), name, "BLOOM.READ");
  if (!parts[2].is(Reply::Type::number) || parts[2].number <= 0 ||
      !parts[3].is(Reply::Type::text)) {
    refuse_reply(name, "BLOOM.READ");
  }
  Piece piece{position_in(parts, name), static_cast<std::uint64_t>(parts[2].number), {}};
  const std::uint64_t left = piece.all - std::min(piece.all, offset);
  piece.bytes = std::move(reply.elements[3].text);
  if (piece.bytes.size() > left || (piece.bytes.empty() && left != 0)) {
    refuse_reply(name, "BLOOM.READ");
  }
  return piece;
}

// The head of the filter out of its first piece. Throws FormatError.
FileHeader head_in(const Piece& first) {
  const auto bytes = std::as_bytes(std::span(first.bytes));
  if (bytes.size() < kHeaderBytes) throw FormatError("a filter without a header");
  const auto layout = FileLayout::of(get_number<std::uint16_t>(bytes, kFieldBytesAt),
                                     get_number<std::uint64_t>(bytes, kBodyBitsAt));
  if (bytes.size() < layout.body_offset) throw FormatError("a filter without all of its head");
  FileHeader header = decode_head(bytes.first(std::min<std::size_t>(bytes.size(), kMaxHeadBytes)),
                                  layout.file_bytes);
  if (!header.is_live || layout.table_offset != first.all) {
    throw FormatError("a filter of another length than its header says");
  }
  return header;
}

// The words of the filter whose first piece this is. Nothing where the ring was made anew
// meanwhile.
std::optional<HeapWords> read_words(Client& client, const std::string& name, Piece piece,
                                    const FileLayout& layout, const CallContext& context) {
  HeapWords words(layout.body_bytes / sizeof(std::uint64_t));
  const auto to = std::as_writable_bytes(words.words());
  const Identity ring = piece.position.ring;
  std::uint64_t at = 0;
  for (;;) {
    // The first piece has the whole head, so later ones are of the body.
    const auto bytes = std::as_bytes(std::span(piece.bytes));
    const std::uint64_t skipped = at == 0 ? layout.body_offset : 0;
    const auto of_body = bytes.subspan(skipped);
    std::ranges::copy(of_body, to.subspan(at + skipped - layout.body_offset).begin());
    at += bytes.size();
    if (at == layout.table_offset) return words;
    auto next = read_piece(client, name, at, context);
    if (!next || next->position.ring != ring || next->all != layout.table_offset) {
      return std::nullopt;
    }
    piece = std::move(*next);
  }
}

}  // namespace

std::optional<DeltaSource::Whole> read_items(Client& client, const std::string& name,
                                             std::uint64_t most_bytes, const CallContext& context) {
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    auto first = read_piece(client, name, 0, context);
    if (!first) return std::nullopt;
    if (first->all > most_bytes) {
      throw StoreError(name + ": its filter has " + grouped(first->all) + " bytes, more than the " +
                       grouped(most_bytes) + " that a copy may have, and is not copied");
    }
    try {
      FileHeader header = head_in(*first);
      const DeltaPosition position = first->position;
      auto words = read_words(client, name, std::move(*first), header.layout, context);
      if (!words) continue;
      return DeltaSource::Whole{.filter = open_any(header.contents, std::move(*words)),
                                .identity = header.notes.identity,
                                .reached = header.notes.reached(),
                                .beat = header.notes.beat,
                                .position = position};
    } catch (const FormatError& error) {
      throw FormatError(name + ": " + error.what());
    }
  }
  throw StoreError(name + ": its filter was replaced again and again while it was read");
}

ItemDeltas::ItemDeltas(std::unique_ptr<Client> client, std::string name)
    : client_(std::move(client)), name_(std::move(name)) {}

DeltaSource::Whole ItemDeltas::read_whole(std::uint64_t most_bytes, const CallContext& context) {
  auto whole = read_items(*client_, name_, most_bytes, context);
  if (whole) return std::move(*whole);
  throw Gone(name_ + ": the server's module is older than BLOOM.READ, and gives no copies");
}

std::optional<DeltaSource::Delta> ItemDeltas::since(const DeltaPosition& position,
                                                    std::chrono::milliseconds wait,
                                                    const CallContext& context) {
  const std::string ring = identity_text(position.ring);
  const std::string sequence = std::to_string(position.sequence);
  const std::string& key = client_->location().key;
  // The server's answer comes well within the time that a call may take.
  wait = std::clamp(wait, std::chrono::milliseconds(1),
                    std::max(client_->location().timeout / 2, std::chrono::milliseconds(1)));
  const std::string milliseconds = std::to_string(wait.count());
  Request request;
  request.add({"BLOOM.DELTA", key, "SINCE", ring, sequence, "BLOCK", milliseconds});
  const Answer answer = client_->run(request, Repeat::safe, context);
  const Reply& reply = require_filter(answer.replies.at(0), client_->location());
  if (reply.is_status("WHOLE")) return std::nullopt;
  const auto parts = parts_of(reply, name_, "BLOOM.DELTA");
  Delta delta{.position = position_in(parts, name_)};
  const std::string& bytes = parts[2].text;
  const std::uint64_t count = bytes.size() / sizeof(HashPair);
  const bool goes_on = delta.position.ring == position.ring &&
                       delta.position.sequence >= position.sequence &&
                       delta.position.sequence - position.sequence >= count;
  if (!parts[2].is(Reply::Type::text) || bytes.size() % sizeof(HashPair) != 0 || !goes_on) {
    refuse_reply(name_, "BLOOM.DELTA");
  }
  delta.hashes.resize(count);
  if (count != 0) std::memcpy(delta.hashes.data(), bytes.data(), bytes.size());
  delta.is_last = !parts[3].is(Reply::Type::nil);
  if (!delta.is_last) {
    // A piece, of which more is to come: a copy asks for the next one at once.
    if (delta.position == position) refuse_reply(name_, "BLOOM.DELTA");
    return delta;
  }
  const FilterNow now = filter_now(parts[3], name_);
  delta.identity = now.filter;
  delta.reached = now.reached;
  return delta;
}

//   0 kRingChain   1 zeros 7   8 name of the ring 16   24 number in it 8
std::string ItemDeltas::chain_at(const DeltaPosition& position) const {
  ChainWriter chain(kRingChain);
  chain.put(position.ring);
  chain.put(position.sequence);
  return chain.bytes();
}

std::optional<DeltaPosition> ItemDeltas::resume(const Kept& kept, const CallContext&) {
  ChainReader chain(kept.chain, kRingChain);
  const DeltaPosition position{chain.identity(), chain.number()};
  if (!chain.is_at_end() || !position.ring.is_set()) return std::nullopt;
  return position;
}

std::unique_ptr<DeltaSource> open_item_deltas(std::string_view text) {
  Location location = parse_location(text);
  take_trust(location);
  const std::string name = "bloom:" + location.text();
  return std::make_unique<ItemDeltas>(std::make_unique<Client>(std::move(location)), name);
}

}  // namespace bloomery::redis
