// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>

#include "bloomery/source/sqlite_database.h"

namespace bloomery {

// Lets several connections see one database as it was at one moment, whatever others write, while
// this object lives.
class OneSnapshot {
 public:
  // `others` are connections to the path of `first`. They must not wait for locks: `first` holds
  // one by then that a writer may wait for.
  OneSnapshot(SqliteDatabase& first, std::list<SqliteDatabase>& others);
  ~OneSnapshot();
  OneSnapshot(const OneSnapshot&) = delete;
  OneSnapshot& operator=(const OneSnapshot&) = delete;

  // False: there is none, as others write too often, a file is locked, or the path led to another.
  explicit operator bool() const noexcept { return holds_; }

 private:
  bool begin();
  void end() noexcept;

  SqliteDatabase& first_;
  std::list<SqliteDatabase>& others_;
  bool holds_ = false;
};

}  // namespace bloomery
