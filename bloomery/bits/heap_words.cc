// SPDX-License-Identifier: Apache-2.0
#include "bloomery/bits/heap_words.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include "bloomery/bits/memory_limit.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
#if defined(__EMSCRIPTEN__)
constexpr std::uint64_t kWorthMapping = std::numeric_limits<std::uint64_t>::max();  // no pages
#else
constexpr std::uint64_t kWorthMapping = 2 * kHugePage;
#endif

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) noexcept {
  return (value + unit - 1) / unit * unit;
}

// A mapping that starts on a huge page: ask for one page more and give back what sticks out.
std::uint64_t* map_huge(std::uint64_t byte_count) {
  const std::uint64_t asked = byte_count + kHugePage;
  void* const raw = mmap(nullptr, asked, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) throw std::bad_alloc();
  const auto start = reinterpret_cast<std::uintptr_t>(raw);
  const std::uintptr_t aligned = round_up(start, kHugePage);
  if (aligned > start) munmap(raw, aligned - start);
  const std::uint64_t behind = start + asked - (aligned + byte_count);
  if (behind > 0) munmap(reinterpret_cast<void*>(aligned + byte_count), behind);
  auto* const words = reinterpret_cast<std::uint64_t*>(aligned);
  madvise(words, byte_count,
          MADV_HUGEPAGE);  // advice: without it the words are as right, only slower
  return words;
}

HeapWords::Host the_host;

}  // namespace

void HeapWords::use_host(Host host) noexcept {
  the_host = host;
}

void HeapWords::Release::operator()(std::uint64_t* words) const noexcept {
  if (from_host != nullptr) {
    the_host.give_back(from_host);
  } else if (mapped_bytes > 0) {
    munmap(words, mapped_bytes);
  } else {
    std::free(words);
  }
}

std::uint64_t HeapWords::byte_count(std::uint64_t word_count) noexcept {
  const std::uint64_t bytes = word_count * sizeof(std::uint64_t);
  return round_up(bytes, bytes >= kWorthMapping ? kHugePage : kLineBytes);
}

HeapWords::HeapWords(std::uint64_t word_count) : word_count_(word_count) {
  if (word_count == 0) return;
  require_memory(word_count, sizeof(std::uint64_t));
  const std::uint64_t bytes = round_up(word_count * sizeof(std::uint64_t), kLineBytes);
  // One line more, so that the words can start on one.
  void* const given = the_host.take == nullptr ? nullptr : the_host.take(bytes + kLineBytes);
  if (given != nullptr) {
    const auto aligned = round_up(reinterpret_cast<std::uintptr_t>(given), kLineBytes);
    words_ = decltype(words_)(reinterpret_cast<std::uint64_t*>(aligned), Release{0, given});
  } else if (bytes >= kWorthMapping) {
    const std::uint64_t mapped = byte_count(word_count);
    words_ = decltype(words_)(map_huge(mapped), Release{mapped, nullptr});
  } else {
    void* const raw = std::aligned_alloc(kLineBytes, bytes);
    if (raw == nullptr) throw std::bad_alloc();
    std::memset(raw, 0, bytes);
    words_ = decltype(words_)(static_cast<std::uint64_t*>(raw), Release{0, nullptr});
  }
  changed_ = words_.get();
  asked_ = changed_;
}

void HeapWords::leave(std::uint64_t word_count) noexcept {
  words_.reset();
  LeftWords left = left_words(word_count);
  left_ = std::move(left.owner);
  changed_ = left.changed.data();
  asked_ = left.asked;
  word_count_ = left.changed.size();
}

HeapWords HeapWords::clone() const {
  HeapWords copy(word_count_);
  std::ranges::copy(words(), copy.words().begin());
  return copy;
}

}  // namespace bloomery
