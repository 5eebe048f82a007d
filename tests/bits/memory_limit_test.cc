// SPDX-License-Identifier: Apache-2.0
#include "bloomery/bits/memory_limit.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace bloomery {
namespace {

TEST(MemoryLimit, IsWhatTheMachineHas) {
  EXPECT_GT(memory_limit(), std::uint64_t{1} << 26);
  EXPECT_NO_THROW(require_memory(memory_limit() / 8, 8));
  EXPECT_THROW(require_memory(memory_limit() / 4, 8), std::invalid_argument);
  EXPECT_THROW(require_memory(~std::uint64_t{0}, ~std::uint64_t{0}), std::invalid_argument);
}

}  // namespace
}  // namespace bloomery
