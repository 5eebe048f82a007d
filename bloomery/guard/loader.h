#pragma once

#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "bloomery/hash/key.h"

namespace bloomery {

// One database query for a batch of different keys: answer i is the row of key i, or nullopt where
// there is no such row. What it throws reaches all who wait for the answer; a failed query is never
// "no such row". Called from many threads at once. It must not ask the guard that called it.
template <class Value>
using Loader = std::function<std::vector<std::optional<Value>>(std::span<const Key>)>;

// A loader broke its contract: not one answer a key.
struct LoaderError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace bloomery
