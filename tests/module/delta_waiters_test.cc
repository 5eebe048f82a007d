// SPDX-License-Identifier: Apache-2.0
#include "module/delta_waiters.h"

#include <gtest/gtest.h>

#include "module/the_module.h"

namespace bloomery::module {
namespace {

BlockedClient* const kClient = reinterpret_cast<BlockedClient*>(0x1000);

// The server's part in a wait, whose clock is turned by hand.
class DeltaWaiters : public ::testing::Test {
 protected:
  DeltaWaiters() {
    unblocked_ = 0;
    Api& api = the_module().api;
    api.context_flags = [](Context*) { return 0; };
    api.string_bytes = [](const String*, std::size_t* size) {
      *size = 1;
      return "f";
    };
    api.selected_database = [](Context*) { return 0; };
    api.select_database = [](Context*, int) { return kError; };  // the key is gone
    api.block_client = [](Context*, CommandFunction, CommandFunction, void (*)(Context*, void*),
                          long long) { return kClient; };
    api.unblock_client = [](BlockedClient* client, void*) {
      EXPECT_EQ(client, kClient);
      ++unblocked_;
      return kOk;
    };
    api.set_disconnect_callback = [](BlockedClient*, void (*function)(Context*, BlockedClient*)) {
      gone_ = function;
    };
    api.create_timer = [](Context*, long long, TimerFunction function, void*) {
      tick_ = function;
      return std::uint64_t{1};
    };
    EXPECT_TRUE(wait_for_delta(nullptr, nullptr, {}, 60'000, nullptr));
  }
  ~DeltaWaiters() override { the_module().api = {}; }

  static void tick() { tick_(nullptr, nullptr); }
  static void go() { gone_(nullptr, kClient); }

  static inline int unblocked_ = 0;
  static inline TimerFunction tick_ = nullptr;
  static inline void (*gone_)(Context*, BlockedClient*) = nullptr;
};

TEST_F(DeltaWaiters, AreUnblockedOnceWhereTheyGoBehindTheirAnswer) {
  tick();
  EXPECT_EQ(unblocked_, 1);
  go();
  EXPECT_EQ(unblocked_, 1) << "the server would free the client twice";
}

TEST_F(DeltaWaiters, AreUnblockedOnceWhereTheyGoBeforeIt) {
  go();
  EXPECT_EQ(unblocked_, 1);
  tick();
  EXPECT_EQ(unblocked_, 1);
}

}  // namespace
}  // namespace bloomery::module
