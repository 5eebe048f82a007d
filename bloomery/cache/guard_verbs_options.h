// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

namespace bloomery {

// Options of GuardVerbs and of the caches over them.
struct GuardVerbsOptions {
  // The time that a reader has to load a row, before another one loads it too.
  std::chrono::milliseconds lease_life = std::chrono::seconds(5);
  // The time that an announcement holds, unless it is made again.
  std::chrono::milliseconds mark_life = std::chrono::seconds(30);
  // "GUARD" where the server has our module ("MY.GUARD" with a prefix); empty: by a script.
  std::string commands{};
};

}  // namespace bloomery
