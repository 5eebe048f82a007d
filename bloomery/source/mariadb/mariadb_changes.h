// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "bloomery/source/change_options.h"
#include "bloomery/source/change_source.h"
#include "bloomery/source/server_location.h"

namespace bloomery {

// A column of an InnoDB table of a MariaDB server, followed by its binary log, which it must write
// in ROW format. The server keeps nothing for a follower and nothing is written there: start() goes
// on as long as the server has not restarted and its log is kept (binlog_expire_logs_seconds).
//
// SourceChanged is thrown where a statement may have changed rows that the log does not show:
// definitions that name the table, statements in STATEMENT format, logs that were purged, events
// that are damaged or unknown.
class MariadbChanges final : public ChangeSource {
 public:
  // Asks nothing of the server before start() or scan(). Throws std::invalid_argument for a query,
  // or several columns.
  MariadbChanges(const ServerLocation& location, ChangeOptions options);
  ~MariadbChanges() override;

  std::string name() const override { return location_.name(); }
  // Throws std::invalid_argument for what cannot be followed, saying why.
  bool start(const std::optional<Watermark>& from, const CallContext& context) override;
  SourceTotals scan(const BatchConsumer& consumer, const CallContext& context) override;
  std::optional<std::uint64_t> expected_count() override;
  void poll(const ChangeConsumer& consumer, std::chrono::milliseconds patience,
            const CallContext& context) override;
  void drop_seen(std::vector<std::uint64_t>& ended, const CallContext& context) override;
  std::optional<DrawnKeys> draw(const CallContext& context) override;
  void confirm(const Watermark&) override {}
  std::string remove(const CallContext&) override { return {}; }

 private:
  struct Session;
  struct Stream;

  const ServerLocation location_;
  const ChangeOptions options_;
  std::unique_ptr<Stream> stream_;
  std::minstd_rand random_{std::random_device()()};
  bool has_changed_ = false;  // so that it cannot go on, but begins anew
};

}  // namespace bloomery
