// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace bloomery::mariadb {

// The meaning of a statement in the binary log to a follower of a table's rows.
enum class LoggedStatement {
  begin,    // of a transaction, or of a part of it
  end,      // COMMIT, ROLLBACK, XA COMMIT, XA ROLLBACK
  neutral,  // changes no rows of the table, nor what they mean
  unknown,  // may
};

// Judges a statement. Only these are known to leave the table alone: statements that begin and end
// transactions, statements about rights, and definitions (CREATE, ALTER, DROP, ...) that do not
// name the table, nor drop its schema. A statement that changes rows is unknown, whatever it names:
// views, triggers and functions hide what it changes. So is one with /*! */ in it, which servers
// read differently.
LoggedStatement judge_statement(std::string_view statement, std::string_view schema,
                                std::string_view table);

// is_definition_alone: true of a statement that defines something and does nothing else. It changes
// no rows but by what it does to the tables that it names.
bool is_definition_alone(std::string_view statement);

// is_xa_statement: true of a statement that is part of a transaction in two phases (XA).
bool is_xa_statement(std::string_view statement);

}  // namespace bloomery::mariadb
