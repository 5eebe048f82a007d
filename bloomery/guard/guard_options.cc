// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/guard_options.h"

#include <stdexcept>
#include <string>

namespace bloomery {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestTtl = std::chrono::hours(24 * 3650);
constexpr milliseconds kLongestWait = std::chrono::hours(1);

void require(bool good, const std::string& field, const std::string& value,
             const std::string& allowed) {
  if (good) return;
  throw std::invalid_argument("guard: " + field + " is " + value + "; allowed: " + allowed);
}

void require_between(const std::string& field, milliseconds value, milliseconds least,
                     milliseconds most) {
  require(least <= value && value <= most, field, std::to_string(value.count()) + " ms",
          std::to_string(least.count()) + " to " + std::to_string(most.count()) + " ms");
}

}  // namespace

const GuardOptions& validated(const GuardOptions& options) {
  require_between("value_ttl", options.value_ttl, milliseconds(1), kLongestTtl);
  require_between("negative_ttl", options.negative_ttl, milliseconds(1), kLongestTtl);
  // Written so that NaN fails.
  require(options.ttl_jitter >= 0 && options.ttl_jitter < 1, "ttl_jitter",
          std::to_string(options.ttl_jitter), "0 to less than 1");
  require(options.refresh_ahead >= 0 && options.refresh_ahead < 1, "refresh_ahead",
          std::to_string(options.refresh_ahead), "0 to less than 1");
  require_between("wait_limit", options.wait_limit, milliseconds(0), kLongestWait);
  require(options.queries_at_once > 0, "queries_at_once", "0", "at least 1");
  require_between("query_wait", options.query_wait, milliseconds(0), kLongestWait);
  require(options.failures_in_a_row > 0, "failures_in_a_row", "0", "at least 1");
  require_between("failure_pause", options.failure_pause, milliseconds(0), kLongestWait);
  require_between("budget", options.budget, milliseconds(1), kLongestWait);
  require_between("fence_wait", options.fence_wait, milliseconds(0), kLongestWait);
  if (options.mode != GuardMode::announced) {
    require(options.fence != nullptr, "fence", "not set",
            "a function that says how far the database is, where rows are not announced");
    require(!options.reads_replica, "reads_replica", "true",
            "false, where rows are not announced: the replica may not have them yet");
  }
  return options;
}

}  // namespace bloomery
