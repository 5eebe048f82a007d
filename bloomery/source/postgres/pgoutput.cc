// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/pgoutput.h"

#include <cstddef>

#include "bloomery/errors.h"
#include "bloomery/source/postgres/wire_reader.h"

namespace bloomery::postgres {
namespace {

using Kind = PgoutputMessage::Kind;

[[noreturn]] void refuse_message(const std::string& why) {
  throw FormatError("a message of pgoutput " + why);
}

void read_row(WireReader& in, PgoutputRow& row) {
  const std::size_t count = in.u16();
  // Each takes a byte at least.
  if (count > in.left()) refuse_message("has fewer values than it says");
  row.clear();
  for (std::size_t i = 0; i < count; ++i) {
    switch (in.u8()) {
      case 'n':
        row.push_back({.kind = PgoutputValue::Kind::null});
        break;
      case 'u':
        row.push_back({.kind = PgoutputValue::Kind::unchanged});
        break;
      case 't': {
        const std::uint32_t byte_count = in.u32();
        row.push_back({.kind = PgoutputValue::Kind::text, .text = in.bytes(byte_count)});
        break;
      }
      default:
        refuse_message("has a value of an unknown kind");
    }
  }
}

void read_relation(WireReader& in, PgoutputMessage& message) {
  message.relation = in.u32();
  in.text();  // schema
  in.text();  // name
  in.u8();    // replica identity
  const std::size_t count = in.u16();
  if (count > in.left()) refuse_message("has fewer columns than it says");
  message.columns.clear();
  for (std::size_t i = 0; i < count; ++i) {
    PgoutputColumn column;
    column.is_identity = (in.u8() & 1) != 0;
    column.name = in.text();
    column.type = in.u32();
    in.u32();  // modifier
    message.columns.push_back(std::move(column));
  }
}

void read_update(WireReader& in, PgoutputMessage& message) {
  message.relation = in.u32();
  std::uint8_t mark = in.u8();
  if (mark == 'K' || mark == 'O') {
    message.has_old_row = true;
    read_row(in, message.old_row);
    mark = in.u8();
  }
  if (mark != 'N') refuse_message("of an UPDATE has no new row");
  read_row(in, message.row);
}

void read_delete(WireReader& in, PgoutputMessage& message) {
  message.relation = in.u32();
  const std::uint8_t mark = in.u8();
  if (mark != 'K' && mark != 'O') refuse_message("of a DELETE has no old row");
  message.has_old_row = true;
  read_row(in, message.old_row);
}

void read_truncate(WireReader& in, PgoutputMessage& message) {
  const std::uint32_t count = in.u32();
  in.u8();  // CASCADE, RESTART IDENTITY
  if (count > in.left() / sizeof(std::uint32_t)) refuse_message("has fewer tables than it says");
  message.truncated.clear();
  for (std::uint32_t i = 0; i < count; ++i) message.truncated.push_back(in.u32());
}

}  // namespace

void PgoutputReader::read(std::string_view bytes, PgoutputMessage& message) {
  WireReader in(bytes);
  const std::uint8_t type = in.u8();
  message.has_old_row = false;
  message.transaction = 0;
  const auto skip_transaction = [&] {
    if (is_in_stream_) in.u32();
  };
  switch (type) {
    case 'B':
      message.kind = Kind::begin;
      in.bytes(8 + 8);
      message.whole = in.u32();
      break;
    case 'c':
      message.transaction = in.u32();
      [[fallthrough]];
    case 'C':
      message.kind = Kind::commit;
      in.u8();
      in.u64();
      message.end_lsn = in.u64();
      in.u64();
      break;
    case 'A':
      message.kind = Kind::abort;
      message.transaction = in.u32();
      if (in.u32() != message.transaction) message.transaction = 0;  // a part of it
      break;
    case 'S':
      if (is_in_stream_) refuse_message("begins a stream within another");
      message.kind = Kind::stream_start;
      message.transaction = in.u32();
      in.u8();
      is_in_stream_ = true;
      break;
    case 'E':
      if (!is_in_stream_) refuse_message("ends a stream that did not begin");
      message.kind = Kind::stream_stop;
      is_in_stream_ = false;
      break;
    case 'R':
      message.kind = Kind::relation;
      skip_transaction();
      read_relation(in, message);
      break;
    case 'I':
      message.kind = Kind::insert;
      skip_transaction();
      message.relation = in.u32();
      if (in.u8() != 'N') refuse_message("of an INSERT has no new row");
      read_row(in, message.row);
      break;
    case 'U':
      message.kind = Kind::update;
      skip_transaction();
      read_update(in, message);
      break;
    case 'D':
      message.kind = Kind::erase;
      skip_transaction();
      read_delete(in, message);
      break;
    case 'T':
      message.kind = Kind::truncate;
      skip_transaction();
      read_truncate(in, message);
      break;
    case 'Y':  // a type
    case 'O':  // where a transaction was made first
    case 'M':  // what somebody wrote into the log
      message.kind = Kind::other;
      return;
    default:
      refuse_message("is of the unknown kind " + std::to_string(type));
  }
  if (in.left() > 0) refuse_message("is longer than it says");
}

}  // namespace bloomery::postgres
