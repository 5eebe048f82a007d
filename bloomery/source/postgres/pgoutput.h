// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::postgres {

// A value of a row as pgoutput sends it; its bytes are those of the message.
struct PgoutputValue {
  enum class Kind : std::uint8_t { null, unchanged, text };  // unchanged: stored aside, not sent
  Kind kind = Kind::null;
  std::string_view text{};
};
using PgoutputRow = std::vector<PgoutputValue>;

struct PgoutputColumn {
  std::string name{};
  std::uint32_t type = 0;
  bool is_identity = false;  // an UPDATE or DELETE says what it was
  friend bool operator==(const PgoutputColumn&, const PgoutputColumn&) = default;
};

// One message of the plug-in pgoutput, protocol version 2.
struct PgoutputMessage {
  enum class Kind : std::uint8_t {
    begin,
    commit,  // of a transaction, sent whole or before
    abort,   // of one that was sent while it was open, or of a part of it
    relation,
    insert,
    update,
    erase,
    truncate,
    stream_start,  // what follows is of a transaction that is still open
    stream_stop,
    other  // says nothing about rows
  };

  Kind kind = Kind::other;
  std::uint64_t end_lsn = 0;  // of a commit: behind its record in the log
  // The transaction of a stream, of its commit, or of the abort of all of it; 0 for a transaction
  // that is sent whole.
  std::uint32_t transaction = 0;
  std::uint32_t whole = 0;  // of a beginning: the transaction that is sent whole
  std::uint32_t relation = 0;
  std::vector<PgoutputColumn> columns{};  // of a relation
  PgoutputRow row{};                      // as it is now
  PgoutputRow old_row{};                  // what is said of how it was
  bool has_old_row = false;
  std::vector<std::uint32_t> truncated{};
};

// Reads the messages of one connection, in their order. Costs no memory beyond the message's own
// size. Throws FormatError at bytes that are no message.
class PgoutputReader {
 public:
  // `message` keeps its memory from one call to the next.
  void read(std::string_view bytes, PgoutputMessage& message);

 private:
  bool is_in_stream_ = false;
};

}  // namespace bloomery::postgres
