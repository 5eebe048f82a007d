// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "benchmarks/subject.h"

#if defined(BLOOMERY_HAS_BOOST_BLOOM)
#define XXH_INLINE_ALL
#include <sys/mman.h>
#include <xxhash.h>

#include <boost/bloom/fast_multiblock32.hpp>
#include <boost/bloom/filter.hpp>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#endif

// Included by one file for each way of compiling it, which keeps all of it to itself.
namespace bloomery::bench {
namespace {

#if defined(BLOOMERY_HAS_BOOST_BLOOM)

// Large arrays in huge pages, as HeapWords has them.
template <class T>
struct HugePages {
  using value_type = T;

  HugePages() = default;
  template <class U>
  HugePages(const HugePages<U>&) noexcept {}

  T* allocate(std::size_t count) {
    constexpr std::size_t kPage = std::size_t{2} << 20;
    const std::size_t bytes = count * sizeof(T);
    const std::size_t unit = bytes < 2 * kPage ? 64 : kPage;
    void* const memory = std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
    if (memory == nullptr) throw std::bad_alloc();
    if (unit == kPage) madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) noexcept { std::free(memory); }

  friend bool operator==(const HugePages&, const HugePages&) { return true; }
};

// The hash that users of Boost.Bloom take for texts.
struct Xxh3 {
  using is_avalanching = std::true_type;
  std::size_t operator()(Key key) const noexcept { return XXH3_64bits(key.data(), key.size()); }
};

template <class K, class Hash, Loop kLoop = Loop::range_for>
class BoostBloom final : public Subject {
 public:
  BoostBloom(std::uint64_t capacity, double bits_per_key)
      : filter_(static_cast<std::size_t>(static_cast<double>(capacity) * bits_per_key)) {}

  std::uint64_t byte_count() const override { return filter_.capacity() / 8; }
  void clear() override { filter_.clear(); }
  void insert_each(const KeyChunk& chunk) override {
    for_each_key<kLoop>(keys_of(chunk), [&](const K& key) { filter_.insert(key); });
  }
  std::uint64_t count_each(const KeyChunk& chunk) const override {
    std::uint64_t found = 0;
    for_each_key<kLoop>(keys_of(chunk),
                        [&](const K& key) { found += filter_.may_contain(key) ? 1 : 0; });
    return found;
  }
  bool answers_dependently() const override { return true; }
  std::uint64_t count_dependently(const KeyChunk& chunk) const override {
    return count_in_turn(keys_of(chunk), [&](const K& key) { return filter_.may_contain(key); });
  }

 private:
  static std::span<const K> keys_of(const KeyChunk& chunk) {
    if constexpr (std::is_same_v<K, Key>) {
      return chunk.texts;
    } else {
      return chunk.integers;
    }
  }

  // Boost.Bloom's default stride: blocks do not overlap.
  boost::bloom::filter<K, 1, boost::bloom::fast_multiblock32<8>, 0, Hash, HugePages<unsigned char>>
      filter_;
};

template <Loop kLoop>
using BoostIntegers = BoostBloom<std::uint64_t, boost::hash<std::uint64_t>, kLoop>;

SubjectPointer boost_subject(std::uint64_t capacity, double bits_per_key, Loop loop) {
  if (loop == Loop::by_index) {
    return std::make_unique<BoostIntegers<Loop::by_index>>(capacity, bits_per_key);
  }
  return std::make_unique<BoostIntegers<Loop::range_for>>(capacity, bits_per_key);
}

SubjectPointer boost_text_subject(std::uint64_t capacity, double bits_per_key) {
  return std::make_unique<BoostBloom<Key, Xxh3>>(capacity, bits_per_key);
}

#else

SubjectPointer boost_subject(std::uint64_t, double, Loop) {
  return nullptr;
}

SubjectPointer boost_text_subject(std::uint64_t, double) {
  return nullptr;
}

#endif

}  // namespace
}  // namespace bloomery::bench
