// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "bloomery/source/change_options.h"
#include "bloomery/source/change_source.h"
#include "bloomery/source/sqlite/sqlite_key.h"
#include "bloomery/source/sqlite/sqlite_outbox.h"
#include "bloomery/source/sqlite_database.h"
#include "bloomery/source/sqlite_source.h"

namespace bloomery {

// A column of an SQLite table, followed by triggers (sqlite_outbox.h): start() makes them, remove()
// takes them away. Whoever writes to the table writes a change beside each row, and scan() and
// confirm() write too: an application that does not wait for locks (busy_timeout) may find one.
//
// SourceChanged is thrown where the changes overflowed, where anything changed in any table's
// schema (VACUUM and CREATE INDEX too: nobody can see whether a table was exchanged by the way),
// and where another file has taken the database's name.
class SqliteChanges final : public ChangeSource {
 public:
  // Throws as SqliteSource does, and std::invalid_argument for what cannot be followed.
  SqliteChanges(std::string path, SqliteSelection selection, ChangeOptions options);
  ~SqliteChanges() override;

  std::string name() const override;
  bool start(const std::optional<Watermark>& from, const CallContext& context) override;
  SourceTotals scan(const BatchConsumer& consumer, const CallContext& context) override;
  std::optional<std::uint64_t> expected_count() override;
  void poll(const ChangeConsumer& consumer, std::chrono::milliseconds patience,
            const CallContext& context) override;
  std::optional<DrawnKeys> draw(const CallContext& context) override;
  void confirm(const Watermark& watermark) override;
  std::string remove(const CallContext& context) override;

 private:
  struct Rows;

  void open();
  void connect();
  void reconnect();
  void wait_no_longer_than(const CallContext& context);
  SqliteOutboxState need_state();
  std::int64_t data_version();
  bool hand_over(const ChangeConsumer& consumer);
  SqliteKeyWriter key_writer();
  void read_rows(std::int64_t target, Rows& rows);
  void forget_confirmed() noexcept;
  void forget_some(std::int64_t up_to);
  Watermark reached(std::int64_t position) const;

  const std::string path_;
  const SqliteSelection selection_;
  const ChangeOptions options_;
  std::unique_ptr<SqliteDatabase> database_;
  std::unique_ptr<SqliteSource> rows_;  // by a connection of its own: a scan may be polled beside
  std::unique_ptr<SqliteOutbox> outbox_;
  SqliteDatabase::Statement version_;
  bool has_begun_ = false;
  SqliteOutboxState state_;     // as read last
  std::int64_t position_ = 0;   // all up to here was handed over
  std::int64_t confirmed_ = 0;  // and up to here it need not be kept
  std::int64_t forgotten_ = 0;
  std::int64_t seen_version_ = 0;  // of the database, when everything was handed over
  SqliteDatabase::FileStamp seen_stamp_{};
  std::chrono::steady_clock::time_point forget_at_{};
  std::mt19937_64 random_{std::random_device()()};
};

}  // namespace bloomery
