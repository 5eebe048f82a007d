// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/source/key_source.h"
#include "bloomery/source/postgres/copy_keys.h"
#include "bloomery/source/postgres/postgres_connection.h"
#include "bloomery/source/postgres/text_equality.h"
#include "bloomery/source/source_options.h"

namespace bloomery {

// Keys out of a PostgreSQL server, which is only read: a column of a table, view or partitioned
// table, or what a query selects, as it is in one snapshot. A key is the value as the server prints
// it (UTF-8, integers in digits, dates ISO in UTC), and of bytea its bytes; KeyEncoding then says
// what that spells. NULLs are no keys: skipped and counted. A policy that hides rows from this user
// is an error.
class PostgresSource final : public KeySource {
 public:
  // Connects, and finds the table. Throws StoreError, and std::invalid_argument, with the names
  // that do exist, where the table or column does not.
  PostgresSource(const ServerLocation& location, const SourceOptions& options);

  SourceTotals for_each_batch(const BatchConsumer& consumer) override;

  // Counts, in the server, a third of a scan. For a large table with statistics that few changes
  // are newer than, it is their estimate with a margin, and may be a few hundredths too high.
  std::optional<std::uint64_t> expected_count() override;
  std::optional<std::uint64_t> expected_byte_count() override { return std::nullopt; }

  std::string equality_advice() const override;

 private:
  postgres::Connection& connection();

  ServerLocation location_;
  postgres::KeyReading reading_;
  std::optional<postgres::Connection> connection_;
  postgres::ColumnType type_;
  std::string select_;
  std::string table_oid_;  // empty where there is no table whose statistics could be asked
};

}  // namespace bloomery
