// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/server_location.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "bloomery/source/location_parameter.h"
#include "bloomery/text/percent.h"
#include "bloomery/text/printable.h"

namespace bloomery {
namespace {

using Scheme = std::pair<std::string_view, std::string_view>;  // as written, and what is meant
constexpr std::array<Scheme, 4> kServers{Scheme{"postgres", "postgres"},
                                         Scheme{"postgresql", "postgres"}, Scheme{"mysql", "mysql"},
                                         Scheme{"mariadb", "mariadb"}};
constexpr std::string_view kBehindScheme = "://";

const Scheme* server_scheme(std::string_view location) noexcept {
  const std::string_view word = location.substr(0, location.find(kBehindScheme));
  if (word.size() == location.size()) return nullptr;
  const auto* const found = std::ranges::find(kServers, word, &Scheme::first);
  return found == kServers.end() ? nullptr : found;
}

// Names no part of the text, in any of which a password may stand.
[[noreturn]] void refuse_server(std::string_view location, const std::string& why) {
  const std::string scheme(location.substr(0, location.find(':')));
  throw std::invalid_argument("the location " + scheme + "://... " + why + "; allowed: " + scheme +
                              "://[user[:password]@][host[:port]]/database?table=TABLE&"
                              "column=COLUMN, or ?query=SELECT...; %XX stands for a byte");
}

std::string server_part(std::string_view location, std::string_view text, const std::string& what) {
  std::string decoded;
  try {
    decoded = percent_decode(text);
  } catch (const std::invalid_argument&) {
    refuse_server(location, "has a % without two hexadecimal digits in its " + what);
  }
  if (decoded.find('\0') != std::string::npos) {
    refuse_server(location, "has a NUL byte in its " + what);
  }
  return decoded;
}

void parse_user(std::string_view location, std::string_view text, ServerLocation& parsed) {
  const std::size_t colon = text.find(':');
  parsed.user = server_part(location, text.substr(0, colon), "user");
  if (colon != std::string_view::npos) {
    parsed.password = server_part(location, text.substr(colon + 1), "password");
  }
}

void parse_address(std::string_view location, std::string_view text, ServerLocation& parsed) {
  std::size_t host_end = text.find(':');
  if (text.starts_with('[')) {  // an address with colons
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) refuse_server(location, "has a [ without its ]");
    parsed.host = text.substr(1, close - 1);
    host_end = close + 1;
  } else {
    parsed.host = text.substr(0, host_end);
  }
  const bool host_is_one = std::ranges::all_of(parsed.host, [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != ',' && c != '%' && c != '@';
  });
  if (!host_is_one) refuse_server(location, "has a host that is none (one name or address)");
  if (host_end >= text.size()) return;
  const std::string_view port = text.substr(host_end + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), parsed.port);
  const bool is_port = text[host_end] == ':' && error == std::errc() &&
                       end == port.data() + port.size() && parsed.port > 0;
  if (!is_port) refuse_server(location, "has no port that is a number from 1 to 65535");
}

// Cut at a character that stands for itself where it is written as %XX.
std::vector<std::string> parts_between(std::string_view location, std::string_view text, char mark,
                                       const std::string& what) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(mark);
    parts.push_back(server_part(location, text.substr(0, end), what));
    if (parts.back().empty()) refuse_server(location, "has an empty name in its " + what);
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

void set_parameter(std::string_view location, const LocationParameter& parameter,
                   ServerLocation& parsed) {
  auto& [schema, table, columns, query] = parsed.selection;
  const auto refuse_second = [&](bool is_there) {
    if (is_there) refuse_server(location, "says " + std::string(parameter.name) + " twice");
  };
  if (parameter.name == "query") {
    refuse_second(!query.empty());
    query = parameter.is_plain ? std::string(parameter.value)
                               : server_part(location, parameter.value, "query");
    if (query.empty()) refuse_server(location, "says no query");
  } else if (parameter.name == "table") {
    refuse_second(!table.empty());
    auto names = parts_between(location, parameter.value, '.', "table");
    if (names.size() > 2)
      refuse_server(location,
                    "has a table that is neither a nor schema.a; a . in a name is written %2E");
    table = std::move(names.back());
    if (names.size() == 2) schema = std::move(names.front());
  } else if (parameter.name == "column") {
    refuse_second(!columns.empty());
    columns = parts_between(location, parameter.value, ',', "column");
  } else if (parameter.name == "password") {
    refuse_server(location, "has its password behind the ?; it belongs before the @");
  } else {
    const std::string name = server_part(location, parameter.name, "settings");
    if (name.empty()) refuse_server(location, "has a setting without a name");
    std::string value = server_part(location, parameter.value, name);
    if (!parsed.settings.emplace(name, std::move(value)).second) {
      refuse_server(location, "says " + printable(name) + " twice");
    }
  }
}

}  // namespace

bool is_server_location(std::string_view location) noexcept {
  return server_scheme(location) != nullptr;
}

ServerLocation parse_server_location(std::string_view location) {
  const Scheme* const scheme = server_scheme(location);
  if (scheme == nullptr) refuse_server(location, "is of no server that keys can be read from");
  if (location.find('\0') != std::string_view::npos) refuse_server(location, "holds a NUL byte");
  ServerLocation parsed{.scheme = std::string(scheme->second)};
  std::string_view rest = location.substr(scheme->first.size() + kBehindScheme.size());
  std::string_view parameters;
  if (const std::size_t mark = rest.find('?'); mark != std::string_view::npos) {
    parameters = rest.substr(mark + 1);
    rest = rest.substr(0, mark);
  }
  const std::size_t slash = rest.find('/');
  if (slash != std::string_view::npos) {
    parsed.database = server_part(location, rest.substr(slash + 1), "database");
    rest = rest.substr(0, slash);
  }
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    parse_user(location, rest.substr(0, at), parsed);
    rest.remove_prefix(at + 1);
  }
  parse_address(location, rest, parsed);
  while (!parameters.empty()) {
    set_parameter(location, take_parameter(parameters), parsed);
  }
  const auto& [schema, table, columns, query] = parsed.selection;
  const bool by_column = !table.empty() && !columns.empty() && query.empty();
  const bool by_query = table.empty() && columns.empty() && !query.empty();
  if (!by_column && !by_query) {
    refuse_server(location, "must say a table and a column, or a query");
  }
  return parsed;
}

std::string ServerLocation::name() const {
  const bool has_colon = host.find(':') != std::string::npos;
  std::string text = scheme + "://" + user + (user.empty() ? "" : "@");
  text += has_colon ? "[" + host + "]" : host;
  if (port != 0) text += ":" + std::to_string(port);
  text += "/" + database;
  if (!selection.query.empty()) return text;
  text += "?table=" + (selection.schema.empty() ? "" : selection.schema + ".") + selection.table;
  char before = '=';
  text += "&column";
  for (const std::string& column : selection.columns) {
    text += before + column;
    before = ',';
  }
  return text;
}

std::string source_name(std::string_view location) {
  if (!is_server_location(location)) return std::string(location);
  return parse_server_location(location).name();
}

}  // namespace bloomery
