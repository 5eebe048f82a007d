// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/hash/hash_pair.h"

namespace bloomery {

// Keys of a part of a batch that no layer of a chain has had yet: their hashes, and which keys they
// are. As many as the first-level cache has room for.
class PendingKeys {
 public:
  static constexpr std::size_t kRoom = 1024;

  // All of the keys 0 to count - 1 are pending; the caller writes their hashes.
  explicit PendingKeys(std::size_t count) noexcept : size_(count) {
    for (std::size_t i = 0; i < count; ++i) keys_[i] = static_cast<std::uint16_t>(i);
  }
  HashPair* hashes() noexcept { return hashes_.data(); }

  std::size_t size() const noexcept { return size_; }
  std::size_t key(std::size_t i) const noexcept { return keys_[i]; }
  std::span<const HashPair> from(std::size_t first) const noexcept {
    return {hashes_.data() + first, size_ - first};
  }

  // Leaves out those from `first` on whose flag is set.
  void drop(std::size_t first, const bool* flags) noexcept {
    std::size_t kept = first;
    for (std::size_t i = first; i < size_; ++i) {
      hashes_[kept] = hashes_[i];
      keys_[kept] = keys_[i];
      kept += flags[i - first] ? 0 : 1;
    }
    size_ = kept;
  }

 private:
  std::array<HashPair, kRoom> hashes_;
  std::array<std::uint16_t, kRoom> keys_;
  std::size_t size_;
};

}  // namespace bloomery
