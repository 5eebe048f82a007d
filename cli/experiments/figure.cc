// SPDX-License-Identifier: Apache-2.0
#include "cli/experiments/figure.h"

namespace bloomery::cli {

std::string_view verdict_name(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::right:
      return "right";
    case Verdict::plausible:
      return "plausible";
    case Verdict::dated:
      return "right then";
    case Verdict::wrong:
      return "wrong";
    case Verdict::not_run:
      return "not run";
  }
  return "";
}

}  // namespace bloomery::cli
