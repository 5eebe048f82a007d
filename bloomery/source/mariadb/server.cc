// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/server.h"

#include <charconv>
#include <stdexcept>
#include <string_view>

#include "bloomery/text/printable.h"

namespace bloomery::mariadb {
namespace {

constexpr std::uint32_t kMostMilliseconds = 86'400'000;

[[noreturn]] void refuse_setting(const std::string& server, std::string_view name,
                                 const std::string& why) {
  throw std::invalid_argument(server + ": the setting " + printable(name) + " " + why +
                              "; allowed: socket=PATH, timeout=MS, tls=verify|trust, ca=FILE, "
                              "cert=FILE, key=FILE, options=FILE");
}

std::chrono::milliseconds parse_timeout(const std::string& server, std::string_view text) {
  std::uint32_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count == 0 ||
      count > kMostMilliseconds) {
    refuse_setting(server, "timeout",
                   "must be milliseconds from 1 to " + std::to_string(kMostMilliseconds));
  }
  return std::chrono::milliseconds(count);
}

Server::Tls parse_tls(const std::string& server, std::string_view word) {
  if (word == "verify") return Server::Tls::verify;
  if (word == "trust") return Server::Tls::trust;
  refuse_setting(server, "tls", "is neither verify nor trust");
}

}  // namespace

Server::Server(const ServerLocation& location)
    : name(location.name()),
      user(location.user),
      password(location.password),
      host(location.host),
      port(location.port),
      database(location.database) {
  bool says_tls = false;
  for (const auto& [setting, value] : location.settings) {
    if (value.empty()) refuse_setting(name, setting, "has no value");
    if (setting == "socket") {
      socket = value;
    } else if (setting == "timeout") {
      timeout = parse_timeout(name, value);
    } else if (setting == "tls") {
      tls = parse_tls(name, value);
      says_tls = true;
    } else if (setting == "ca") {
      ca = value;
    } else if (setting == "cert") {
      certificate = value;
    } else if (setting == "key") {
      key = value;
    } else if (setting == "options") {
      option_file = value;
    } else {
      refuse_setting(name, setting, "means nothing");
    }
  }
  const bool names_files = !ca.empty() || !certificate.empty() || !key.empty();
  if (names_files && !says_tls) tls = Tls::verify;
  if (certificate.empty() != key.empty()) {
    refuse_setting(name, certificate.empty() ? "key" : "cert", "wants the other of cert and key");
  }
  if (!socket.empty() && (!host.empty() || port != 0)) {
    refuse_setting(name, "socket", "stands beside a host; a server has one address");
  }
  const bool is_remote = !host.empty() && host != "localhost";
  if (is_remote) return;
  if (tls != Tls::off && !socket.empty()) refuse_setting(name, "tls", "is not for a socket");
}

}  // namespace bloomery::mariadb
