#include "bloomery/filter/sort_pairs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace bloomery {
namespace {

constexpr std::size_t kFew = 32;  // which are compared with each other
constexpr std::uint32_t kMostBits = 8;
constexpr std::size_t kPairsAPart = 4;

// By the lowest `bits` of h1 and by h2; the bits above are those of all of them. Hashes are spread
// evenly, so a few bits part them into parts of a few. Where they are not, all go into one part,
// and the next bits are looked at, of which there are 64 at most.
void sort_by_bits(std::span<HashPair> pairs, std::span<HashPair> spare, std::uint32_t bits) {
  if (pairs.size() <= kFew || bits == 0) {
    std::sort(pairs.begin(), pairs.end(), [](const HashPair& a, const HashPair& b) {
      return a.h1 != b.h1 ? a.h1 < b.h1 : a.h2 < b.h2;
    });
    return;
  }
  const auto wanted = static_cast<std::uint32_t>(std::bit_width(pairs.size() / kPairsAPart));
  const std::uint32_t part_bits = std::min({bits, kMostBits, wanted});
  const std::uint32_t rest = bits - part_bits;
  const std::size_t part_count = std::size_t{1} << part_bits;
  const auto part_of = [&](const HashPair& pair) { return pair.h1 >> rest & (part_count - 1); };
  // How many lie before a part; when all have gone to theirs, where it ends.
  std::array<std::size_t, (std::size_t{1} << kMostBits) + 1> at{};
  for (const HashPair& pair : pairs) ++at[part_of(pair) + 1];
  for (std::size_t part = 1; part < part_count; ++part) at[part] += at[part - 1];
  for (const HashPair& pair : pairs) spare[at[part_of(pair)]++] = pair;
  std::copy_n(spare.begin(), pairs.size(), pairs.begin());
  std::size_t first = 0;
  for (std::size_t part = 0; part < part_count; ++part) {
    sort_by_bits(pairs.subspan(first, at[part] - first), spare, rest);
    first = at[part];
  }
}

}  // namespace

void sort_pairs(std::vector<HashPair>& pairs) {
  std::vector<HashPair> spare(pairs.size());
  sort_by_bits(pairs, spare, 64);
}

}  // namespace bloomery
