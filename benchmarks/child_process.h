// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace bloomery::bench {

// How a program ended, and what it wrote to standard output and error together.
struct ChildResult {
  enum class End { exited, killed, timed_out, not_found };

  End end = End::exited;
  int exit_status = 0;  // of one that exited
  std::string output;

  bool succeeded() const { return end == End::exited && exit_status == 0; }
};

// Runs argv[0], looked for on PATH, without standard input, and waits for its end; kills it when
// that takes longer than `timeout` or when it writes more than a mebibyte. Nothing stays behind.
// Throws std::system_error when the machine has no pipe or process left to give.
ChildResult run_child(const std::vector<std::string>& argv, std::chrono::milliseconds timeout);

}  // namespace bloomery::bench
