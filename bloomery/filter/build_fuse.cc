// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/build_fuse.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "bloomery/filter/fuse_occupants.h"

namespace bloomery {
namespace {

// How many keys, or slots, before their use memory is asked for.
constexpr std::size_t kAhead = 32;

// Selects by arithmetic, because g++ 12 makes a jump of "?".
template <class N>
[[gnu::always_inline]] inline N selected(bool which, N yes, N no) {
  return no ^ ((no ^ yes) & (0 - static_cast<N>(which)));
}

// The slots in the order in which keys were taken from them, where they were alone. Each takes away
// what kept others from being alone in theirs. Less than the keys where some are never alone.
template <class Word, class Slot>
std::vector<Slot> take_all(FuseOccupants<Word>& in, std::size_t key_count) {
  std::vector<Slot> order(key_count);
  std::size_t taken = 0;
  // Slots to look at, the last to come first. Whether a slot joins them is as random as a coin, so
  // there is no jump for it: the next one is selected, and their number counted. It is the next
  // one's word that all waits for.
  std::vector<Slot> pending(1'024);
  for (std::size_t first = 0; first < in.slot_count(); ++first) {
    in.prefetch_ahead(first);
    std::size_t slot = first;
    Word word = in[slot];
    if (!in.is_one(word)) continue;
    for (std::size_t count = 1; count > 0;) {
      const std::size_t below = pending[count - 1];
      if (!in.is_one(word)) {
        slot = below;
        word = in[below];
        --count;
        continue;
      }
      order[taken++] = static_cast<Slot>(slot);
      const auto others = in.others(slot, word);
      const auto left = in.take(slot, word, others);
      const bool lower = in.is_one(left.lower);
      const bool upper = in.is_one(left.upper);
      slot = selected(upper, others.upper, selected(lower, others.lower, below));
      word = selected(upper, left.upper, selected(lower, left.lower, in[below]));
      pending[count] = static_cast<Slot>(others.lower);
      count += static_cast<std::size_t>(lower) + upper - 1;
      if (count + 1 >= pending.size()) pending.resize(2 * pending.size());
    }
  }
  order.resize(taken);
  return order;
}

template <class Word, class Slot>
bool build_with(const FuseShape& shape, std::span<const HashPair> hashes,
                std::span<std::byte> bytes) {
  FuseOccupants<Word> in(shape);
  const bool far = in.are_far();
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (far && i + kAhead < hashes.size()) {
      for (const std::size_t slot : shape.slots(hashes[i + kAhead])) in.prefetch(slot);
    }
    if (!in.add(hashes[i])) return false;
  }
  const std::vector<Slot> order = take_all<Word, Slot>(in, hashes.size());
  if (order.size() != hashes.size()) return false;

  // The last to go first: nobody who is set later has a slot that an earlier one owns.
  for (auto slot = order.rbegin(); slot != order.rend(); ++slot) {
    if (order.rend() - slot > std::ptrdiff_t{kAhead}) in.prefetch(slot[kAhead]);
    const auto word = in[*slot];
    const auto others = in.others(*slot, word);
    shape.store(bytes.data(), *slot,
                in.fingerprint(word) ^ shape.load(bytes.data(), others.lower) ^
                    shape.load(bytes.data(), others.upper));
  }
  return true;
}

}  // namespace

std::optional<std::uint32_t> fingerprint_bits_for(double rate) noexcept {
  for (std::uint32_t bits = 1; bits <= FuseShape::kMaxFingerprintBits; ++bits) {
    if (std::ldexp(1.0, -static_cast<int>(bits)) <= rate) return bits;
  }
  return std::nullopt;
}

// Segments' length and number of slots by Graf and Lemire 2022, section 4, for three slots a key.
std::optional<FuseShape> fuse_shape_for(std::uint64_t key_count, std::uint32_t fingerprint_bits) {
  if (key_count > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  const double keys = static_cast<double>(std::max<std::uint64_t>(2, key_count));
  const double log_length = std::log(keys) / std::log(3.33) + 2.25;
  const double slots_a_key =
      std::max(1.125, 0.875 + 0.25 * std::max(1.0, std::log(1e6) / std::log(keys)));
  FuseShape shape{.fingerprint_bits = fingerprint_bits};
  shape.segment_log = std::clamp(static_cast<std::uint32_t>(log_length), FuseShape::kMinSegmentLog,
                                 FuseShape::kMaxSegmentLog);
  const auto slots = static_cast<std::uint64_t>(std::ceil(keys * slots_a_key));
  const std::uint64_t length = std::uint64_t{1} << shape.segment_log;
  shape.segment_count =
      std::max<std::uint64_t>(FuseShape::kArity, (slots + length - 1) >> shape.segment_log);
  return shape;
}

bool build_fuse(const FuseShape& shape, std::span<const HashPair> hashes,
                std::span<std::byte> bytes) {
  if (FuseOccupants<std::uint64_t>::fits(shape) &&
      shape.slot_count() <= std::numeric_limits<std::uint32_t>::max()) {
    return build_with<std::uint64_t, std::uint32_t>(shape, hashes, bytes);
  }
  return build_with<Uint128, std::uint64_t>(shape, hashes, bytes);
}

}  // namespace bloomery
