// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/source/change_options.h"
#include "bloomery/source/change_source.h"
#include "bloomery/source/server_location.h"

namespace bloomery {

// A column of a server that is MariaDB's or MySQL's, whatever its location calls it: MariadbChanges
// or MysqlChanges, as the server says of itself when start() connects.
class ServerChanges final : public ChangeSource {
 public:
  // Asks nothing of the server before start() or scan(). Throws std::invalid_argument for a query,
  // or several columns.
  ServerChanges(const ServerLocation& location, ChangeOptions options);

  std::string name() const override { return location_.name(); }
  bool start(const std::optional<Watermark>& from, const CallContext& context) override;
  SourceTotals scan(const BatchConsumer& consumer, const CallContext& context) override {
    return changes_->scan(consumer, context);
  }
  std::optional<std::uint64_t> expected_count() override { return changes_->expected_count(); }
  void poll(const ChangeConsumer& consumer, std::chrono::milliseconds patience,
            const CallContext& context) override {
    changes_->poll(consumer, patience, context);
  }
  void drop_seen(std::vector<std::uint64_t>& ended, const CallContext& context) override {
    changes_->drop_seen(ended, context);
  }
  std::optional<DrawnKeys> draw(const CallContext& context) override {
    return changes_->draw(context);
  }
  void confirm(const Watermark&) override {}
  std::string remove(const CallContext&) override { return {}; }

 private:
  const ServerLocation location_;
  const ChangeOptions options_;
  bool is_mariadb_ = true;
  std::unique_ptr<ChangeSource> changes_;  // of either kind
};

}  // namespace bloomery
