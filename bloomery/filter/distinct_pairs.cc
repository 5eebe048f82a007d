// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/distinct_pairs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace bloomery {
namespace {

constexpr std::size_t kKeysAGroup = 32;
constexpr std::uint32_t kMostBits = 12;   // of one step that goes all the way
constexpr std::uint32_t kFirstBits = 11;  // of the first of two
constexpr std::size_t kFew = 256;         // which are compared with each other

// The next `bits` bits of h1, below the `above` bits that all pairs here share.
struct Digit {
  std::uint32_t above;
  std::uint32_t bits;

  std::size_t operator()(HashPair pair) const noexcept {
    return bits == 0 ? 0 : static_cast<std::size_t>(pair.h1 << above >> (64 - bits));
  }
};

// Returns where each group begins, which is where it ends once all are written.
template <class PairOf>
std::vector<std::size_t> begins(std::size_t count, const PairOf& pair_of, Digit digit) {
  std::vector<std::size_t> at((std::size_t{1} << digit.bits) + 1);
  for (std::size_t i = 0; i < count; ++i) ++at[digit(pair_of(i)) + 1];
  for (std::size_t group = 1; group < at.size(); ++group) at[group] += at[group - 1];
  return at;
}

// Copies those that did not come before to `to`, which may be where they are. Returns its end.
HashPair* copy_distinct(std::span<HashPair> pairs, HashPair* to) {
  if (pairs.size() > kFew) {
    std::ranges::sort(pairs, [](const HashPair& a, const HashPair& b) {
      return a.h1 != b.h1 ? a.h1 < b.h1 : a.h2 < b.h2;
    });
    const auto end = std::unique(pairs.begin(), pairs.end());
    const auto count = static_cast<std::size_t>(end - pairs.begin());
    std::memmove(to, pairs.data(), count * sizeof(HashPair));
    return to + count;
  }
  constexpr std::size_t kMarks = 4'096;
  std::array<std::uint64_t, kMarks / 64> marks{};
  HashPair* const first = to;
  for (const HashPair pair : pairs) {
    std::uint64_t& word = marks[pair.h2 % kMarks / 64];
    const std::uint64_t mark = std::uint64_t{1} << pair.h2 % 64;
    if ((word & mark) != 0 && std::find(first, to, pair) != to) continue;
    word |= mark;
    *to++ = pair;
  }
  return to;
}

}  // namespace

template <class PairOf>
void DistinctPairs::group(std::size_t count, const PairOf& pair_of) {
  memory_ = HeapWords(2 * count);
  HashPair* const pairs = reinterpret_cast<HashPair*>(memory_.words().data());
  const auto bits = static_cast<std::uint32_t>(std::bit_width(count / kKeysAGroup));
  const Digit first{0, bits <= kMostBits ? bits : kFirstBits};
  const Digit second{first.bits, bits - first.bits};
  std::vector<std::size_t> at = begins(count, pair_of, first);
  std::size_t most = 0;
  for (std::size_t i = 1; i < at.size(); ++i) most = std::max(most, at[i] - at[i - 1]);
  for (std::size_t i = 0; i < count; ++i) {
    const HashPair pair = pair_of(i);
    pairs[at[first(pair)]++] = pair;
  }
  std::vector<HashPair> spare(second.bits == 0 ? 0 : most);
  HashPair* to = pairs;
  std::size_t begin = 0;
  for (std::size_t i = 0; i + 1 < at.size(); ++i) {
    const std::span<HashPair> part(pairs + begin, at[i] - begin);
    begin = at[i];
    if (second.bits == 0) {
      to = copy_distinct(part, to);
      continue;
    }
    auto within = begins(
        part.size(), [&](std::size_t k) { return part[k]; }, second);
    for (const HashPair pair : part) spare[within[second(pair)]++] = pair;
    std::size_t from = 0;
    for (std::size_t k = 0; k + 1 < within.size(); ++k) {
      to = copy_distinct({spare.data() + from, within[k] - from}, to);
      from = within[k];
    }
  }
  count_ = static_cast<std::size_t>(to - pairs);
}

DistinctPairs::DistinctPairs(const KeyBatch& keys, const NativeHash& hash) {
  keys.visit([&]<class T>(std::span<const T> each) {
    if constexpr (std::is_same_v<T, Key>) {
      std::vector<HashPair> hashed(each.size());
      hash.hash_many(each, hashed.data());
      group(each.size(), [&](std::size_t i) { return hashed[i]; });
    } else {
      group(each.size(), [&](std::size_t i) { return hash(each[i]); });
    }
  });
}

}  // namespace bloomery
