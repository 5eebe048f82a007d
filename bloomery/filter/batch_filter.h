#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include "bloomery/hash/key.h"

namespace bloomery {

// The seam between what holds keys and what asks about them: batches in, answers out, so one
// signature hides the latency of memory and of a network.
template <class F>
concept BatchFilter = requires(F& filter, const F& constant, std::span<const Key> keys,
                               std::span<bool> answers) {
  { filter.insert_many(keys) } -> std::same_as<std::size_t>;
  { filter.insert_many(keys, answers) } -> std::same_as<std::size_t>;
  constant.may_contain_many(keys, answers);
};

}  // namespace bloomery
