// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/csv_field.h"

#include <stdexcept>

#include "bloomery/text/printable.h"

namespace bloomery {
namespace {

constexpr char kQuote = '"';

[[noreturn]] void refuse_record(std::string_view record, const std::string& why) {
  throw std::invalid_argument(printable(record) + " " + why);
}

// Returns the text between the quotes that `rest` begins with. `rest` becomes what follows them.
std::string_view take_quoted(std::string_view record, std::string_view& rest, std::string& room) {
  rest.remove_prefix(1);
  const std::size_t stop = rest.find(kQuote);
  if (stop == std::string_view::npos) refuse_record(record, "has a quote that nothing closes");
  const bool has_doubled = rest.substr(stop).starts_with("\"\"");
  if (!has_doubled) {
    const std::string_view field = rest.substr(0, stop);
    rest.remove_prefix(stop + 1);
    return field;
  }
  room.clear();
  for (;;) {
    const std::size_t quote = rest.find(kQuote);
    if (quote == std::string_view::npos) refuse_record(record, "has a quote that nothing closes");
    room += rest.substr(0, quote);
    rest.remove_prefix(quote + 1);
    if (!rest.starts_with(kQuote)) return room;
    room += kQuote;
    rest.remove_prefix(1);
  }
}

}  // namespace

std::string_view csv_field(std::string_view record, std::string_view delimiter,
                           std::uint32_t number, std::string& room) {
  std::string_view rest = record;
  if (rest.ends_with('\r')) rest.remove_suffix(1);
  for (std::uint32_t at = 1;; ++at) {
    std::string_view field;
    if (rest.starts_with(kQuote)) {
      field = take_quoted(record, rest, room);
      if (!rest.empty() && !rest.starts_with(delimiter)) {
        refuse_record(
            record, "has more than the delimiter behind the quotes of field " + std::to_string(at));
      }
    } else {
      field = rest.substr(0, rest.find(delimiter));
      rest.remove_prefix(field.size());
    }
    if (at == number) return field;
    if (rest.empty()) {
      refuse_record(record, "has no field " + std::to_string(number) + ", only " +
                                std::to_string(at) + " (between " + printable(delimiter) + ")");
    }
    rest.remove_prefix(delimiter.size());
  }
}

}  // namespace bloomery
