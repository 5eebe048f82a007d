// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace bloomery::module_bench {

// A server with one module, on a free port of the loopback, in a folder of its own. Both are gone
// with this. The server is REDIS_SERVER, or else redis-server.
class ServerProcess {
 public:
  // Throws std::runtime_error, with the server's log, where it does not start.
  explicit ServerProcess(const std::string& module);
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  ~ServerProcess();

  std::uint16_t port() const noexcept { return port_; }
  // Returns the processor time of all its threads since it began.
  double cpu_seconds() const;

 private:
  void start(const std::string& module);
  std::string log() const;
  void end() noexcept;

  std::string folder_;
  std::uint16_t port_ = 0;
  pid_t child_ = -1;
};

}  // namespace bloomery::module_bench
