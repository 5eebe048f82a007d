// SPDX-License-Identifier: Apache-2.0
// Any text is a location or is refused; what is a location says all it must, without NUL bytes.

#include "bloomery/source/source_location.h"

#include <stdexcept>
#include <string>

#include "bloomery/text/percent.h"
#include "fuzz_target.h"

namespace bloomery {
namespace {

std::string percent_encode(const std::string& bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text;
  for (const char c : bytes) {
    text += '%';
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

void check_location(const std::string& text) {
  const SourceLocation location = parse_source_location(text);
  const auto& [table, column, query] = location.selection;
  for (const auto* part : {&location.path, &table, &column, &query}) {
    promise(part->find('\0') == std::string::npos);
  }
  if (location.kind == SourceLocation::Kind::postgres ||
      location.kind == SourceLocation::Kind::mariadb) {
    const ServerSelection& keys = location.server.selection;
    promise(keys.query.empty() == !keys.table.empty());
    promise(keys.query.empty() == !keys.columns.empty());
    for (const std::string& name : keys.columns) promise(!name.empty());
    promise(location.server.name().find('\0') == std::string::npos);
    return;
  }
  if (location.kind != SourceLocation::Kind::sqlite) {
    promise(location.path == (text == "-" ? "" : text));
    return;
  }
  promise(!location.path.empty());
  promise(query.empty() == !table.empty() && query.empty() == !column.empty());
  // Written out in full, it is the same location.
  const std::string selection =
      query.empty() ? "table=" + percent_encode(table) + "&column=" + percent_encode(column)
                    : "query=" + percent_encode(query);
  const SourceLocation again =
      parse_source_location("sqlite:" + percent_encode(location.path) + "?" + selection);
  promise(again.path == location.path && again.selection.table == table &&
          again.selection.column == column && again.selection.query == query);
}

}  // namespace
}  // namespace bloomery

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bloomery;
  const std::string text(reinterpret_cast<const char*>(data), size);
  promise(percent_decode(percent_encode(text)) == text);
  try {
    promise(percent_decode(text).size() <= size);
  } catch (const std::invalid_argument&) {
    promise(text.find('%') != std::string::npos);
  }
  try {
    check_location(text);
  } catch (const std::invalid_argument&) {
    // Refused, which is an answer.
  }
  return 0;
}
