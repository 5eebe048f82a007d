// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "bloomery/bits/bit_storage.h"
#include "bloomery/bits/file_mapping.h"

namespace bloomery {

// Words that are part of a mapped file, which lives as long as anybody has words of it.
class MappedWords {
 public:
  // `byte_offset` is a multiple of a line, and the words end within the mapping.
  MappedWords(std::shared_ptr<FileMapping> mapping, std::uint64_t byte_offset,
              std::uint64_t word_count) noexcept
      : mapping_(std::move(mapping)),
        words_(reinterpret_cast<std::uint64_t*>(mapping_->bytes().data() + byte_offset),
               word_count) {}

  std::span<std::uint64_t> words() noexcept { return words_; }
  std::span<const std::uint64_t> words() const noexcept { return words_; }

 private:
  std::shared_ptr<FileMapping> mapping_;
  std::span<std::uint64_t> words_;
};

static_assert(BitStorage<MappedWords>);

}  // namespace bloomery
