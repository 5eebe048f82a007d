// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>

#include "bloomery/source/sqlite/sqlite_key.h"
#include "bloomery/source/sqlite_database.h"
#include "bloomery/text/key_form.h"

namespace bloomery {

inline constexpr const char* kTakeKey = "bloomery_take_key";

// Copies the few bytes that most keys have without a call.
[[gnu::always_inline]] inline void copy_key(char* out, const char* bytes, std::size_t byte_count) {
  if (byte_count < sizeof(std::uint64_t) || byte_count > 2 * sizeof(std::uint64_t)) {
    std::memcpy(out, bytes, byte_count);
    return;
  }
  // Two halves that overlap.
  const std::size_t second = byte_count - sizeof(std::uint64_t);
  std::uint64_t halves[2];
  std::memcpy(&halves[0], bytes, sizeof halves[0]);
  std::memcpy(&halves[1], bytes + second, sizeof halves[1]);
  std::memcpy(out, &halves[0], sizeof halves[0]);
  std::memcpy(out + second, &halves[1], sizeof halves[1]);
}

// The function that SQLite's scan calls for every row, as the aggregate function kTakeKey. The cost
// of a row is SQLite's; what we add to it is a quarter, so the common case stands first and calls
// little. A sink is what SqliteKeyWriter writes to, and is told of NULLs by skip_null().
template <class Sink>
struct KeyScan {
  KeyForm form;
  bool is_utf8;  // the database's text needs no conversion
  Sink* sink;
  SqliteKeyWriter writer{form, is_utf8};
  std::string problem{};       // why a row spells no key
  std::exception_ptr fault{};  // what the sink threw

  // False: no more rows, please.
  [[gnu::always_inline]] bool take(sqlite3_value* value) {
    const int type = sqlite3_value_type(value);
    if (form == KeyForm{}) {
      if (type == SQLITE_INTEGER) return take_digits(sqlite3_value_int64(value));
      if (type == SQLITE_TEXT && is_utf8) return take_stored(value);
    }
    return take_other(value, type);
  }

 private:
  // Takes text as a blob, which saves the copy that ends it in NUL; the text comes unconverted.
  [[gnu::always_inline]] bool take_stored(sqlite3_value* value) {
    const void* const bytes = sqlite3_value_blob(value);
    const auto byte_count = static_cast<std::size_t>(sqlite3_value_bytes(value));
    char* const out = sink->room(byte_count);
    if (out == nullptr) return false;
    if (byte_count > 0) copy_key(out, static_cast<const char*>(bytes), byte_count);
    sink->keep(byte_count);
    return true;
  }

  [[gnu::always_inline]] bool take_digits(sqlite3_int64 integer) {
    char* const out = sink->room(kMostDigits);
    if (out == nullptr) return false;
    // Most identifiers fit 32 bits, where the divisions cost half.
    const auto narrow = static_cast<std::uint32_t>(integer);
    const auto end = narrow == integer ? std::to_chars(out, out + kMostDigits, narrow).ptr
                                       : std::to_chars(out, out + kMostDigits, integer).ptr;
    sink->keep(static_cast<std::size_t>(end - out));
    return true;
  }

  [[gnu::noinline]] bool take_other(sqlite3_value* value, int type) {
    if (type == SQLITE_NULL) {
      sink->skip_null();
      return true;
    }
    if (type == SQLITE_BLOB && form == KeyForm{}) return take_stored(value);
    if (writer.write(value, type, *sink)) return true;
    problem = writer.problem();
    return false;
  }

  static constexpr std::size_t kMostDigits = 20;
};

// SQLite is C: no exception may pass through it. The scan ends at the first error.
template <class Sink>
void take_row(sqlite3_context* context, int, sqlite3_value** values) noexcept {
  auto& scan = *static_cast<KeyScan<Sink>*>(sqlite3_user_data(context));
  try {
    if (scan.take(values[0])) return;
  } catch (...) {
    scan.fault = std::current_exception();
  }
  sqlite3_result_error(context, "ended by the reader of the keys", -1);
}

inline void end_rows(sqlite3_context* context) noexcept {
  sqlite3_result_null(context);
}

// The function is there while there is a scan to call.
template <class Sink>
class FunctionForScan {
 public:
  FunctionForScan(const SqliteDatabase& database, KeyScan<Sink>& scan) : database_(database) {
    const int code =
        sqlite3_create_function_v2(database.handle(), kTakeKey, 1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                   &scan, nullptr, take_row<Sink>, end_rows, nullptr);
    if (code != SQLITE_OK) database.fail(code);
  }
  ~FunctionForScan() {
    sqlite3_create_function_v2(database_.handle(), kTakeKey, 1, SQLITE_UTF8, nullptr, nullptr,
                               nullptr, nullptr, nullptr);
  }
  FunctionForScan(const FunctionForScan&) = delete;
  FunctionForScan& operator=(const FunctionForScan&) = delete;

 private:
  const SqliteDatabase& database_;
};

}  // namespace bloomery
