// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/own_string.h"

#include <algorithm>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/redis/client/bitfield.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/client/transaction.h"
#include "bloomery/redis/places/lines.h"
#include "bloomery/redis/places/run_reading.h"

namespace bloomery::redis {
namespace {

// A transaction holds the server up while it runs: some 1 ms, and of bits 5 ms.
constexpr std::size_t kLinesInPiece = 1'000;
constexpr std::size_t kBitsInPiece = 14'000;
constexpr std::size_t kUnitsOfHead = 5;  // ECHO, ROLE, STRLEN, GETRANGE, BITFIELD_RO

constexpr const char* kOtherFilter =
    "another filter has taken its place since it was opened; open it again";

void add_range(Request& request, const std::string& key, std::uint64_t from, std::uint64_t count) {
  request.add({"GETRANGE", key, std::to_string(from), std::to_string(from + count - 1)});
}

}  // namespace

OwnString::OwnString(std::shared_ptr<Client> client, std::string key, std::string name,
                     NativeBitmapHead opened)
    : client_(std::move(client)),
      key_(std::move(key)),
      name_(std::move(name)),
      part_(opened.header.part ? opened.header.part->index : 0),
      probe_count_(opened.header.contents.parameters.geometry.probe_count),
      lines_per_key_(opened.header.contents.parameters.geometry.lines_per_key),
      layout_(opened.header.layout),
      geometry_(geometry_bytes(opened.header)),
      positions_(native_positions(opened.header.contents.parameters)),
      head_length_(read_length(opened)),
      opened_(std::make_shared<const NativeBitmapHead>(std::move(opened))) {}

OwnString::Head OwnString::opened() const {
  const std::lock_guard lock(mutex_);
  return opened_;
}

OwnString::Head OwnString::last_head() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

void OwnString::remember(Head head) {
  const std::lock_guard lock(mutex_);
  last_ = std::move(head);
}

void OwnString::fail(const std::string& why) const {
  throw StoreError(name_ + ": " + why);
}

std::vector<std::uint64_t> OwnString::offsets(std::span<const std::uint64_t> positions) const {
  std::vector<std::uint64_t> all(positions.size());
  std::ranges::transform(positions, all.begin(),
                         [&](std::uint64_t each) { return string_offset(layout_, each); });
  return all;
}

// Null where it is none; `doubt` then says why.
OwnString::Head OwnString::head_of(std::string_view bytes, std::uint64_t byte_count,
                                   std::string& doubt) {
  {
    const std::lock_guard lock(mutex_);
    if (last_ && bytes.starts_with(last_->bytes) && last_->header.layout.file_bytes == byte_count) {
      return last_;
    }
  }
  try {
    auto read = std::make_shared<const NativeBitmapHead>(read_native_head(bytes, byte_count));
    head_length_ = read_length(*read);
    remember(read);
    return read;
  } catch (const FormatError& error) {
    doubt = byte_count == 0 ? "no filter is there" : error.what();
    // One with more fields than were asked for is read whole the next time.
    if (byte_count != 0) head_length_ = kMaxHeadBytes;
    return nullptr;
  }
}

KeyBits OwnString::bits_of(std::span<const Key> keys) const {
  KeyBits bits;
  bits.positions.reserve(keys.size() * probe_count_);
  bits.ends.reserve(keys.size());
  for (const Key each : keys) {
    positions_(each, bits.positions);
    bits.ends.push_back(bits.positions.size());
    if (hashes_) bits.hashes.push_back(hashes_(each));
  }
  return bits;
}

void OwnString::keep_steps(std::uint64_t most_bytes) {
  steps_ = {.key = step_stream_key(key_), .most_bytes = most_bytes};
  hashes_ = native_hashes(opened_->header.contents.parameters);
}

// Cuts trip.bits into pieces, each small enough for one transaction.
void OwnString::cut_into_pieces(Trip& trip) const {
  trip.pieces.assign(1, {});
  std::size_t in_piece = 0;
  for (std::size_t key = 0; key < trip.bits.size(); ++key) {
    const std::size_t count = sets_lines() ? lines_per_key_ : probe_count_;
    if (in_piece > 0 && in_piece + count > (sets_lines() ? kLinesInPiece : kBitsInPiece)) {
      trip.pieces.emplace_back().first_key = key;
      in_piece = 0;
    }
    in_piece += count;
    trip.pieces.back().behind_keys = key + 1;
  }
}

void OwnString::append_question(Request& request, Trip& trip) {
  trip.head_bytes = head_length_;
  trip.known = lost_.known();
  cut_into_pieces(trip);
  for (const TripPiece& piece : trip.pieces) {
    begin_transaction(request, piece.nonce);
    request.add({"STRLEN", key_});
    add_range(request, key_, 0, trip.head_bytes);
    if (sets_lines()) {
      append_bitfield(request, key_, false, trip.known.positions, {});
      for_each_line(trip.bits, piece.first_key, piece.behind_keys,
                    [&](std::uint64_t line, std::size_t, std::size_t) {
                      add_range(request, key_, layout_.body_offset + line * kLineBytes, kLineBytes);
                    });
    } else {
      append_bitfield(request, key_, false, trip.known.positions, offsets(bits_in(trip, piece)));
    }
    request.add({"EXEC"});
  }
}

std::span<const std::uint64_t> OwnString::bits_in(const Trip& trip, const TripPiece& piece) const {
  if (piece.behind_keys == piece.first_key) return {};
  const std::size_t begin = trip.bits.begin_of(piece.first_key);
  return std::span(trip.bits.positions)
      .subspan(begin, trip.bits.ends[piece.behind_keys - 1] - begin);
}

void OwnString::read_question(std::span<const Reply> replies, Trip& trip) {
  trip.all_set.assign(trip.bits.size(), false);
  for (TripPiece& piece : trip.pieces) {
    const std::size_t inner = units_of(trip, piece);
    read_answers(read_exec(replies.first(inner + 2), inner, piece.nonce, name_), trip, piece);
    replies = replies.subspan(inner + 2);
  }
}

// The number of commands between MULTI and EXEC.
std::size_t OwnString::units_of(const Trip& trip, const TripPiece& piece) const {
  std::size_t lines = 0;
  if (sets_lines()) {
    for_each_line(trip.bits, piece.first_key, piece.behind_keys,
                  [&](std::uint64_t, std::size_t, std::size_t) { ++lines; });
  }
  return kUnitsOfHead + lines;
}

bool OwnString::read_beginning(std::span<const Reply> all, bool allow_replica, Seen& seen) {
  if (has_wrong_type(all, name_)) {
    seen.doubt = "the key holds something else (WRONGTYPE)";
    return false;
  }
  seen.doubt = role_doubt(all[1], allow_replica, name_);
  seen.is_primary = seen.doubt.empty();
  seen.result.byte_count = length_in(all[2], name_);
  if (!all[3].is(Reply::Type::text)) fail_answer(name_, "its head");
  std::string doubt;
  seen.head = head_of(all[3].text, seen.result.byte_count, doubt);
  if (seen.doubt.empty()) seen.doubt = std::move(doubt);
  return true;
}

void OwnString::read_answers(std::span<const Reply> all, Trip& trip, TripPiece& piece) {
  const bool allow_replica = client_->location().allow_replica;
  if (!read_beginning(all, allow_replica, piece)) return;
  const auto asked = bits_in(trip, piece);
  std::vector<bool> bits;
  read_bitfield(all[4], trip.known.positions.size(), sets_lines() ? 0 : asked.size(),
                piece.result.known_bits, bits, name_);
  if (sets_lines()) {
    bits.reserve(asked.size());
    std::span<const Reply> lines = all.subspan(kUnitsOfHead);
    for_each_line(trip.bits, piece.first_key, piece.behind_keys,
                  [&](std::uint64_t, std::size_t at, std::size_t end) {
                    const Reply& line = lines.front();
                    lines = lines.subspan(1);
                    if (!line.is(Reply::Type::text)) fail_answer(name_, "a line");
                    const bool is_whole = line.text.size() == kLineBytes;
                    if (!is_whole && piece.doubt.empty()) piece.doubt = "it is shorter than a line";
                    for (; at < end; ++at) {
                      bits.push_back(is_whole && is_set_in(line.text, trip.bits.positions[at]));
                    }
                  });
  }
  auto begin = bits.cbegin();
  for (std::size_t key = piece.first_key; key < piece.behind_keys; ++key) {
    const auto end =
        begin + static_cast<std::ptrdiff_t>(trip.bits.ends[key] - trip.bits.begin_of(key));
    trip.all_set[key] = std::find(begin, end, false) == end;
    begin = end;
  }
}

bool OwnString::is_opened(const NativeBitmapHead& head) const {
  const Head opened = this->opened();
  const Identity& identity = head.header.notes.identity;
  return identity == opened->header.notes.identity &&
         (identity.is_set() || head.bytes == opened->bytes);
}

std::string OwnString::other_bits(const NativeBitmapHead& head) const {
  if (head.has_bits_of(*opened())) return {};
  return "a filter whose keys have other bits has taken its place; open it again";
}

void OwnString::judge(Trip& trip) {
  const auto is_primary = [](const TripPiece& each) { return each.is_primary; };
  if (!std::ranges::all_of(trip.pieces, is_primary)) client_->suspect(key_);
  for (TripPiece& piece : trip.pieces) {
    if (!piece.doubt.empty()) continue;
    piece.doubt = other_bits(*piece.head);
    if (!piece.doubt.empty()) continue;
    if (!is_opened(*piece.head)) {
      piece.not_ours = kOtherFilter;
    } else {
      piece.not_ours = lost_.judge(trip.known, piece.result).value_or("");
    }
  }
}

// A head that has become longer than what was asked of it.
bool OwnString::has_grown(const Trip& trip) const noexcept {
  return trip.has_doubt() && head_length_ > trip.head_bytes;
}

OwnString::Trip OwnString::travel(KeyBits bits, const CallContext& context) {
  for (bool again = false;; again = true) {
    Trip trip{.bits = std::move(bits)};
    Request request;
    request.about(key_);
    append_question(request, trip);
    run_reading(*client_, request, context, [&](std::span<const Reply> replies) {
      trip.begin_again();
      read_question(replies, trip);
    });
    if (has_grown(trip) && !again) {
      bits = std::move(trip.bits);
      continue;
    }
    judge(trip);
    return trip;
  }
}

Presence OwnString::missing(const TripPiece& piece, const CallContext& context) const {
  if (!piece.doubt.empty()) return Presence::unknown;
  if (context.fence == nullptr) {
    return piece.not_ours.empty() ? Presence::absent : Presence::unknown;
  }
  const auto reached = piece.head->header.notes.reached();
  const bool is_sure = reached && reached->reaches(context.fence->at_least);
  return is_sure ? Presence::absent : Presence::unknown;
}

bool OwnString::has_lost(const Trip& trip, const CallContext& context) {
  return std::ranges::any_of(trip.pieces, [&](const TripPiece& each) {
    return !each.doubt.empty() || (context.fence == nullptr && !each.not_ours.empty());
  });
}

void OwnString::answer(const Trip& trip, std::span<Presence> answers, Proofs& proofs,
                       const CallContext& context) {
  for (const TripPiece& piece : trip.pieces) {
    if (piece.head) {
      const FileNotes& notes = piece.head->header.notes;
      proofs.add({part_, numbers_.of(notes.identity), notes.reached()});
    }
    const Presence no = missing(piece, context);
    for (std::size_t i = piece.first_key; i < piece.behind_keys; ++i) {
      answers[i] = trip.all_set[i] ? Presence::maybe : no;
    }
  }
  const TripPiece& first = trip.pieces.front();
  if (trip.bits.size() > 0 && trip.all_set[0] && first.doubt.empty() && first.not_ours.empty()) {
    lost_.learn(offsets(std::span(trip.bits.positions).first(trip.bits.ends[0])));
  }
}

OwnString::Head OwnString::need_head(const CallContext& context) {
  const Trip trip = travel({}, context);
  require_sure(trip);
  return trip.pieces.back().head;
}

void OwnString::require_not_lost() {
  if (const auto lost = lost_.verdict()) fail(*lost);
}

void OwnString::require_sure(const Trip& trip) const {
  for (const TripPiece& each : trip.pieces) {
    if (!each.doubt.empty()) fail(each.doubt);
    if (!each.not_ours.empty()) throw ExchangedError(name_ + ": " + each.not_ours);
  }
}

}  // namespace bloomery::redis
