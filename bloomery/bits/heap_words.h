// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "bloomery/bits/bit_storage.h"
#include "bloomery/bits/left_words.h"

namespace bloomery {

// Zeroed words of our own memory, aligned to a cache line. From 4 MiB up they are mapped on a 2 MiB
// boundary and huge pages are advised: in DRAM those halve the cost of a look-up. Movable, not
// copyable by accident.
class HeapWords {
 public:
  HeapWords() = default;

  // Throws std::invalid_argument, before anything is allocated, when the machine's memory cannot
  // hold them.
  explicit HeapWords(std::uint64_t word_count);

  // An object that was moved from has no words.
  HeapWords(HeapWords&& other) noexcept { *this = std::move(other); }
  HeapWords& operator=(HeapWords&& other) noexcept {
    words_ = std::move(other.words_);
    left_ = std::move(other.left_);
    changed_ = std::exchange(other.changed_, nullptr);
    asked_ = std::exchange(other.asked_, nullptr);
    word_count_ = std::exchange(other.word_count_, 0);
    return *this;
  }
  // Takes on the words of a filter that was moved from (left_words.h).
  void leave(std::uint64_t word_count) noexcept;

  // How much memory so many words take: pages are whole.
  static std::uint64_t byte_count(std::uint64_t word_count) noexcept;

  // A host that counts memory, such as a server with our module, provides the words. take() returns
  // zeroed bytes, or null: then the words come from the machine; or it throws std::bad_alloc.
  // give_back() is called from any thread. The host is set before the first words are made.
  struct Host {
    void* (*take)(std::uint64_t byte_count) = nullptr;
    void (*give_back)(void* bytes) noexcept = nullptr;
  };
  static void use_host(Host host) noexcept;

  HeapWords clone() const;

  std::span<std::uint64_t> words() noexcept { return {changed_, size()}; }
  std::span<const std::uint64_t> words() const noexcept { return {asked_, size()}; }

 private:
  struct Release {
    std::uint64_t mapped_bytes;  // 0: from the allocator, or the host
    void* from_host;             // null: not from the host
    void operator()(std::uint64_t* words) const noexcept;
  };

  std::size_t size() const noexcept { return static_cast<std::size_t>(word_count_); }

  std::unique_ptr<std::uint64_t[], Release> words_;
  std::shared_ptr<void> left_;
  std::uint64_t* changed_ = nullptr;  // words_, but for what was left
  const std::uint64_t* asked_ = nullptr;
  std::uint64_t word_count_ = 0;
};

}  // namespace bloomery
