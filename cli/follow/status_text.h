// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "bloomery/follow/follower.h"
#include "cli/follow/status_server.h"

// The reports of a follower, for people and for programs.
namespace bloomery::cli {

// How long ago everything was in that the database had; below 0: never yet.
double seconds_behind(const FollowerStatus& status);

// One line; `rows_per_second` is about what came since the last one.
std::string status_line(const FollowerStatus& status, double rows_per_second);

// Returns the status in the text format of Prometheus.
std::string metrics_text(const FollowerStatus& status);

// Answers GET /metrics and GET /healthz; FenceAnswer answers /fence. /healthz is 200 while the
// filter is at most `most` behind and has not denied a row that it had; else 503, and the first
// line of the text says why.
StatusAnswer answer_status(std::string_view path, const FollowerStatus& status,
                           std::chrono::duration<double> most);

}  // namespace bloomery::cli
