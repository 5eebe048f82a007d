// SPDX-License-Identifier: Apache-2.0
#include "bloomery/bits/heap_words.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "bloomery/bits/memory_limit.h"
#include "bloomery/os/pages.h"

namespace bloomery {
namespace {

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) noexcept {
  return (value + unit - 1) / unit * unit;
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
    os::give_back_pages(words, mapped_bytes);
  } else {
    ::operator delete (words, std::align_val_t{kLineBytes});
  }
}

std::uint64_t HeapWords::byte_count(std::uint64_t word_count) noexcept {
  const std::uint64_t bytes = word_count * sizeof(std::uint64_t);
  return round_up(bytes, bytes >= os::kWorthPages ? os::kHugePage : kLineBytes);
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
  } else if (bytes >= os::kWorthPages) {
    const std::uint64_t mapped = byte_count(word_count);
    void* const pages = os::take_pages(mapped);
    if (pages == nullptr) throw std::bad_alloc();
    words_ = decltype(words_)(static_cast<std::uint64_t*>(pages), Release{mapped, nullptr});
  } else {
    void* const raw = ::operator new (bytes, std::align_val_t{kLineBytes});
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
