// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bloomery::bench {

// "g++ 12.2.0 -O2 -march=native": the compiler of this file and its flags, `more` than the usual.
inline std::string compiled_with(const std::string& more) {
#if defined(__clang__)
  const std::string compiler = "clang " __clang_version__;
#else
  const std::string compiler = "g++ " __VERSION__;
#endif
  return compiler + " -O2" + (more.empty() ? "" : " " + more);
}

}  // namespace bloomery::bench
