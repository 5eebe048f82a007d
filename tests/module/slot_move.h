// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/module/cluster_nodes.h"

namespace bloomery::testing {

// A slot that goes from node to node at once, with all its keys: CLUSTER MIGRATESLOTS of Valkey
// from 9.0 on, CLUSTER MIGRATION of Redis from 8.4 on.
class SlotMove {
 public:
  enum class Way { none, valkey, redis };
  static Way way_of(ModuleServer& server) {
    const auto knows = [&](const char* command) {
      return !server.ask(command).starts_with("-ERR unknown subcommand");
    };
    if (knows("CLUSTER MIGRATESLOTS x")) return Way::valkey;
    return knows("CLUSTER MIGRATION x") ? Way::redis : Way::none;
  }

  // Begins.
  SlotMove(const std::string& slot, Node& from, Node& to) : way_(way_of(*from.server)) {
    if (way_ == Way::valkey) {
      asked_ = from.server.get();
      EXPECT_EQ(
          asked_->ask("CLUSTER MIGRATESLOTS SLOTSRANGE " + slot + " " + slot + " NODE " + to.id),
          "+OK");
    } else {
      asked_ = to.server.get();
      const Reply id = asked_->ask_reply("CLUSTER MIGRATION IMPORT " + slot + " " + slot);
      EXPECT_EQ(id.line[0], '$') << id.line;
      id_ = id.text;
    }
  }

  // The server's word for how far it is, and why it failed.
  std::string shown() {
    return field("state") + " " + field(way_ == Way::valkey ? "message" : "last_error");
  }
  bool succeeds() { return ends() && !has_failed(field("state")); }
  bool fails() { return ends() && has_failed(field("state")); }
  // Returns whether the first keys are on their way.
  bool is_in_the_middle() {
    return comes_true([&] {
      const std::string now = field("state");
      return now == "snapshotting" || now == "accumulate-buffer";
    });
  }
  void cancel() {
    if (way_ == Way::valkey) {
      EXPECT_EQ(asked_->ask("CLUSTER CANCELSLOTMIGRATIONS"), "+OK");
    } else {
      EXPECT_EQ(asked_->ask("CLUSTER MIGRATION CANCEL ID " + id_), ":1");
    }
  }

 private:
  static bool has_failed(const std::string& state) {
    return state == "failed" || state == "cancelled" || state == "canceled";
  }
  bool ends() {
    const auto has_ended = [&] {
      const std::string now = field("state");
      return now == "success" || now == "completed" || has_failed(now);
    };
    return comes_true(has_ended) || comes_true(has_ended);  // a busy machine takes longer
  }
  std::string field(const std::string& name) {
    const Reply all = asked_->ask_reply(way_ == Way::valkey ? "CLUSTER GETSLOTMIGRATIONS"
                                                            : "CLUSTER MIGRATION STATUS ID " + id_);
    if (all.items.empty()) return {};
    const std::vector<Reply>& last = all.items[0].items;  // that began last
    for (std::size_t i = 0; i + 1 < last.size(); i += 2) {
      if (last[i].text == name) return last[i + 1].text;
    }
    return {};
  }

  Way way_;
  ModuleServer* asked_ = nullptr;
  std::string id_{};  // Redis's
};

}  // namespace bloomery::testing
