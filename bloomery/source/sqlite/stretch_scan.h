// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>

#include "bloomery/source/key_source.h"
#include "bloomery/source/sqlite_database.h"
#include "bloomery/text/key_form.h"

namespace bloomery {

// Rowids from the first to the last, both included; nearly all of them are taken.
struct RowidRange {
  std::int64_t first;
  std::int64_t last;

  std::uint64_t size() const noexcept {
    return static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) + 1;
  }
};

// A table's scan by several threads, a stretch of some thousand rowids at a time, in their order.
struct StretchScan {
  std::string table;  // quoted
  std::string key;    // what is selected
  KeyForm form{};
  bool is_utf8 = true;

  struct Outcome {
    SourceTotals totals{};
    // `rest`: from this rowid on nothing was handed over, because keys are so long that a stretch
    // of them does not fit its memory.
    std::optional<std::int64_t> rest{};
    // Why the row behind those that were read spells no key.
    std::string problem{};
  };

  // A thread for each connection; all of them see one snapshot. Throws as SqliteDatabase does.
  Outcome run(const std::list<SqliteDatabase*>& connections, RowidRange rowids,
              const Preparation& preparation, const BatchConsumer& consumer) const;
};

}  // namespace bloomery
