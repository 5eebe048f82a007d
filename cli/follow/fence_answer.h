// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "bloomery/place/fence_source.h"
#include "bloomery/place/watermark.h"
#include "cli/follow/status_server.h"

namespace bloomery::cli {

// Answers GET /fence: how far the database is, for guards that cannot ask it themselves. One thread
// at a time.
class FenceAnswer {
 public:
  using Open = std::function<std::unique_ptr<FenceSource>()>;

  // `open` connects, at the first request and after each failure.
  explicit FenceAnswer(Open open, std::chrono::milliseconds timeout = std::chrono::seconds(2))
      : open_(std::move(open)), timeout_(timeout) {}

  // Asks the database now, so after the request came, and answers 200 and "SOURCE POSITION": 32 hex
  // digits and a decimal number. 503 and why, where the database does not say it in time, or is
  // behind `known`, the filter's watermark of before: then it has lost rows that the filter has.
  StatusAnswer answer(const std::optional<Watermark>& known);

 private:
  const Open open_;
  const std::chrono::milliseconds timeout_;
  std::unique_ptr<FenceSource> source_{};
};

}  // namespace bloomery::cli
