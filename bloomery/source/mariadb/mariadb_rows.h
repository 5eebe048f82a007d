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

// Options of MariadbRows.
struct MariadbRowsOptions {
  // The part of a row that is the answer: an SQL expression, as text. NULL is an empty text. Empty:
  // a JSON object of all columns but binary ones.
  std::string value{};
  // How the keys that are asked are written, as in the filter: text, u64 or i64.
  KeyEncoding encoding = KeyEncoding::text;
  std::size_t connections = 4;  // at most, at the same time
  // A replica's rows are older than others: what it says is not there may be there.
  bool allows_replica = false;
};

// Rows of a table on a server of MariaDB or MySQL by their keys, as a guard asks for them
// (guard/loader.h takes it as it is): up to a thousand keys a round trip. A row is that of a key
// where the key is the text that the server prints, byte by byte: what a collation calls equal, and
// what MySQL takes for a number ('abc' for 0), is another key, as it is for the filter. Of several
// rows with one key it is any. What fails throws StoreError, what lasts longer than its context
// allows CallAborted: neither is ever "no such row".
//
// All calls may run together; each waits for a connection where all are in use. One that was lost
// while nobody used it is made anew. Copies share their connections.
class MariadbRows {
 public:
  // A row for each key; nullopt where there is none.
  using Rows = std::vector<std::optional<std::string>>;

  // Connects when it is asked first. Throws std::invalid_argument where the location
  // (server_location.h) names no column of a table.
  explicit MariadbRows(std::string_view location, MariadbRowsOptions options = {});

  // Answer i is the value of the row of keys[i], or nullopt where there is none.
  Rows operator()(std::span<const Key> keys, const CallContext& context = {}) const;

 private:
  class Pool;
  std::shared_ptr<Pool> pool_;
};

}  // namespace bloomery
