// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/addresses.h"

#include <netdb.h>
#include <sys/un.h>

#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "bloomery/redis/client/server_errors.h"

namespace bloomery::redis {
namespace {

// The reply of getaddrinfo(): its error code, 0 for none, and the addresses.
struct Lookup {
  int error = 0;
  std::vector<Address> addresses{};
};

Lookup look_up(const std::string& host, const std::string& port, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  Lookup result{.error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found)};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, freeaddrinfo);
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    Address& address = result.addresses.emplace_back();
    if (each->ai_addrlen > sizeof address.bytes) {
      result.addresses.pop_back();
      continue;
    }
    std::memcpy(&address.bytes, each->ai_addr, each->ai_addrlen);
    address.size = each->ai_addrlen;
  }
  return result;
}

// A thread of its own asks for the name, as that cannot be bounded in time; who has waited enough
// leaves it behind, with what it still needs.
struct Waiting {
  std::mutex mutex{};
  std::condition_variable_any came{};
  bool done = false;
  Lookup result{};
};

Lookup look_up_name(const std::string& host, const std::string& port, Deadline& deadline) {
  const auto waiting = std::make_shared<Waiting>();
  std::thread([waiting, host, port] {
    Lookup result = look_up(host, port, AI_ADDRCONFIG);
    const std::lock_guard lock(waiting->mutex);
    waiting->result = std::move(result);
    waiting->done = true;
    waiting->came.notify_one();
  }).detach();
  std::unique_lock lock(waiting->mutex);
  if (!waiting->came.wait_until(lock, deadline.stop(), deadline.at(),
                                [&] { return waiting->done; })) {
    deadline.give_up("looking up the name of the host");
  }
  return std::move(waiting->result);
}

Address of_socket(const Location& location) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (location.socket.size() >= sizeof name.sun_path) {
    throw ConnectionError(location.server() + ": the path is longer than the " +
                          std::to_string(sizeof name.sun_path - 1) + " bytes that sockets have");
  }
  location.socket.copy(name.sun_path, location.socket.size());
  Address address{.size = sizeof name};
  std::memcpy(&address.bytes, &name, sizeof name);
  return address;
}

}  // namespace

std::vector<Address> addresses_of(const Location& location, Deadline& deadline) {
  if (!location.socket.empty()) return {of_socket(location)};
  const std::string port = std::to_string(location.port);
  Lookup result = look_up(location.host, port, AI_NUMERICHOST);
  if (result.error != 0) result = look_up_name(location.host, port, deadline);
  if (result.error != 0 || result.addresses.empty()) {
    throw ConnectionError(location.server() + ": no such host: " +
                          (result.error != 0 ? gai_strerror(result.error) : "it has no address"));
  }
  return std::move(result.addresses);
}

}  // namespace bloomery::redis
