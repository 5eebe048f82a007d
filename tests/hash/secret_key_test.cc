// SPDX-License-Identifier: Apache-2.0
#include "bloomery/hash/secret_key.h"

#include <gtest/gtest.h>

namespace bloomery {
namespace {

TEST(SecretKey, IsDrawnAnewEachTime) {
  const SecretKey first = SecretKey::random();
  EXPECT_NE(first, SecretKey::random());
  EXPECT_NE(first, SecretKey{});
}

}  // namespace
}  // namespace bloomery
