// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "bloomery/bits/bit_storage.h"
#include "bloomery/bits/left_words.h"

namespace bloomery {

// Words of any storage, which lives as long as anybody has words of it: the layers of one file
// share what it was read into.
class SharedWords {
 public:
  template <BitStorage Storage>
  static SharedWords of(Storage storage) {
    const auto owner = std::make_shared<Storage>(std::move(storage));
    return {owner, owner->words()};
  }

  // The words of a filter that was moved from (left_words.h).
  static SharedWords left(std::uint64_t word_count) noexcept {
    LeftWords left = left_words(word_count);
    return {std::move(left.owner), left.changed, left.asked};
  }
  void leave(std::uint64_t word_count) noexcept { *this = left(word_count); }
  // Words that live as long as the program.
  static SharedWords of_program(std::span<std::uint64_t> words) noexcept {
    return {nullptr, words};
  }

  SharedWords part(std::uint64_t first, std::uint64_t count) const noexcept {
    return {owner_, words_.subspan(first, count)};
  }

  std::span<std::uint64_t> words() noexcept { return words_; }
  std::span<const std::uint64_t> words() const noexcept { return {asked_, words_.size()}; }

 private:
  SharedWords(std::shared_ptr<void> owner, std::span<std::uint64_t> words) noexcept
      : SharedWords(std::move(owner), words, words.data()) {}
  SharedWords(std::shared_ptr<void> owner, std::span<std::uint64_t> words,
              const std::uint64_t* asked) noexcept
      : owner_(std::move(owner)), words_(words), asked_(asked) {}

  std::shared_ptr<void> owner_;
  std::span<std::uint64_t> words_;
  const std::uint64_t* asked_;  // the same, but for what was left
};

static_assert(BitStorage<SharedWords>);

}  // namespace bloomery
