// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace bloomery {

// SmallArray: `size` items, without an allocation for one: what a batch needs beside it, for
// batches of one key.
template <class T>
class SmallArray {
 public:
  explicit SmallArray(std::size_t size) : size_(size), many_(size > 1 ? size : 0) {}

  std::span<T> all() noexcept { return {size_ > 1 ? many_.data() : one_.data(), size_}; }
  std::span<const T> all() const noexcept {
    return {size_ > 1 ? many_.data() : one_.data(), size_};
  }

 private:
  std::size_t size_;
  std::array<T, 1> one_{};
  std::vector<T> many_;
};

}  // namespace bloomery
