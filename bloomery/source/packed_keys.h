// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/hash/key.h"

namespace bloomery {

// Keys end to end, in the order in which they came.
class PackedKeys {
 public:
  // Gives room for one more key of up to so many bytes; keep() says how many it has.
  char* room(std::size_t byte_limit) {
    bytes_.resize(std::max(bytes_.size(), byte_count() + byte_limit));
    return bytes_.data() + byte_count();
  }
  void keep(std::size_t byte_count_of_key) { ends_.push_back(byte_count() + byte_count_of_key); }
  void add(Key key) {
    std::ranges::copy(key, room(key.size()));
    keep(key.size());
  }

  std::size_t size() const noexcept { return ends_.size(); }
  bool empty() const noexcept { return ends_.empty(); }
  std::size_t byte_count() const noexcept { return ends_.empty() ? 0 : ends_.back(); }

  // Takes those of another away.
  void append(PackedKeys& from) {
    if (empty()) {
      std::swap(bytes_, from.bytes_);
      std::swap(ends_, from.ends_);
    } else {
      const std::size_t start = byte_count();
      bytes_.resize(start);
      bytes_.append(from.bytes_, 0, from.byte_count());
      for (const std::size_t end : from.ends_) ends_.push_back(start + end);
    }
    from.clear();
  }
  void clear() noexcept {
    bytes_.clear();
    ends_.clear();
  }

  // Returns the keys, valid until they change.
  std::span<const Key> keys() {
    keys_.clear();
    std::size_t start = 0;
    for (const std::size_t end : ends_) {
      keys_.emplace_back(bytes_.data() + start, end - start);
      start = end;
    }
    return keys_;
  }

 private:
  std::string bytes_;
  std::vector<std::size_t> ends_;
  std::vector<Key> keys_;
};

}  // namespace bloomery
