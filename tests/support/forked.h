// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <vector>

namespace bloomery::testing {

// Returns whether a question is answered rightly, again and again, in this process, numbered 0, and
// in three children that ask at the same time; once before they are made.
inline bool answers_in_each_process(const std::function<bool(int process)>& is_right) {
  constexpr int kChildren = 3;
  constexpr int kRounds = 30;
  if (!is_right(0)) return false;
  const auto is_always_right = [&](int process) {
    for (int i = 0; i < kRounds; ++i) {
      if (!is_right(process)) return false;
    }
    return true;
  };
  std::vector<pid_t> children;
  for (int i = 1; i <= kChildren; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    alarm(20);  // ends one that waits for ever
    try {
      _exit(is_always_right(i) ? 0 : 1);
    } catch (...) {
      _exit(2);
    }
  }
  bool all = is_always_right(0);
  for (const pid_t child : children) {
    int status = -1;
    all = waitpid(child, &status, 0) == child && status == 0 && all;
  }
  return all;
}

}  // namespace bloomery::testing
