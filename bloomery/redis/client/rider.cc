// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/rider.h"

#include <algorithm>
#include <utility>

namespace bloomery::redis {
namespace {

thread_local Rider* waiting = nullptr;

bool is_same_tls(const TlsOptions& a, const TlsOptions& b) noexcept {
  return a.on == b.on && a.ca_file == b.ca_file && a.certificate_file == b.certificate_file &&
         a.key_file == b.key_file && a.server_name == b.server_name &&
         a.insecure_skip_verify == b.insecure_skip_verify;
}

bool is_same_host(const HostPort& a, const HostPort& b) noexcept {
  return a.host == b.host && a.port == b.port;
}

}  // namespace

bool is_same_server(const Location& a, const Location& b) noexcept {
  return a.way == b.way && a.way != Way::cluster && a.host == b.host && a.socket == b.socket &&
         a.port == b.port &&
         std::equal(a.others.begin(), a.others.end(), b.others.begin(), b.others.end(),
                    is_same_host) &&
         a.primary == b.primary && is_same_tls(a.tls, b.tls) && a.user == b.user &&
         a.password == b.password && a.password_file == b.password_file &&
         a.password_variable == b.password_variable && a.database == b.database &&
         !a.allow_replica && !b.allow_replica;
}

Rider::Rider(const Location& location, const Request& request, Judge judge)
    : location_(location),
      request_(request),
      judge_(std::move(judge)),
      before_(std::exchange(waiting, this)) {}

Rider::~Rider() {
  waiting = before_;
}

Rider* Rider::board(const Location& location) noexcept {
  Rider* const rider = waiting;
  if (rider == nullptr || rider->has_boarded_) return nullptr;
  if (!is_same_server(rider->location_, location)) return nullptr;
  rider->has_boarded_ = true;
  return rider;
}

}  // namespace bloomery::redis
