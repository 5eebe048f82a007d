// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bloomery/place/call_context.h"
#include "bloomery/source/key_source.h"
#include "bloomery/source/server_location.h"
#include "bloomery/source/source_options.h"

namespace bloomery {

// Keys out of a database on a server of MariaDB or MySQL, which is only read. A key is what the
// column would be if it were printed: texts as UTF-8, whatever the column's character set; binary
// strings as they are; integers as decimal digits, without the zeros of ZEROFILL. KeyEncoding then
// says what those spell. NULLs are no keys: skipped and counted.
//
// All rows are of one moment, and come one by one: neither side holds the result.
class MariadbSource final : public KeySource {
 public:
  // Connects, and looks the selection up. Throws StoreError, and std::invalid_argument with the
  // names that do exist where the table or the column does not.
  MariadbSource(const ServerLocation& location, SourceOptions options,
                const CallContext& context = {});
  ~MariadbSource() override;

  SourceTotals for_each_batch(const BatchConsumer& consumer) override;
  // Reads everything within a caller's time.
  SourceTotals for_each_batch(const BatchConsumer& consumer, const CallContext& context);
  // Asks from now on only the server whose mariadb::server_run() that is; of another it throws
  // StoreError.
  void require_run(std::string run) { run_ = std::move(run); }

  // Counts, through the smallest index that has all rows: a tenth of a scan or more. Exact but for
  // NULLs. A query may cost as much as it does to run.
  std::optional<std::uint64_t> expected_count() override;

  std::optional<std::uint64_t> expected_byte_count() override { return std::nullopt; }

  std::string equality_advice() const override { return advice_; }

 private:
  struct Session;

  Session& session(const CallContext& context);
  void check_query(const CallContext& context);

  ServerLocation location_;
  SourceOptions options_;
  std::string select_;  // rows of one column
  std::string count_;
  std::string advice_;
  std::string run_;  // empty: of any
  std::unique_ptr<Session> session_;
};

}  // namespace bloomery
