// SPDX-License-Identifier: Apache-2.0
#include "module/bloom_delta.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/format/native/file_header.h"
#include "bloomery/place/watermark_text.h"
#include "module/bloom_info.h"
#include "module/command.h"
#include "module/delta_waiters.h"
#include "module/read_places.h"
#include "module/slot.h"
#include "module/stored_cuckoo.h"
#include "module/stored_filter.h"
#include "module/watermark_words.h"

namespace bloomery::module {
namespace {

constexpr std::uint64_t kMostPieceBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kMostEntries = 65536;  // in one answer: 1 MiB of hashes
constexpr std::int64_t kLongestWaitMs = 600'000;

// Throws Refusal for what has no deltas.
StoredFilter& followed_filter(const Slot& key) {
  if (key.get<StoredCuckoo>() != nullptr) {
    throw Refusal("ERR a cuckoo filter has bits that go, and so no deltas");
  }
  if (key.loading() != nullptr) throw Refusal(kNotReady);
  auto& filter = key.existing<StoredFilter>();
  require_complete(filter);
  if (const char* const why = filter.why_no_ring(); why != nullptr) {
    throw Refusal("ERR " + std::string(why));
  }
  return filter;
}

DeltaRing& asked_ring(const Call& call, StoredFilter& filter) {
  const std::uint64_t most_bytes = the_module().settings.delta_bytes;
  if (most_bytes == 0) {
    throw Refusal("ERR this server keeps nothing for copies: its parameter bf-delta-bytes is 0");
  }
  DeltaRing& ring = filter.ask_ring(most_bytes);
  watch_rings(call.context());
  return ring;
}

// Throws Refusal where as many clients as may are reading whole filters.
void require_place(const Call& call) {
  const std::uint32_t most = the_module().settings.read_clients;
  if (most == 0) return;
  if (read_places().admits(api().client_id(call.context()), steady_now_ms(), most)) return;
  throw Refusal("LATER as many clients as may (bf-read-clients: " + std::to_string(most) +
                ") are reading whole filters; ask again within a second");
}

// Appends what of `part`, which begins at `begin` of all bytes, is in [from, to).
void append_overlap(std::vector<std::byte>& piece, std::span<const std::byte> part,
                    std::uint64_t begin, std::uint64_t from, std::uint64_t to) {
  const std::uint64_t first = std::max(from, begin);
  const std::uint64_t end = std::min(to, begin + part.size());
  if (first >= end) return;
  const auto overlap = part.subspan(first - begin, end - first);
  piece.insert(piece.end(), overlap.begin(), overlap.end());
}

struct DeltaWords {
  DeltaPosition since;
  std::uint64_t block_ms = 0;
};

DeltaWords parse_delta(const Call& call) {
  constexpr const char* kForm = "BLOOM.DELTA key SINCE name sequence [BLOCK milliseconds]";
  const auto expect = [&](std::size_t at, const char* word) {
    if (same_word(call.word(at), word)) return;
    throw Refusal(std::string("ERR expected ") + word + "; " + kForm);
  };
  expect(2, "SINCE");
  const auto sequence = parse_position(call.word(4));
  if (!sequence) throw Refusal("ERR a sequence is a whole number from 0 to 2^64 - 1");
  DeltaWords words{.since = {parse_identity(call.word(3)), *sequence}};
  if (call.size() == 5) return words;
  if (call.size() == 6) throw WrongArity();
  expect(5, "BLOCK");
  const auto milliseconds = parse_integer(call.word(6));
  if (!milliseconds || *milliseconds < 1 || *milliseconds > kLongestWaitMs) {
    throw Refusal("ERR BLOCK is followed by milliseconds from 1 to 600000");
  }
  words.block_ms = static_cast<std::uint64_t>(*milliseconds);
  return words;
}

// Answers, or waits where `may_wait` and there is nothing to say, or little: that is gathered until
// the next tick.
void answer_delta(Call& call, bool may_wait);

void answer_later(Call& call) {
  answer_delta(call, false);
}

void answer_delta(Call& call, bool may_wait) {
  const auto [since, block_ms] = parse_delta(call);
  const Slot key(call, kRead);
  StoredFilter& filter = followed_filter(key);
  const DeltaRing& ring = asked_ring(call, filter);
  if (since.ring != ring.name() || !ring.has_since(since.sequence)) {
    call.reply_simple("WHOLE");
    return;
  }
  const std::uint64_t waiting = ring.sequence() - since.sequence;
  if (may_wait && block_ms != 0 && waiting < kMostEntries &&
      wait_for_delta(call.context(), call.raw_word(1), since, block_ms, run<answer_later, 5, 7>)) {
    return;
  }
  const std::uint64_t count = std::min(waiting, kMostEntries);
  call.reply_array(4);
  call.reply_bytes(identity_text(ring.name()));
  call.reply_number(since.sequence + count);
  call.reply_bytes(ring.hashes(since.sequence, count));
  if (count < waiting) {
    call.reply_null();
  } else {
    reply_watermark(call, filter.notes());
  }
}

}  // namespace

void bloom_read(Call& call) {
  const auto offset = parse_position(call.word(2));
  const auto wanted = parse_position(call.word(3));
  if (!offset || !wanted || *wanted == 0) {
    throw Refusal(
        "ERR expected an offset from 0 and a number of bytes from 1; BLOOM.READ key "
        "offset bytes");
  }
  const Slot key(call, kRead);
  StoredFilter& filter = followed_filter(key);
  const DeltaRing& ring = asked_ring(call, filter);
  FileHeader header;
  header.contents = filter.contents();
  header.notes = filter.notes();
  header.is_live = true;  // its table, which is not given, says nothing
  const std::vector<std::byte> head = encode_head(header);
  const std::uint64_t all = head.size() + header.contents.word_count() * sizeof(std::uint64_t);
  if (*offset > all) throw Refusal("ERR the filter has " + std::to_string(all) + " bytes");
  require_place(call);
  const std::uint64_t end = *offset + std::min({*wanted, kMostPieceBytes, all - *offset});
  std::vector<std::byte> piece;
  piece.reserve(end - *offset);
  append_overlap(piece, head, 0, *offset, end);
  std::uint64_t begin = head.size();
  for (const auto& words : header.contents.words) {
    append_overlap(piece, std::as_bytes(words), begin, *offset, end);
    begin += words.size_bytes();
  }
  call.reply_array(4);
  call.reply_bytes(identity_text(ring.name()));
  call.reply_number(ring.sequence());
  call.reply_number(all);
  call.reply_bytes(piece);
  if (end == all) read_places().leave(api().client_id(call.context()));
}

void bloom_delta(Call& call) {
  answer_delta(call, true);
}

}  // namespace bloomery::module
