// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "bloomery/bits/bit_storage.h"
#include "bloomery/bits/left_words.h"
#include "bloomery/os/file_mapping.h"

namespace bloomery {

// Words that are part of a mapped file, which lives as long as anybody has words of it.
class MappedWords {
 public:
  // `byte_offset` is a multiple of a line, and the words end within the mapping.
  MappedWords(std::shared_ptr<FileMapping> mapping, std::uint64_t byte_offset,
              std::uint64_t word_count) noexcept
      : words_(reinterpret_cast<std::uint64_t*>(mapping->bytes().data() + byte_offset), word_count),
        asked_(words_.data()),
        owner_(std::move(mapping)) {}
  // Takes on the words of a filter that was moved from (left_words.h).
  void leave(std::uint64_t word_count) noexcept {
    LeftWords left = left_words(word_count);
    owner_ = std::move(left.owner);
    words_ = left.changed;
    asked_ = left.asked;
  }

  std::span<std::uint64_t> words() noexcept { return words_; }
  std::span<const std::uint64_t> words() const noexcept { return {asked_, words_.size()}; }

 private:
  std::span<std::uint64_t> words_;
  const std::uint64_t* asked_;  // the same, but for what was left
  std::shared_ptr<void> owner_;
};

static_assert(BitStorage<MappedWords>);

}  // namespace bloomery
