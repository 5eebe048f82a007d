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

TEST(MemoryLimit, SpeaksHumanBytes) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes(1258291200), "1.2 GiB");
  EXPECT_EQ(human_bytes(200.0 * 1024 * 1024), "200 MiB");
}

}  // namespace
}  // namespace bloomery
