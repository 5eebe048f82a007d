// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/bits/fork_mutex.h"
#include "bloomery/hash/key.h"
#include "bloomery/redis/places/witnesses.h"

namespace bloomery::redis {

// Items that were in the filter, and are asked again with every question: one that is gone is a
// filter that was lost and begun anew. That is never forgotten. Many threads may use it.
class KnownItems {
 public:
  struct Known {
    std::vector<std::string> items{};
    std::uint64_t count = 0;  // of items, as the server counts them
  };

  explicit KnownItems(std::vector<std::string> markers) : markers_(std::move(markers)) {}

  Known known();
  // `found[i]` is about known.items[i]. Why it is not the filter that it was; empty: it is.
  std::string judge(const Known& known, const std::vector<bool>& found, std::uint64_t count);
  // One of items that are in; `are_new`: this place has just inserted them.
  void learn(std::span<const Key> items, bool are_new);

 private:
  ForkMutex mutex_;
  const std::vector<std::string> markers_;
  Witnesses<std::string> witnesses_;
  std::uint64_t count_ = 0;
  std::string verdict_;
};

}  // namespace bloomery::redis
