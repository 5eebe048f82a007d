// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/module/stalls.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "benchmarks/module/connection.h"
#include "benchmarks/module/requests.h"
#include "benchmarks/module/server_process.h"

namespace bloomery::module_bench {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// Pinger is another client, which pings as long as it lives.
class Pinger {
 public:
  explicit Pinger(std::uint16_t port) : client_(port), thread_([this] { run(); }) {}
  ~Pinger() { stop(); }
  Pinger(const Pinger&) = delete;
  Pinger& operator=(const Pinger&) = delete;

  double stop() {
    ends_ = true;
    if (thread_.joinable()) thread_.join();
    return longest_ms_;
  }

 private:
  void run() noexcept {
    try {
      while (!ends_) {
        const auto begin = Clock::now();
        client_.ask({"PING"});
        longest_ms_ = std::max(longest_ms_, ms_since(begin));
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
    } catch (const std::exception&) {  // the server is gone, which the other client will find too
    }
  }

  Connection client_;
  std::atomic<bool> ends_ = false;
  double longest_ms_ = 0;
  std::thread thread_;
};

void wait_for_save(Connection& client) {
  while (client.ask({"INFO", "persistence"}).find("rdb_bgsave_in_progress:0") ==
         std::string::npos) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

// All chunks of a filter, one after the other.
void dump(Connection& client) {
  for (std::string at = "0";;) {
    const std::string reply = client.ask({"BF.SCANDUMP", "large", at});
    const std::size_t number = reply.find(':') + 1;
    at = reply.substr(number, reply.find('\r', number) - number);
    if (at == "0") return;
  }
}

// A filter of so many bytes, whose every page was written to.
void make_large(Connection& client, const Settings& settings) {
  constexpr double kBitsPerKey = 9.585;
  const auto capacity =
      static_cast<std::uint64_t>(8 * static_cast<double>(settings.stalled_bytes()) / kBitsPerKey);
  client.ask({"BF.RESERVE", "large", "0.01", std::to_string(capacity), "NONSCALING"});
  const Shape adds{"BF.MADD", 1000, 4};
  const std::uint64_t items = settings.stalled_bytes() / 512;
  for (std::uint64_t first = 0; first < items; first += adds.items()) {
    const Exchange exchange =
        make_exchange(adds, "large", [&](std::uint64_t i) { return first + i; });
    client.exchange(exchange.requests, exchange.reply_bytes);
  }
}

}  // namespace

std::vector<Stall> measure_stalls(const std::string& module, const Settings& settings) {
  const ServerProcess server(module);
  Connection client(server.port());
  std::string missing;  // why there is no filter to measure
  try {
    make_large(client, settings);
  } catch (const std::runtime_error& error) {
    missing = error.what();
  }
  std::vector<Stall> stalls;
  const auto during = [&](const std::string& name, const std::function<void()>& act) {
    Stall stall{.name = name};
    Pinger other(server.port());
    std::this_thread::sleep_for(std::chrono::milliseconds(settings.smoke ? 1 : 200));
    const auto begin = Clock::now();
    try {
      if (!missing.empty()) throw std::runtime_error(missing);
      act();
    } catch (const std::runtime_error& error) {
      stall.refused = error.what();
      stall.refused.erase(std::min(stall.refused.size(), stall.refused.find('\r')));
    }
    stall.took_ms = ms_since(begin);
    std::this_thread::sleep_for(std::chrono::milliseconds(settings.smoke ? 1 : 200));
    stall.longest_ms = other.stop();
    stalls.push_back(stall);
  };
  during("nothing", [] { std::this_thread::sleep_for(std::chrono::milliseconds(100)); });
  during("BF.SCANDUMP, all chunks", [&] { dump(client); });
  during("BGSAVE", [&] {
    client.ask({"BGSAVE"});
    wait_for_save(client);
  });
  during("SAVE", [&] { client.ask({"SAVE"}); });
  during("COPY", [&] { client.ask({"COPY", "large", "copy"}); });
  during("UNLINK", [&] { client.ask({"UNLINK", "large"}); });
  if (missing.empty() && client.ask({"EXISTS", "copy"}) == ":0\r\n") make_large(client, settings);
  during("DEL", [&] { client.ask({"DEL", "large", "copy"}); });
  return stalls;
}

}  // namespace bloomery::module_bench
