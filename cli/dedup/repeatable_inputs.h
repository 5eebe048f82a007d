// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

namespace bloomery::cli {

// Texts that are read twice and must be the same both times: regular files by name, and standard
// input where it is redirected from one.
class RepeatableInputs {
 public:
  // Remembers what each file is now. Throws std::invalid_argument for what cannot be read twice (a
  // pipe, a terminal, a database), StoreError for what is not there.
  explicit RepeatableInputs(const std::vector<std::string>& locations);

  // Throws StoreError, naming it, where a file is another one now or was changed: by its length and
  // its times.
  void require_unchanged() const;

  // Standard input from where it began.
  void rewind() const;

 private:
  struct Input {
    std::string path;  // empty for standard input
    std::string name;
    struct stat status;
  };

  std::vector<Input> inputs_;
  std::int64_t standard_input_start_ = 0;
};

}  // namespace bloomery::cli
