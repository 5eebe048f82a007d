// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bloomery/hash/key.h"
#include "bloomery/place/call_context.h"
#include "bloomery/source/mariadb/column.h"
#include "bloomery/source/mariadb/mariadb_connection.h"
#include "bloomery/text/key_form.h"

namespace bloomery::mariadb {

// A session that asks for rows of one table by their keys (MariadbRows says what they are). One
// thread at a time.
class RowSession {
 public:
  using Rows = std::vector<std::optional<std::string>>;

  // The part of a row that is the answer, and the writing of keys, are as in MariadbRowsOptions.
  struct Options {
    std::string value{};
    KeyEncoding encoding = KeyEncoding::text;
    bool allows_replica = false;
  };
  RowSession(const ServerLocation& location, const Options& options, const CallContext& context);

  Rows ask(std::span<const Key> keys, const CallContext& context);
  // Returns false once the table is no longer as the session has it.
  bool is_usable() const noexcept { return !connection_.is_broken() && !is_outdated_; }

 private:
  // Asked: which answer belongs to a text.
  using Asked = std::unordered_map<std::string, std::size_t>;

  // The type that an answer gives a column, whichever way the column was asked for.
  struct AnsweredType {
    int type = 0;
    unsigned character_set = 0;  // of texts that of the session, whatever the column's is

    bool operator==(const AnsweredType&) const = default;
  };

  void ask_some(std::span<const Asked::value_type* const> some, Rows& rows,
                const CallContext& context);
  std::string spelled(std::string_view text);

  static Connection::FieldConsumer reader_of(AnsweredType& type);
  void learn_type(const CallContext& context);
  [[noreturn]] void refuse_other_type();
  void require_same_type(const CallContext& context);

  Connection connection_;
  const KeyEncoding encoding_;
  const ServerSelection selection_;
  bool is_outdated_ = false;
  bool has_unasked_ = false;  // a key of the question at hand that no value can be
  AnsweredType answered_;     // when the session began
  Table table_;
  std::string select_;
};

}  // namespace bloomery::mariadb
