// SPDX-License-Identifier: Apache-2.0
#include "cli/follow/status_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bloomery::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::chrono::seconds kMost{10};

TEST(StatusText, AFilterThatDeniedARowIsNotHealthyUntilAnotherIsThere) {
  FollowerStatus status{.state = FollowerStatus::State::following, .audited = 70'000};
  status.fresh_as_of = Follower::Clock::now();
  EXPECT_EQ(answer_status("/healthz", status, kMost).status, 200);
  EXPECT_THAT(status_line(status, 0), Not(HasSubstr("DENIED")));

  status.denied = 2;
  status.is_doubted = true;
  const StatusAnswer doubted = answer_status("/healthz", status, kMost);
  EXPECT_EQ(doubted.status, 503);
  EXPECT_THAT(doubted.text, HasSubstr("DENIED 2 times a row that it had"));
  const std::string metrics = answer_status("/metrics", status, kMost).text;
  EXPECT_THAT(metrics, HasSubstr("\nbloomery_follow_audited_keys_total 70000\n"));
  EXPECT_THAT(metrics, HasSubstr("\nbloomery_follow_denied_keys_total 2\n"));

  status.is_doubted = false;
  EXPECT_EQ(answer_status("/healthz", status, kMost).status, 200);
}

TEST(StatusText, SaysTheRateThatSoManyKeysGive) {
  // 1 - (1 - 1/1000)^100 = 0.0952 of the bits are set, and one probe hits such a one.
  const FollowerStatus status{.key_count = 100, .geometry = {.bit_count = 1000, .probe_count = 1}};
  EXPECT_THAT(status_line(status, 0), HasSubstr("100 keys, rate 0.095, "));
  EXPECT_THAT(metrics_text(status), HasSubstr("\nbloomery_follow_false_positive_rate 0.09521\n"));
}

TEST(StatusText, SaysNoRateThatNobodyKnows) {
  const FollowerStatus uncounted{.geometry = {.bit_count = 1000, .probe_count = 1}};
  for (const FollowerStatus& status : {uncounted, FollowerStatus{.key_count = 100}}) {
    EXPECT_THAT(status_line(status, 0), Not(HasSubstr("rate")));
    EXPECT_THAT(metrics_text(status), HasSubstr("\nbloomery_follow_false_positive_rate -1\n"));
  }
}

}  // namespace
}  // namespace bloomery::cli
