// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/location.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>

#include "bloomery/redis/client/numbers.h"
#include "bloomery/text/percent.h"

namespace bloomery::redis {
namespace {

using namespace std::string_view_literals;

constexpr std::uint16_t kSentinelPort = 26379;
constexpr std::array kSockets{"redis+unix://"sv, "unix://"sv};

struct Scheme {
  std::string_view text;
  Way way;
  bool has_tls;
};
constexpr std::array kNetworks{
    Scheme{"redis://", Way::server, false},
    Scheme{"rediss://", Way::server, true},
    Scheme{"redis+cluster://", Way::cluster, false},
    Scheme{"rediss+cluster://", Way::cluster, true},
    Scheme{"redis+sentinel://", Way::sentinel, false},
    Scheme{"rediss+sentinel://", Way::sentinel, true},
};

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument(
      "the location of the server " + why +
      "; allowed: redis://[[user]:password@]host[:port][/database][?name=value&...]#key, "
      "rediss://..., redis+unix:///path[?db=N]#key, redis+cluster://host[:port],...#key, "
      "redis+sentinel://host[:port],.../primary[/database]#key");
}

// Returns whether other clients take a secret by this name, in any case of letters. As a setting it
// would mean nothing: the message says where the secret belongs.
bool names_a_secret(std::string_view name) {
  constexpr std::array kNames{"password", "passwd",      "pass",   "pwd",
                              "auth",     "requirepass", "token",  "secret",
                              "apikey",   "credentials", "api_key"};
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::find(kNames, lower) != kNames.end() || lower.ends_with("_password");
}

// Settings behind the key, where other URLs have them, would be a part of its name.
void require_key_alone(std::string_view key) {
  std::string_view rest = key.substr(std::min(key.find('?'), key.size()));
  rest.remove_prefix(std::min<std::size_t>(1, rest.size()));
  const std::size_t end = rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz_");
  if (end == 0 || end == std::string_view::npos || rest[end] != '=') return;
  refuse("has " + std::string(rest.substr(0, end)) +
         "= behind its #key, where settings stand before the #; a ? of a key is written %3F");
}

// Writes a key as parse_location() reads it: with %XX for %, for ?, and for control characters.
std::string key_text(std::string_view key) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : key) {
    const auto value = static_cast<unsigned char>(byte);
    if (value >= 0x20 && value != 0x7f && byte != '%' && byte != '?') {
      text += byte;
    } else {
      text.append({'%', kDigits[value >> 4], kDigits[value & 15]});
    }
  }
  return text;
}

// No part has a NUL, before which a C function would stop.
std::string decode(std::string_view part, const char* what) {
  std::string bytes;
  try {
    bytes = percent_decode(part);
  } catch (const std::invalid_argument&) {
    refuse(std::string("has a % without two hexadecimal digits in its ") + what);
  }
  if (bytes.find('\0') != std::string::npos) refuse(std::string("has a NUL in its ") + what);
  return bytes;
}

template <class Number>
Number number(std::string_view text, const char* what, Number least,
              Number most = std::numeric_limits<Number>::max()) {
  Number value = 0;
  if (!read_number(text, value) || value < least || value > most) {
    refuse(std::string("has no ") + what + " that is a number from " + std::to_string(least) +
           " to " + std::to_string(most));
  }
  return value;
}

bool flag(std::string_view text, const char* what) {
  if (text != "0" && text != "1") refuse(std::string("has a ") + what + " that is neither 0 nor 1");
  return text == "1";
}

// Takes from `text` all before the first `mark`, and the mark itself, and returns it without the
// mark. If there is no mark, all of `text` is taken.
std::string_view take_until(std::string_view& text, char mark) {
  const std::string_view part = text.substr(0, text.find(mark));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

void parse_credentials(std::string_view text, Location& location) {
  const std::size_t colon = text.find(':');
  location.user = decode(text.substr(0, colon), "user");
  if (colon != std::string_view::npos) {
    location.password = decode(text.substr(colon + 1), "password");
  }
}

HostPort parse_host(std::string_view text, std::uint16_t default_port) {
  HostPort result{.port = default_port};
  std::string_view port;
  bool has_port = false;
  if (text.starts_with('[')) {  // an address with colons
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) refuse("has a [ without its ]");
    result.host = text.substr(1, close - 1);
    port = text.substr(close + 1);
    has_port = !port.empty();
    if (has_port && !port.starts_with(':')) refuse("has something between ] and the port");
    port.remove_prefix(has_port ? 1 : 0);
  } else {
    const std::size_t colon = text.find(':');
    result.host = text.substr(0, colon);
    has_port = colon != std::string_view::npos;
    if (has_port) port = text.substr(colon + 1);
  }
  if (has_port) result.port = number<std::uint16_t>(port, "port", 1);
  if (result.host.empty()) refuse("names no host");
  for (const char c : result.host) {
    if (static_cast<unsigned char>(c) <= ' ' || c == ',')
      refuse("has a blank or comma in its host");
  }
  return result;
}

void parse_hosts(std::string_view text, Location& location) {
  const std::uint16_t port = location.way == Way::sentinel ? kSentinelPort : location.port;
  const HostPort first =
      parse_host(location.way == Way::server ? text : take_until(text, ','), port);
  location.host = first.host;
  location.port = first.port;
  if (location.way == Way::server) return;
  while (!text.empty()) location.others.push_back(parse_host(take_until(text, ','), port));
}

// "N", "N,MS", "N,aof" or "N,MS,aof".
void set_wait(Location& location, std::string_view value) {
  if (location.awaits_replicas()) refuse("says its wait twice");
  constexpr std::string_view kFiles = ",aof";
  location.awaits_files = value.ends_with(kFiles);
  if (location.awaits_files) {
    value.remove_suffix(kFiles.size());
    location.replica_patience = std::chrono::milliseconds(3'000);
  }
  const std::string_view count = take_until(value, ',');
  location.replicas_to_await = number<std::uint32_t>(count, "number of replicas to wait for",
                                                     location.awaits_files ? 0 : 1, 100);
  if (value.empty()) return;
  location.replica_patience = std::chrono::milliseconds(
      number<std::uint32_t>(value, "time to wait for replicas in milliseconds", 1, 3'600'000));
}

// Sets a setting of the connection; returns false if there is none of that name.
bool set(Location& location, std::string_view name, const std::string& value) {
  const std::array texts{
      std::pair{"user"sv, &location.user},
      std::pair{"password_file"sv, &location.password_file},
      std::pair{"password_env"sv, &location.password_variable},
      std::pair{"client_name"sv, &location.client_name},
      std::pair{"sentinel_user"sv, &location.sentinel_user},
      std::pair{"sentinel_password_file"sv, &location.sentinel_password_file},
      std::pair{"sentinel_password_env"sv, &location.sentinel_password_variable},
      std::pair{"ca"sv, &location.tls.ca_file},
      std::pair{"cert"sv, &location.tls.certificate_file},
      std::pair{"cert_key"sv, &location.tls.key_file},
      std::pair{"server_name"sv, &location.tls.server_name},
  };
  for (const auto& [known, text] : texts) {
    if (name != known) continue;
    if (value.empty()) refuse("has an empty " + std::string(name));
    if (!text->empty()) refuse("says its " + std::string(name) + " twice");
    *text = value;
    return true;
  }
  if (name == "db") {
    location.database = number<std::uint32_t>(value, "db", 0);
  } else if (name == "timeout") {
    location.timeout = std::chrono::milliseconds(
        number<std::uint32_t>(value, "timeout in milliseconds", 1, 3'600'000));
  } else if (name == "connections") {
    location.connections = number<std::uint32_t>(value, "number of connections", 1, 10'000);
  } else if (name == "wait") {
    set_wait(location, value);
  } else if (name == "replica") {
    location.allow_replica = flag(value, "replica");
  } else if (name == "insecure_skip_verify") {
    location.tls.insecure_skip_verify = flag(value, "insecure_skip_verify");
  } else {
    return false;
  }
  return true;
}

void parse_settings(std::string_view text, Location& location) {
  while (!text.empty()) {
    const std::string_view pair = take_until(text, '&');
    const std::size_t equals = pair.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      refuse("has something else than name=value behind its ?");
    }
    const std::string name = decode(pair.substr(0, equals), "settings");
    const std::string value = decode(pair.substr(equals + 1), "settings");
    if (names_a_secret(name)) {
      refuse(
          "has a " + name +
          " behind its ?, which messages would print; the password belongs before the @, or into "
          "password_file=PATH or password_env=NAME");
    }
    if (!set(location, name, value) && !location.settings.emplace(name, value).second) {
      refuse("says " + name + " twice");
    }
  }
}

void check(const Location& location) {
  const int passwords = (location.password.empty() ? 0 : 1) +
                        (location.password_file.empty() ? 0 : 1) +
                        (location.password_variable.empty() ? 0 : 1);
  if (passwords > 1) refuse("says its password more than once");
  if (!location.user.empty() && passwords == 0) refuse("has a user without a password");
  const bool has_file = !location.sentinel_password_file.empty();
  const bool has_variable = !location.sentinel_password_variable.empty();
  if (has_file && has_variable) refuse("says the sentinels' password more than once");
  if (!location.sentinel_user.empty() && !has_file && !has_variable) {
    refuse("has a user for the sentinels without a password");
  }
  if (location.way != Way::sentinel && (has_file || has_variable)) {
    refuse("has settings for sentinels, and none");
  }
  if (location.way == Way::sentinel && location.primary.empty()) {
    refuse("does not say how the sentinels call the primary");
  }
  if (location.way == Way::cluster && location.database != 0) {
    refuse("has a database, of which a cluster has but one");
  }
  const TlsOptions& tls = location.tls;
  if (tls.certificate_file.empty() != tls.key_file.empty()) {
    refuse("has one of cert and cert_key without the other");
  }
  if (!tls.on && (tls.insecure_skip_verify || !tls.ca_file.empty() || !tls.server_name.empty() ||
                  !tls.certificate_file.empty())) {
    refuse("has settings of TLS, which only rediss:// and rediss+... speak");
  }
}

std::string_view without_any(std::string_view text, std::span<const std::string_view> prefixes) {
  for (const std::string_view each : prefixes) {
    if (text.starts_with(each)) return text.substr(each.size());
  }
  return text;
}

}  // namespace

std::vector<HostPort> Location::hosts() const {
  std::vector<HostPort> all{{host, port}};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

Location Location::of_server(HostPort at) const {
  Location one = *this;
  one.host = std::move(at.host);
  one.port = at.port;
  one.socket.clear();
  one.others.clear();
  one.primary.clear();
  one.must_be_primary = way == Way::sentinel || must_be_primary;
  one.way = Way::server;
  return one;
}

Location Location::of_sentinel(HostPort at) const {
  Location one = of_server(std::move(at));
  one.must_be_primary = false;
  one.database = 0;
  one.password.clear();
  one.user = sentinel_user;
  one.password_file = sentinel_password_file;
  one.password_variable = sentinel_password_variable;
  return one;
}

std::string Location::server() const {
  if (!socket.empty()) return std::string(kSockets[0]) + socket;
  const auto scheme = std::ranges::find_if(
      kNetworks, [&](const Scheme& each) { return each.way == way && each.has_tls == tls.on; });
  std::string all(scheme->text);
  for (const HostPort& each : hosts()) {
    const bool has_colons = each.host.find(':') != std::string::npos;
    if (!all.ends_with('/')) all += ',';
    all += (has_colons ? "[" + each.host + "]" : each.host) + ":" + std::to_string(each.port);
  }
  return way == Way::sentinel ? all + "/" + primary : all;
}

std::string Location::text() const {
  const std::string base = database == 0 ? "" : (socket.empty() ? "/" : "?db=");
  return server() + (database == 0 ? "" : base + std::to_string(database)) + "#" + key_text(key);
}

bool is_redis_location(std::string_view text) noexcept {
  const auto begins = [&](std::string_view prefix) { return text.starts_with(prefix); };
  return std::ranges::any_of(kSockets, begins) ||
         std::ranges::any_of(kNetworks, begins, &Scheme::text);
}

Location parse_location(std::string_view text, Location location) {
  const std::size_t hash = text.find('#');
  if (hash == std::string_view::npos || hash + 1 == text.size()) refuse("names no #key");
  require_key_alone(text.substr(hash + 1));
  // A key is any bytes.
  try {
    location.key = percent_decode(text.substr(hash + 1));
  } catch (const std::invalid_argument&) {
    refuse("has a % without two hexadecimal digits in its key");
  }
  text = text.substr(0, hash);
  const std::size_t mark = std::min(text.find('?'), text.size());
  std::string_view settings = text.substr(mark);
  settings.remove_prefix(std::min<std::size_t>(1, settings.size()));
  text = text.substr(0, mark);

  if (const std::string_view path = without_any(text, kSockets); path.size() != text.size()) {
    location.socket = decode(path, "path");
    if (!location.socket.starts_with('/')) refuse("names no socket by its whole path");
  } else {
    const auto scheme = std::ranges::find_if(
        kNetworks, [&](std::string_view each) { return text.starts_with(each); }, &Scheme::text);
    if (scheme == kNetworks.end()) {
      refuse(
          "begins with none of redis://, rediss://, redis+unix://, redis+cluster://, "
          "redis+sentinel://");
    }
    location.way = scheme->way;
    location.tls.on = scheme->has_tls;
    text.remove_prefix(scheme->text.size());
    if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
      parse_credentials(text.substr(0, at), location);
      text.remove_prefix(at + 1);
    }
    parse_hosts(take_until(text, '/'), location);
    if (location.way == Way::sentinel) {
      location.primary = decode(take_until(text, '/'), "primary's name");
    }
    if (!text.empty()) location.database = number<std::uint32_t>(text, "database", 0);
  }
  parse_settings(settings, location);
  check(location);
  return location;
}

}  // namespace bloomery::redis
