// SPDX-License-Identifier: Apache-2.0
#include "cli/follow/fence_answer.h"

#include <exception>
#include <string>

#include "bloomery/place/call_context.h"
#include "bloomery/place/watermark_text.h"
#include "bloomery/text/printable.h"

namespace bloomery::cli {

StatusAnswer FenceAnswer::answer(const std::optional<Watermark>& known) {
  try {
    if (source_ == nullptr) source_ = open_();
    const Watermark now = source_->ask(CallContext::within(timeout_));
    if (known && known->reaches(now) && *known != now) {
      return {.status = 503,
              .text = "no fence: the database is behind the filter; it was put back\n"};
    }
    return {.status = 200,
            .text = identity_text(now.source) + " " + std::to_string(now.position) + "\n"};
  } catch (const std::exception& error) {
    source_.reset();
    return {.status = 503, .text = "no fence: " + without_controls(error.what()) + "\n"};
  }
}

}  // namespace bloomery::cli
