// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "bloomery/bits/bit_storage.h"

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

  // How much memory so many words take: pages are whole.
  static std::uint64_t byte_count(std::uint64_t word_count) noexcept;

  // Who lives in a host that counts memory takes words from that. take() gives zeroed bytes; null,
  // and the words come from the machine as ever; or throws std::bad_alloc, and there are none.
  // give_back() is called from any thread. Set before the first words are made.
  struct Host {
    void* (*take)(std::uint64_t byte_count) = nullptr;
    void (*give_back)(void* bytes) noexcept = nullptr;
  };
  static void use_host(Host host) noexcept;

  HeapWords clone() const;

  std::span<std::uint64_t> words() noexcept { return {words_.get(), size()}; }
  std::span<const std::uint64_t> words() const noexcept { return {words_.get(), size()}; }

 private:
  struct Release {
    std::uint64_t mapped_bytes;  // 0: from the allocator, or the host
    void* from_host;             // null: not from the host
    void operator()(std::uint64_t* words) const noexcept;
  };

  std::size_t size() const noexcept { return static_cast<std::size_t>(word_count_); }

  std::unique_ptr<std::uint64_t[], Release> words_;
  std::uint64_t word_count_ = 0;
};

}  // namespace bloomery
