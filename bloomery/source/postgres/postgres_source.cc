// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/postgres_source.h"

#include <stdexcept>

#include "bloomery/source/postgres/selected_table.h"

namespace bloomery {
namespace {

// Nothing where counting is quick, or no recent statistics are there (a crash loses the number of
// changes, and then also the time of the last analysis). Analysis looks at a sample of 30,000 rows:
// the margin is several times its error.
constexpr const char* kEstimate = R"(
SELECT (greatest(c.reltuples, c.reltuples / greatest(c.relpages, 1) *
                 (pg_relation_size(c.oid) / current_setting('block_size')::int)) * 1.03
        + s.n_mod_since_analyze)::int8
FROM pg_class c JOIN pg_stat_all_tables s ON s.relid = c.oid
WHERE c.oid = $1::oid AND c.reltuples > 1000000
  AND greatest(s.last_analyze, s.last_autoanalyze) IS NOT NULL
  AND s.n_mod_since_analyze * 10 < c.reltuples
  AND NOT EXISTS (SELECT FROM pg_inherits i WHERE i.inhparent = c.oid))";

}  // namespace

PostgresSource::PostgresSource(const ServerLocation& location, const SourceOptions& options)
    : location_(location), reading_{.form = {options.encoding, options.normalise}} {
  if (options.field > 0) {
    throw std::invalid_argument(location.name() +
                                ": fields are for texts; in a database, name the column");
  }
  if (location.selection.query.empty()) {
    const auto table = postgres::find_table(connection(), location.selection, kNoContext);
    type_ = table.type;
    select_ = table.select();
    if (table.kind == 'r') table_oid_ = table.oid;
  } else {
    select_ = location.selection.query;
    type_ = postgres::check_query(connection(), select_, kNoContext);
  }
  reading_.is_bytea = type_.oid == postgres::kByteaOid;
}

SourceTotals PostgresSource::for_each_batch(const BatchConsumer& consumer) {
  connection().query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", kNoContext);
  try {
    const SourceTotals totals =
        postgres::copy_keys(connection(), select_, reading_, consumer, kNoContext);
    if (connection_->is_open()) connection_->query("COMMIT", kNoContext);
    return totals;
  } catch (...) {
    connection_.reset();
    throw;
  }
}

std::optional<std::uint64_t> PostgresSource::expected_count() {
  if (!table_oid_.empty()) {
    const auto estimate = connection().query(kEstimate, {table_oid_}, kNoContext);
    if (estimate.rows() == 1) return estimate.number(0, 0);
  }
  const auto counted = connection().query(
      "SELECT count(*) FROM (\n" + select_ + "\n) AS bloomery_selected", kNoContext);
  return counted.number(0, 0);
}

std::string PostgresSource::equality_advice() const {
  return unequal_bytes_advice(type_, reading_.form);
}

// Made again where a scan that ended early has closed it.
postgres::Connection& PostgresSource::connection() {
  using postgres::Connection;
  if (!connection_ || !connection_->is_open()) {
    connection_.emplace(location_, Connection::Kind::queries, kNoContext);
  }
  return *connection_;
}

}  // namespace bloomery
