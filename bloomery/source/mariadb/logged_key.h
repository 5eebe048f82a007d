// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "bloomery/source/mariadb/column.h"
#include "bloomery/source/mariadb/row_layout.h"

namespace bloomery::mariadb {

// Why a column's values cannot be read from the binary log as the server prints them, as the end of
// a sentence; empty where they can.
std::string logged_key_problem(const Column& column);

// Makes, of a key as the binary log has it, the text that the server prints for it.
class LoggedKey {
 public:
  // `column` is one without a problem.
  explicit LoggedKey(const Column& column);

  // Throws SourceChanged where the log has another type of column.
  void check_type(const RowLayout::Field& field) const;
  // A view of `bytes`, or of memory that the next call uses again.
  std::string_view text(std::string_view bytes);

 private:
  enum class Kind { integer, as_is, latin1, fixed_text, fixed_latin1, fixed_binary };

  std::string_view digits(std::string_view bytes);
  std::string_view from_latin1(std::string_view bytes);

  std::string name_;
  Kind kind_;
  std::uint8_t type_;
  bool is_unsigned_;
  std::size_t byte_count_;  // of BINARY, padded; of integers
  std::string room_;
};

}  // namespace bloomery::mariadb
