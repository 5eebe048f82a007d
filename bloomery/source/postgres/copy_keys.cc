// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/copy_keys.h"

#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/source/key_batcher.h"
#include "bloomery/source/key_encoding.h"
#include "bloomery/source/normalise.h"
#include "bloomery/text/printable.h"

namespace bloomery::postgres {
namespace {

// The character that COPY's text format means by a letter behind a backslash.
char unescaped(char c) noexcept {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    default:
      return c;
  }
}

class CopiedKeys {
 public:
  CopiedKeys(const KeyReading& reading, const BatchConsumer& consumer)
      : reading_(reading), batcher_(consumer) {}

  // One row without its line end. False: no more, please.
  [[gnu::always_inline]] bool take(std::string_view row) {
    if (!is_as_printed_ || std::memchr(row.data(), '\\', row.size()) != nullptr) {
      return take_other(row);
    }
    char* const out = batcher_.room(row.size());
    if (out == nullptr) return false;
    std::memcpy(out, row.data(), row.size());
    batcher_.keep(row.size());
    return true;
  }

  SourceTotals finish() {
    batcher_.finish();
    return batcher_.totals();
  }

  // Why a row spells no key; empty where none did.
  const std::string& problem() const noexcept { return problem_; }

 private:
  [[gnu::noinline]] bool take_other(std::string_view row) {
    if (row == "\\N") {
      batcher_.skip_null();
      return true;
    }
    if (row.find('\\') != std::string_view::npos) {
      unescaped_.clear();
      for (std::size_t i = 0; i < row.size(); ++i) {
        const bool is_escaped = row[i] == '\\' && i + 1 < row.size();
        unescaped_ += is_escaped ? unescaped(row[++i]) : row[i];
      }
      row = unescaped_;
    }
    if (reading_.is_bytea) {
      read_bytea(row, bytes_);
      row = bytes_;
    }
    const auto [encoding, normalise] = reading_.form;
    char* const out =
        batcher_.room(decoded_byte_limit(encoding, normalised_byte_limit(normalise, row.size())));
    if (out == nullptr) return false;
    try {
      batcher_.keep(decode_key(encoding, normalised(normalise, row, normalised_), out));
    } catch (const std::invalid_argument& wrong) {
      problem_ = "row " + std::to_string(batcher_.row_count() + 1) + " read: " + wrong.what();
      return false;
    }
    return true;
  }

  KeyReading reading_;
  bool is_as_printed_ = reading_.form == KeyForm{} && !reading_.is_bytea;
  KeyBatcher batcher_;
  std::string problem_;
  std::string unescaped_;
  std::string bytes_;
  std::string normalised_;
};

struct FreeRow {
  void operator()(char* row) const noexcept { PQfreemem(row); }
};

// True at the end of the rows, false where the consumer wants no more.
bool take_rows(Connection& connection, CopiedKeys& keys, const CallContext& context) {
  while (true) {
    char* bytes = nullptr;
    const int length = PQgetCopyData(connection.handle(), &bytes, 1);
    const std::unique_ptr<char, FreeRow> row(bytes);
    if (length > 0) {
      if (bytes[length - 1] != '\n') throw StoreError(connection.name() + ": a row without end");
      if (!keys.take({bytes, static_cast<std::size_t>(length - 1)})) return false;
    } else if (length == 0) {
      connection.wait_for_input(CallContext::kNever, context);
    } else if (length == -1) {
      return true;
    } else {
      connection.fail("the rows broke off");
    }
  }
}

}  // namespace

SourceTotals copy_keys(Connection& connection, const std::string& query, const KeyReading& reading,
                       const BatchConsumer& consumer, const CallContext& context) {
  const Result begun = connection.query("COPY (\n" + query + "\n) TO STDOUT", context);
  if (PQresultStatus(begun.get()) != PGRES_COPY_OUT) connection.fail("no rows come");
  // A server that still sends would be asked the next question in vain.
  CopiedKeys keys(reading, consumer);
  try {
    if (!take_rows(connection, keys, context)) {
      connection.close();
      const SourceTotals totals = keys.finish();
      if (keys.problem().empty()) return totals;
      throw std::invalid_argument(connection.name() + ": " + keys.problem());
    }
  } catch (...) {
    connection.close();
    throw;
  }
  // An error on the way is only reported at the end.
  while (const Result last = connection.next_result(context)) {
    if (PQresultStatus(last.get()) != PGRES_COMMAND_OK) {
      connection.refuse(last, "the rows broke off");
    }
  }
  return keys.finish();
}

void read_bytea(std::string_view text, std::string& bytes) {
  if (!text.starts_with("\\x")) throw StoreError(printable(text) + " is no bytea in hex");
  bytes = decode_key(KeyEncoding::hex, text.substr(2));
}

}  // namespace bloomery::postgres
