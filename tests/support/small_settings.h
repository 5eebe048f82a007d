// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/format/format.h"

namespace bloomery::testing {

// Classes with an array of one size, up to 128 MiB, at a size that tests have time for.
inline FormatSettings small_settings(const Format& format) {
  if (format.name.starts_with("javascript") || format.name == "simple-java") {
    return {{"bits", "65536"}};
  }
  return {};
}

}  // namespace bloomery::testing
