#include "bloomery/filter/build_fuse.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace bloomery {
namespace {

constexpr std::uint32_t kCrowded = std::numeric_limits<std::uint8_t>::max();

// What is known of a slot while keys are taken away one by one: how many are left in it, and the
// exclusive or of their numbers, which of a single one is its number.
struct Occupants {
  std::vector<std::uint8_t> count;
  std::vector<std::uint32_t> number;
};

// False where more keys share a slot than can be counted: chance does not do that.
bool occupy(const FuseShape& shape, std::span<const HashPair> hashes, Occupants& in) {
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    for (const std::size_t slot : shape.slots(hashes[i])) {
      if (in.count[slot] == kCrowded) return false;
      ++in.count[slot];
      in.number[slot] ^= static_cast<std::uint32_t>(i);
    }
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
  const auto slot_count = static_cast<std::size_t>(shape.slot_count());
  Occupants in{.count = std::vector<std::uint8_t>(slot_count),
               .number = std::vector<std::uint32_t>(slot_count)};
  if (!occupy(shape, hashes, in)) return false;

  // Keys that are alone in a slot are taken away, which leaves others alone in theirs. `order` has
  // them as they went, with the place among its slots of the one that each was alone in.
  std::vector<std::pair<std::uint32_t, std::uint8_t>> order;
  order.reserve(hashes.size());
  std::vector<std::size_t> alone;
  for (std::size_t first = 0; first < slot_count; ++first) {
    if (in.count[first] != 1) continue;
    alone.push_back(first);
    while (!alone.empty()) {
      const std::size_t slot = alone.back();
      alone.pop_back();
      if (in.count[slot] != 1) continue;
      const std::uint32_t key = in.number[slot];
      const FuseShape::Slots slots = shape.slots(hashes[key]);
      std::uint8_t own = 0;
      for (std::uint8_t j = 0; j < FuseShape::kArity; ++j) {
        if (slots[j] == slot) own = j;
        --in.count[slots[j]];
        in.number[slots[j]] ^= key;
        if (in.count[slots[j]] == 1) alone.push_back(slots[j]);
      }
      order.emplace_back(key, own);
    }
  }
  if (order.size() != hashes.size()) return false;

  // The last to go first: nobody who is set later has a slot that an earlier one owns.
  for (auto each = order.rbegin(); each != order.rend(); ++each) {
    const HashPair hash = hashes[each->first];
    const FuseShape::Slots slots = shape.slots(hash);
    std::uint64_t value = shape.fingerprint(hash);
    for (const std::size_t slot : slots) value ^= shape.load(bytes.data(), slot);
    shape.store(bytes.data(), slots[each->second], value);
  }
  return true;
}

}  // namespace bloomery
