// SPDX-License-Identifier: Apache-2.0
#include "bloomery/bits/left_words.h"

#include <algorithm>
#include <array>
#include <new>

#include "bloomery/bits/bit_storage.h"

namespace bloomery {
namespace {

struct alignas(kLineBytes) Words {
  std::array<std::uint64_t, LeftWords::kMost> words;
};

constexpr Words ones() noexcept {
  Words all{};
  all.words.fill(~std::uint64_t{0});
  return all;
}

constexpr Words kAsked = ones();
Words changed_without_memory = ones();

}  // namespace

LeftWords left_words(std::uint64_t word_count) noexcept {
  const std::size_t count = std::min<std::uint64_t>(word_count, LeftWords::kMost);
  LeftWords left{.asked = kAsked.words.data()};
  Words* changed = &changed_without_memory;
  try {
    const auto own = std::make_shared<Words>(kAsked);
    changed = own.get();
    left.owner = own;
  } catch (const std::bad_alloc&) {
    // Changes then go to words that are not asked.
  }
  left.changed = std::span(changed->words).first(count);
  return left;
}

}  // namespace bloomery
