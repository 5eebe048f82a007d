// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/hash/key.h"

namespace bloomery::redis_bench {

// Asks a batch, and says how many of it are there, as far as it knows. Many threads may call it.
using Ask = std::function<std::size_t(std::span<const Key> keys)>;

// A way of asking a filter in a server.
struct Way {
  std::string name;
  // Finds its filter in the server at that port, filled with the keys.
  std::function<Ask(std::uint16_t port)> open;
};

// Fills every filter that the ways ask with the same keys, at 1 % or next to it.
void fill(std::uint16_t port, std::span<const Key> keys);

// In the order in which they are measured; to compare with another, add it here and to fill().
std::vector<Way> all_ways();

}  // namespace bloomery::redis_bench
