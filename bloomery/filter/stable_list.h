// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <utility>

#include "bloomery/bits/as_type.h"

namespace bloomery {

// A list whose items never move: they can be read while others are appended, which one thread does
// at a time. Row r has room for 2^r items, so a short list is small. What shortens the list needs
// it alone.
template <class T>
class StableList {
 public:
  static constexpr std::size_t kRows = 20;
  static constexpr std::size_t kMaxSize = (std::size_t{1} << kRows) - 1;

  std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }
  T& operator[](std::size_t i) const noexcept {
    const Place at(i);
    return *rows_[at.row][at.column];
  }

  // Returns whether visit(item) says true of any item, newest first. Without Place: on x86-64 its
  // bit scan waits for what the register held before, which is the last answer, and so for memory.
  template <class Visit>
  bool any_of(Visit visit) const {
    std::size_t row = 0;
    std::size_t count = size();  // of that row
    for (; count > std::size_t{1} << row; ++row) count -= std::size_t{1} << row;
    while (true) {
      while (count-- > 0) {
        if (visit(*rows_[row][count])) return true;
      }
      if (row == 0) return false;
      count = std::size_t{1} << --row;
    }
  }

  // The list has less than kMaxSize items.
  void append(std::unique_ptr<T> item) {
    const std::size_t count = size();
    const Place at(count);
    auto& row = rows_[at.row];
    if (row == nullptr) row = std::make_unique<std::unique_ptr<T>[]>(std::size_t{1} << at.row);
    row[at.column] = std::move(item);
    size_.store(count + 1, std::memory_order_release);
  }

  void keep_first() noexcept {
    if (size() == 0) return;
    size_.store(1, std::memory_order_release);
    for (std::size_t row = 1; row < rows_.size(); ++row) rows_[row].reset();
  }

 private:
  struct Place {
    explicit Place(std::size_t i) noexcept
        : row(as_type<std::size_t>(std::bit_width(i + 1)) - 1),
          column(i + 1 - (std::size_t{1} << row)) {}
    std::size_t row;
    std::size_t column;
  };

  std::array<std::unique_ptr<std::unique_ptr<T>[]>, kRows> rows_;
  std::atomic<std::size_t> size_ = 0;
};

}  // namespace bloomery
