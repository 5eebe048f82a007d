// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/source_location.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "bloomery/source/location_parameter.h"
#include "bloomery/text/percent.h"
#include "bloomery/text/printable.h"
#include "bloomery/text/secrets.h"

namespace bloomery {
namespace {

constexpr std::string_view kSqlite = "sqlite:";

// Databases that people name so, and that are surely no files.
constexpr std::array<std::string_view, 15> kElsewhere{
    "mysql", "mariadb", "pg",     "pgsql",     "postgres", "postgresql", "mongo", "mongodb",
    "redis", "rediss",  "oracle", "sqlserver", "mssql",    "odbc",       "jdbc"};

[[noreturn]] void refuse_location(std::string_view location, const std::string& why) {
  throw std::invalid_argument(printable(without_secrets(location), 200) + " " + why +
                              "; allowed: FILE, - (standard input), "
                              "sqlite:FILE?table=TABLE&column=COLUMN, sqlite:FILE?query=SELECT..., "
                              "postgres://[USER@]HOST/DATABASE?table=TABLE&column=COLUMN, "
                              "mariadb://..., mysql://...");
}

std::string decode_part(std::string_view location, std::string_view text) {
  std::string decoded;
  try {
    decoded = percent_decode(text);
  } catch (const std::invalid_argument& wrong) {
    refuse_location(location, std::string("is no location: ") + wrong.what());
  }
  if (decoded.find('\0') != std::string::npos) refuse_location(location, "holds a NUL byte");
  return decoded;
}

void set_once(std::string_view location, std::string_view name, std::string_view value,
              std::string& part) {
  if (!part.empty()) refuse_location(location, "says " + std::string(name) + " twice");
  part = decode_part(location, value);
  if (part.empty()) refuse_location(location, "says no " + std::string(name));
}

void parse_selection(std::string_view location, std::string_view parameters,
                     SqliteSelection& selection) {
  while (!parameters.empty()) {
    const LocationParameter parameter = take_parameter(parameters);
    if (parameter.name == "query" && parameter.is_plain) {
      selection.query = parameter.value;
    } else if (parameter.name == "query" && parameter.text != "query") {
      set_once(location, "query", parameter.value, selection.query);
    } else if (parameter.name == "table") {
      set_once(location, "table", parameter.value, selection.table);
    } else if (parameter.name == "column") {
      set_once(location, "column", parameter.value, selection.column);
    } else {
      refuse_location(location, "has a part " + printable(parameter.name) + " that means nothing");
    }
  }
}

}  // namespace

SourceLocation parse_source_location(std::string_view location) {
  using Kind = SourceLocation::Kind;
  if (location.empty()) refuse_location(location, "names no source");
  if (location.find('\0') != std::string_view::npos) refuse_location(location, "holds a NUL byte");
  if (location == "-") return {.kind = Kind::standard_input};
  if (location.starts_with("postgres://") || location.starts_with("postgresql://")) {
    return {.kind = Kind::postgres, .server = parse_server_location(location)};
  }
  if (is_server_location(location)) {
    return {.kind = Kind::mariadb, .server = parse_server_location(location)};
  }
  if (!location.starts_with(kSqlite)) {
    // "No such file" would not help.
    const std::string_view scheme = location.substr(0, location.find(':'));
    const bool is_elsewhere = scheme.size() < location.size() &&
                              std::ranges::find(kElsewhere, scheme) != kElsewhere.end();
    if (is_elsewhere || location.find("://") != std::string_view::npos) {
      refuse_location(
          location,
          "is of no kind that keys can be read from; its own client can print them, one a "
          "line, to -; a file of that name is " +
              printable("./" + without_secrets(location), 200));
    }
    return {.kind = Kind::text, .path = std::string(location)};
  }

  const std::string_view rest = location.substr(kSqlite.size());
  const std::size_t mark = rest.find('?');
  SourceLocation parsed{.kind = Kind::sqlite};
  parsed.path = decode_part(location, rest.substr(0, mark));
  if (parsed.path.empty()) refuse_location(location, "names no file");
  if (mark != std::string_view::npos) {
    parse_selection(location, rest.substr(mark + 1), parsed.selection);
  }
  const auto& [table, column, query] = parsed.selection;
  if (query.empty() ? table.empty() || column.empty() : !table.empty() || !column.empty()) {
    refuse_location(location, "must say a table and a column, or a query");
  }
  return parsed;
}

}  // namespace bloomery
