// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/open/place_location.h"
#include "cli/patience.h"
#include "cli/rdb/dump_file.h"
#include "cli/report.h"

namespace bloomery::cli {

// TakenTo: where one key's filter goes.
struct TakenTo {
  PlaceLocation out;
  bool replace = false;
  Patience patience{};
};

// Puts a key's filter, whole, into a file, and what it is into the report. Throws
// std::invalid_argument, naming the type, for a value that cannot be taken out or not so.
void take_filter(const DumpFile& dump, const rdb::ModuleKey& key, const TakenTo& to,
                 Report& report);

// Returns whether a value is a filter that is taken out.
bool can_extract(const rdb::ModuleKey& key) noexcept;

}  // namespace bloomery::cli
