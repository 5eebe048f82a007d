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

TEST(StatusText, AnUnhealthyFollowerSaysWhy) {
  using enum FollowerStatus::State;
  const auto now = Follower::Clock::now();
  const auto why = [](const FollowerStatus& status) {
    const StatusAnswer answer = answer_status("/healthz", status, kMost);
    EXPECT_EQ(answer.status, 503);
    return answer.text.substr(0, answer.text.find('\n'));
  };
  FollowerStatus status{.state = starting};
  EXPECT_EQ(why(status), "not ready: starting");
  status.state = scanning;
  EXPECT_EQ(why(status), "not ready: the table is read for the first time");
  status.fresh_as_of = now - std::chrono::seconds(42);
  status.state = following;
  EXPECT_EQ(why(status), "not ready: 42 s behind; --healthy allows 10");
  status.state = starting;
  EXPECT_EQ(why(status), "not ready: the follower begins again");
  status.state = failing;
  status.last_error = "postgres://db/shop: refused";
  EXPECT_EQ(why(status), "not ready: failing: postgres://db/shop: refused");
  status.state = ended;
  EXPECT_EQ(why(status), "not ready: the follower has ended");
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
