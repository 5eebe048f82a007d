#include "bloomery/guard/pending_inserts.h"

#include <gtest/gtest.h>

namespace bloomery {
namespace {

TEST(PendingInserts, HoldsAKeyUntilItsLastInsertEnds) {
  PendingInserts pending;
  EXPECT_FALSE(pending.contains("a"));
  pending.add("a");
  pending.add("a");
  pending.add("b");
  pending.remove("a");
  EXPECT_TRUE(pending.contains("a"));
  pending.remove("a");
  EXPECT_FALSE(pending.contains("a"));
  EXPECT_TRUE(pending.contains("b"));
}

}  // namespace
}  // namespace bloomery
