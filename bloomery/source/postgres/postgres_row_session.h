// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/hash/key.h"
#include "bloomery/source/postgres/postgres_connection.h"
#include "bloomery/text/key_form.h"

namespace bloomery::postgres {

// A session that asks for rows of one table by their keys (PostgresRows says what they are). One
// thread at a time.
class RowSession {
 public:
  using Rows = std::vector<std::optional<std::string>>;

  // `value`: an SQL expression of a row t.
  RowSession(const ServerLocation& location, const std::string& value, KeyEncoding encoding,
             const CallContext& context);

  // Returns false once the table is no longer as the session has it.
  bool is_usable() const noexcept { return connection_.is_open() && !is_outdated_; }
  Rows ask(std::span<const Key> keys, const CallContext& context);

 private:
  using Places = std::vector<std::size_t>;  // of keys

  [[noreturn]] void refuse_standby() const;
  void require_as_it_began(std::string_view said);
  // The key as the server reads it; none if it can be no value of the column.
  std::optional<std::string> text_of(Key key) const;
  Result look(PreparedStatement& statement, std::span<const Key> keys,
              std::span<const std::size_t> places, const CallContext& context);
  Places castable(std::span<const Key> keys, std::span<const std::size_t> places,
                  const CallContext& context);

  Connection connection_;
  KeyEncoding encoding_;
  bool is_bytea_ = false;
  bool is_outdated_ = false;
  std::string of_a_primary_{};  // what look_ says besides, with the column's type of the beginning
  std::optional<PreparedStatement> look_{};
  std::optional<PreparedStatement> cast_{};
};

}  // namespace bloomery::postgres
