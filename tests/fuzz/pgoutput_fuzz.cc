// SPDX-License-Identifier: Apache-2.0
// Whatever a server sends is read or refused: a value lies within its message, and a message makes
// no more of what it holds than it has bytes.

#include "bloomery/source/postgres/pgoutput.h"

#include <string_view>

#include "bloomery/errors.h"
#include "fuzz_target.h"

namespace bloomery {
namespace {

void check_row(const postgres::PgoutputRow& row, std::string_view bytes) {
  promise(row.size() <= bytes.size());
  for (const postgres::PgoutputValue& value : row) {
    if (value.kind != postgres::PgoutputValue::Kind::text) continue;
    promise(value.text.data() >= bytes.data());
    promise(value.text.data() + value.text.size() <= bytes.data() + bytes.size());
  }
}

void check_message(const postgres::PgoutputMessage& message, std::string_view bytes) {
  using Kind = postgres::PgoutputMessage::Kind;
  if (message.kind == Kind::insert || message.kind == Kind::update) check_row(message.row, bytes);
  if (message.has_old_row) check_row(message.old_row, bytes);
  if (message.kind == Kind::relation) promise(message.columns.size() <= bytes.size());
  if (message.kind == Kind::truncate) promise(message.truncated.size() <= bytes.size());
}

}  // namespace
}  // namespace bloomery

// Messages, each behind two bytes of its length, as one connection brings them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bloomery;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  postgres::PgoutputReader reader;
  postgres::PgoutputMessage message;
  while (rest.size() >= 2) {
    const std::size_t length = static_cast<unsigned char>(rest[0]) * std::size_t{256} +
                               static_cast<unsigned char>(rest[1]);
    const std::string_view bytes = rest.substr(2, length);
    rest.remove_prefix(2 + bytes.size());
    try {
      reader.read(bytes, message);
      check_message(message, bytes);
    } catch (const FormatError&) {
      // Refused, which is an answer.
    }
  }
  return 0;
}
