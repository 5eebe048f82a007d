// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/source/change_options.h"
#include "bloomery/source/change_source.h"
#include "bloomery/source/postgres/changed_rows.h"
#include "bloomery/source/postgres/copy_keys.h"
#include "bloomery/source/postgres/postgres_connection.h"
#include "bloomery/source/postgres/publication.h"
#include "bloomery/source/postgres/replication.h"
#include "bloomery/source/postgres/table_question.h"

namespace bloomery {

// The changes of a PostgreSQL table by logical replication (docs/following.md): rows of a
// transaction come while it is open, so that its size costs no memory here and little in the
// server. What is aborted leaves keys that nobody needs.
//
// Makes a publication, named after the table, and a slot. Without ChangeOptions::slot that one is
// temporary: it ends with the connection, and start() cannot go on from anywhere. With a name it
// stays, and the server keeps its log for it, as much as max_slot_wal_keep_size allows.
class PostgresChanges final : public ChangeSource {
 public:
  // Throws std::invalid_argument where the location names no column of a table, or the slot's name
  // is none.
  PostgresChanges(const ServerLocation& location, const ChangeOptions& options);

  std::string name() const override { return location_.name(); }
  bool start(const std::optional<Watermark>& from, const CallContext& context = {}) override;
  // Waits for the transactions first that were writing when it began: they may have been in the log
  // before following began, and be visible only later.
  SourceTotals scan(const BatchConsumer& consumer, const CallContext& context = {}) override;
  std::string why_anew() const override { return why_anew_; }
  std::optional<std::uint64_t> expected_count() override;
  void poll(const ChangeConsumer& consumer, std::chrono::milliseconds patience,
            const CallContext& context = {}) override;
  void drop_seen(std::vector<std::uint64_t>& ended, const CallContext& context) override;
  std::optional<DrawnKeys> draw(const CallContext& context) override;
  void confirm(const Watermark& watermark) override;
  // Leaves the publication where other followers of the same table have their slots.
  std::string remove(const CallContext& context = {}) override;

 private:
  // The name of ChangeOptions::slot in the server.
  std::string named_slot() const { return publication_ + "_" + options_.slot; }
  postgres::Connection& control(const CallContext& context);
  Watermark publish(const CallContext& context);
  bool resume(const std::string& slot, const std::optional<Watermark>& from, const Watermark& now,
              const CallContext& context);
  // Says in which run of the server this slot is followed, before anything is confirmed in it.
  // How far the slot is confirmed at the most.
  void note(std::uint64_t position, const CallContext& context);
  // Returns whether the consumer, which has the time meanwhile, wants to go on.
  bool wait_for_writers(const BatchConsumer& consumer, const CallContext& context);
  Watermark ask_table(const CallContext& context);
  void check_table_now_and_then(const CallContext& context);
  void take_messages(const CallContext& context);
  void take_all(const CallContext& context);
  bool has_moved() const;
  bool hand_over(const ChangeConsumer& consumer);

  ServerLocation location_;
  ChangeOptions options_;
  bool ignores_updates_ = false;
  std::string publication_;
  std::string slot_;  // that is in use

  // Asks about the table beside the changes, on a connection of its own.
  std::optional<postgres::Connection> control_;
  std::optional<postgres::TableQuestion> question_;
  std::optional<postgres::Replication> replication_;
  std::optional<postgres::ServerRun> run_;  // that all connections are with
  CallContext::Clock::time_point checked_{};
  std::uint64_t checked_position_ = 0;
  std::optional<std::uint64_t> noted_;  // since start()
  CallContext::Clock::time_point noted_at_{};

  postgres::PublicationPlan plan_;
  postgres::KeyReading reading_;
  std::optional<postgres::ChangedRows> rows_;
  bool is_stream_broken_ = false;  // for whoever reads it again, too
  std::string why_anew_;

  Identity source_;
  std::uint64_t position_ = 0;
  std::optional<std::uint64_t> announced_;
  CallContext::Clock::time_point announced_at_{};
};

}  // namespace bloomery
