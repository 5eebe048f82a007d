// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/filter/parameters.h"
#include "cli/binomial_interval.h"
#include "cli/demo/database_table.h"
#include "cli/demo/live_scene.h"
#include "cli/demo/stampede.h"
#include "cli/demo/traffic.h"

namespace bloomery::cli {

// DemoResult has what the demo did and saw. It is filled from the top to the bottom, and printed as
// it goes.
struct DemoResult {
  std::string word_list;  // empty for a database of the user's
  DatabaseTable table;
  std::chrono::duration<double> fill_time{};

  FilterParameters filter;
  std::uint64_t key_count = 0;
  std::uint64_t null_count = 0;
  std::chrono::duration<double> load_time{};
  double predicted_rate = 0;

  std::uint64_t seed = 0;
  std::uint64_t absent_count = 0;
  TrafficOptions traffic;
  bool scans_table = false;

  TrafficResult without;
  TrafficResult with;

  // `live` and `stampede` are set only for a database of the demo's own.
  std::optional<LiveScene> live;
  std::optional<Stampede> stampede;

  std::uint64_t real_count() const { return with.request_count - absent_count; }
  bool every_real_key_answered() const {
    return without.denied_count == 0 && with.denied_count == 0 &&
           (!live || live->denied_count == 0);
  }
  double measured_rate() const;
  Interval measured_interval() const;
};

}  // namespace bloomery::cli
