// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "cli/demo/database_table.h"

namespace bloomery::cli {

// Many threads that ask at once for one key, which is not there and nobody has asked for before.
struct StampedeRun {
  std::uint64_t queries = 0;
  std::chrono::duration<double> elapsed{};  // until the last has its answer
};
struct Stampede {
  std::size_t thread_count = 0;
  StampedeRun cache_alone{};    // look into the cache, else ask the database and write it there
  StampedeRun single_flight{};  // the guard's, without a filter
};

// The key is looked for in a column without an index, so that each query takes a while.
Stampede run_stampede(const DatabaseTable& table);

}  // namespace bloomery::cli
