// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/pending_inserts.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace bloomery {
namespace {

PendingInserts::Keys names_of(std::vector<std::string> names) {
  return std::make_shared<const std::vector<std::string>>(std::move(names));
}

TEST(PendingInserts, HoldsAKeyUntilItsLastInsertEnds) {
  PendingInserts pending;
  EXPECT_FALSE(pending.contains("a"));
  const auto first = pending.add(names_of({"a"}));
  const auto second = pending.add(names_of({"a", "b"}));
  pending.remove(first);
  pending.remove(first);
  EXPECT_TRUE(pending.contains("a"));
  pending.remove(second);
  EXPECT_FALSE(pending.contains("a"));
  EXPECT_FALSE(pending.contains("b"));
}

TEST(PendingInserts, WaitsForThoseOfNowAndNotForLaterOnes) {
  PendingInserts pending;
  EXPECT_TRUE(pending.wait_out({}));
  const auto before = pending.add(names_of({"a"}));
  EXPECT_FALSE(pending.wait_out(CallContext::within(std::chrono::milliseconds(1))));
  std::thread waiter([&] { EXPECT_TRUE(pending.wait_out({})); });
  // The later insert alone does not keep the waiter for ever, also if it has begun by now.
  const auto later = pending.add(names_of({"b"}));
  pending.remove(before);
  pending.remove(later);
  waiter.join();
}

}  // namespace
}  // namespace bloomery
