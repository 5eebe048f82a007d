// SPDX-License-Identifier: Apache-2.0
#include "bloomery/bits/modulus.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace bloomery {
namespace {

TEST(Modulus, LeavesWhatDivisionLeaves) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  std::vector<std::uint64_t> interesting{1, 2, 3, 63, 64, 958'505'838, kMost - 1, kMost};
  for (int shift = 2; shift < 64; ++shift) {
    const std::uint64_t power = std::uint64_t{1} << shift;
    for (const std::uint64_t each : {power - 1, power, power + 1}) interesting.push_back(each);
  }
  std::uint64_t random = 1;
  for (int i = 0; i < 200; ++i) {
    random = random * 0xd1342543de82ef95 + 1;
    interesting.push_back((random >> (i % 60)) + 1);
  }
  for (const std::uint64_t value : interesting) {
    const Modulus modulus(value);
    EXPECT_EQ(std::uint64_t{modulus}, value);
    // Numbers beside multiples, where a quotient that is one off shows.
    for (const std::uint64_t number : interesting) {
      const std::uint64_t multiple = number - number % value;
      for (const std::uint64_t each : {number, multiple - 1, multiple, multiple + 1}) {
        ASSERT_EQ(each % modulus, each % value) << each << " % " << value;
      }
    }
  }
}

}  // namespace
}  // namespace bloomery
