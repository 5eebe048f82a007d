// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>

#include "benchmarks/follow/settings.h"
#include "bloomery/redis/client/client.h"
#include "cli/ending_signals.h"
#include "cli/live_demo/live_database.h"
#include "cli/stage.h"

namespace bloomery::follow_bench {

enum class Database : std::uint8_t { postgres, mariadb };
enum class Load : std::uint8_t { single, bulk };
enum class Filter : std::uint8_t { none, bitmap, bloom, file };

// One run. Of one without a filter, what is carried is 0.
struct Figure {
  double committed = 0;  // rows a second
  double carried = 0;    // the same, until the watermark has the last row
  // Processor time a row, in microseconds.
  double database_us = 0;
  double follower_us = 0;
  double redis_us = 0;
  std::uint64_t follower_bytes = 0;  // the most memory that the follower ever had
};

// A database and a Redis on sockets of their own, which end with this.
class Scene {
 public:
  // Throws StoreError where a server cannot be started.
  Scene(Database database, const Settings& settings, const cli::EndingSignals& signals);

  std::string title() const { return database_->title(); }
  // Makes the table anew, with a follower or without, and writes into it.
  Figure run(Load load, Filter filter);

 private:
  void start_redis();
  redis::Reply call(std::initializer_list<std::string_view> words);
  void make_table();
  std::string location_of(Filter filter) const;
  std::uint64_t write(Load load);
  void wait_for(cli::Process& follower, const std::string& filter);

  const Database kind_;
  const Settings& settings_;
  const cli::EndingSignals& signals_;
  cli::Stage stage_;
  std::unique_ptr<cli::LiveDatabase> database_;
  std::optional<cli::Process> redis_;
  std::optional<redis::Client> client_;
};

}  // namespace bloomery::follow_bench
