// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/hash/key.h"
#include "bloomery/place/call_context.h"
#include "bloomery/text/key_form.h"

namespace bloomery {

// Options of PostgresRows.
struct PostgresRowsOptions {
  // The part of a row t that is the answer: an SQL expression, as text. NULL is an empty text.
  std::string value = "row_to_json(t)";
  // How the keys that are asked are written, as in the filter: text, u64 or i64.
  KeyEncoding encoding = KeyEncoding::text;
  std::size_t connections = 4;  // at most, at the same time
};

// Rows of a PostgreSQL table by their keys, as a guard asks for them (guard/loader.h takes it as it
// is): a batch is one round trip. A key that cannot be a value of the column has no row; of several
// rows with one key it is any. What fails throws StoreError, what lasts longer than its context
// allows CallAborted: neither is ever "no such row". So is a policy that hides rows from this user,
// and a standby, whose rows are older than others.
//
// All calls may run together; each waits for a connection where all are in use. One that was lost
// while nobody used it is made anew. Copies share their connections.
class PostgresRows {
 public:
  // A row for each key; nullopt where there is none.
  using Rows = std::vector<std::optional<std::string>>;

  // Connects when it is asked first. Throws std::invalid_argument where the location
  // (server_location.h) names no column of a table.
  explicit PostgresRows(std::string_view location, PostgresRowsOptions options = {});

  // Answer i is the value of the row of keys[i], or nullopt where there is none.
  Rows operator()(std::span<const Key> keys, const CallContext& context = {}) const;

 private:
  class Pool;
  std::shared_ptr<Pool> pool_;
};

}  // namespace bloomery
