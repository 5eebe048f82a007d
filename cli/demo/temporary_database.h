// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bloomery::cli {

// A place for one SQLite file, in a new folder that only this user may enter. It goes with this
// object, and also when the process is ended by Ctrl-C, a hang-up, SIGTERM or a closed pipe. One of
// them at a time.
class TemporaryDatabase {
 public:
  // Throws StoreError where no folder can be made.
  TemporaryDatabase();
  ~TemporaryDatabase();
  TemporaryDatabase(const TemporaryDatabase&) = delete;
  TemporaryDatabase& operator=(const TemporaryDatabase&) = delete;

  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

}  // namespace bloomery::cli
