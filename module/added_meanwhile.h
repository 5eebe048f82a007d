// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "module/server_memory.h"

namespace bloomery::module {

// Items that were added to a key while a filter for it was on its way: how often, and when last.
// They are kept beside the filter, whose pieces carry checksums, and added to it at the end. All
// of them, also those that the old filter had, which may have been there by chance alone.
class AddedMeanwhile {
 public:
  struct Item {
    std::string text;
    std::uint64_t times = 0;
    std::uint64_t milliseconds = 0;
  };

  // Keeps an item, and returns whether it is the first time. Throws std::exception if there is no
  // memory for it; those before it stay.
  bool keep(std::string_view item, std::uint64_t milliseconds, std::uint64_t times = 1);
  // Keeps, as keep() does, an item that was taken already. If there is no memory for it, drops all
  // items and notes why the load cannot end well.
  bool note(std::string_view item, std::uint64_t milliseconds, std::uint64_t times = 1) noexcept;
  bool has(std::string_view item) const noexcept { return places_.contains(item); }
  void spoil(std::string reason) noexcept;

  const std::deque<Item>& all() const noexcept { return items_; }  // the first first
  const std::string& spoilt() const noexcept { return spoilt_; }   // why; empty: all are there
  std::uint64_t memory_bytes() const noexcept { return bytes_; }

 private:
  void count(std::uint64_t bytes);

  std::deque<Item> items_{};
  std::unordered_map<std::string_view, std::size_t> places_{};  // of texts in items_
  std::string spoilt_{};
  std::uint64_t bytes_ = 0;
  std::uint64_t asked_bytes_ = 0;
  UncountedMemory memory_{};
};

}  // namespace bloomery::module
