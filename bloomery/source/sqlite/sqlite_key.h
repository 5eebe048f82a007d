// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <charconv>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bloomery/source/key_encoding.h"
#include "bloomery/source/normalise.h"
#include "bloomery/text/key_form.h"

namespace bloomery {

// Writes the key that a value of SQLite's spells. A sink gives room(byte_limit), or nullptr where
// it wants no more, and is told by keep(byte_count) how much of it was used.
class SqliteKeyWriter {
 public:
  // `is_utf8`: the database's texts need no conversion.
  SqliteKeyWriter(const KeyForm& form, bool is_utf8) : form_(form), is_utf8_(is_utf8) {}

  // Writes a value that is not NULL. Returns false if there was no room, or the value spells no
  // key, and problem() says why.
  template <class Sink>
  bool write(sqlite3_value* value, int type, Sink& sink) {
    if (type == SQLITE_INTEGER) return write_integer(sqlite3_value_int64(value), sink);
    const bool as_stored = type == SQLITE_BLOB || (type == SQLITE_TEXT && is_utf8_);
    const void* const bytes = as_stored ? sqlite3_value_blob(value) : sqlite3_value_text(value);
    const int length = sqlite3_value_bytes(value);
    if (bytes == nullptr && (length > 0 || !as_stored)) throw std::bad_alloc();
    return write_text({static_cast<const char*>(bytes), static_cast<std::size_t>(length)}, sink);
  }

  const std::string& problem() const noexcept { return problem_; }

 private:
  static constexpr std::size_t kMostDigits = 20;

  template <class Sink>
  bool write_integer(sqlite3_int64 integer, Sink& sink) {
    const KeyEncoding encoding = form_.encoding;
    if (encoding == KeyEncoding::i64 || (encoding == KeyEncoding::u64 && integer >= 0)) {
      char* const out = sink.room(sizeof integer);
      if (out == nullptr) return false;
      write_integer_key(static_cast<std::uint64_t>(integer), out);
      sink.keep(sizeof integer);
      return true;
    }
    char digits[kMostDigits];
    const auto end = std::to_chars(digits, digits + kMostDigits, integer).ptr;
    return write_text({digits, static_cast<std::size_t>(end - digits)}, sink);
  }

  template <class Sink>
  bool write_text(std::string_view bytes, Sink& sink) {
    char* const out = sink.room(
        decoded_byte_limit(form_.encoding, normalised_byte_limit(form_.normalise, bytes.size())));
    if (out == nullptr) return false;
    try {
      sink.keep(decode_key(form_.encoding, normalised(form_.normalise, bytes, room_), out));
    } catch (const std::invalid_argument& wrong) {
      problem_ = wrong.what();
      return false;
    }
    return true;
  }

  KeyForm form_;
  bool is_utf8_;
  std::string problem_;
  std::string room_;  // for a text as its normalisation leaves it
};

}  // namespace bloomery
