// SPDX-License-Identifier: Apache-2.0
// copy_lag LOCATION [COPIES] [SECONDS] [KEYS] [EVERY_MS]: COPIES copies of the filter at LOCATION
// (bloom: or bitmap:, which this program fills) while a follower brings KEYS keys each EVERY_MS
// milliseconds. Prints how long a step takes to all copies, and how busy the server was. Then it
// breaks the chains of all copies at once (DUMP, RESTORE), and prints how long until all are in
// step again, the server's busiest second, its memory, and how long another client waited for PING.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bloomery/open/open_place.h"
#include "bloomery/open/place_location.h"
#include "bloomery/place/local_copy.h"
#include "bloomery/place/place_in_front.h"
#include "bloomery/redis/client/client.h"

namespace bloomery {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr Identity kSource{21, 22};

double milliseconds_of(Clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

// A place that is not asked for what the copy lacks.
class Unasked final : public PlaceInFront {
 public:
  using PlaceInFront::PlaceInFront;
  void ask(std::span<const Key>, std::span<Presence>, Proofs&, const CallContext&) override {}
  Presence ask_one(Key, Proofs&, const CallContext&) override { return Presence::unknown; }
};

struct OneCopy {
  explicit OneCopy(const PlaceLocation& location)
      : place(open_place(location)),
        unasked(*place),
        copy(unasked, {.deltas = open_deltas(location)}) {}

  bool has(std::uint64_t position) {
    const Fence fence{{kSource, position}};
    return copy.presence_of("no such key", {.fence = &fence}) != Presence::unknown;
  }

  std::unique_ptr<FilterPlace> place;
  Unasked unasked;
  LocalCopy copy;
};

class Server {
 public:
  explicit Server(const std::string& location) : client_(redis::parse_location(location)) {}

  redis::Reply ask(const std::vector<std::string_view>& words) {
    auto answer = client_.run(redis::Request().add(words), redis::Repeat::never);
    return redis::require_done(answer.replies.at(0), client_.location());
  }
  double number(const char* section, const std::string& name) {
    const std::string all = ask({"INFO", section}).text;
    const auto found = all.find("\n" + name + ":");
    return found == std::string::npos ? 0 : std::atof(all.c_str() + found + name.size() + 2);
  }
  double processor_seconds() {
    return number("cpu", "used_cpu_sys") + number("cpu", "used_cpu_user");
  }
  const std::string& key() const { return client_.location().key; }

 private:
  redis::Client client_;
};

class Scene {
 public:
  Scene(const std::string& text, std::size_t count)
      : location_(parse_place_location(text)), server_(location_.server) {
    follower_ = open_place(location_, {.access = PlaceOptions::read_write});
    step(1);
    for (std::size_t i = 0; i < count; ++i) {
      copies_.push_back(std::make_unique<OneCopy>(location_));
    }
    wait_for_all();
  }

  void measure_lag(std::chrono::seconds length, std::uint64_t keys, milliseconds every) {
    std::vector<double> lags;
    const double used = server_.processor_seconds();
    const std::uint64_t whole = whole_reads();
    const auto begin = Clock::now();
    for (auto next = begin; Clock::now() < begin + length; next += every) {
      std::this_thread::sleep_until(next);
      const auto sent = Clock::now();
      step(keys);
      pending_.push_back({position_, sent});
      look(lags);
      while (Clock::now() + milliseconds(1) < next + every) {
        std::this_thread::sleep_for(milliseconds(1));
        look(lags);
      }
    }
    const double seconds = milliseconds_of(Clock::now() - begin) / 1000;
    const double busy = (server_.processor_seconds() - used) / seconds;
    while (!pending_.empty()) look(lags);
    std::ranges::sort(lags);
    const auto at = [&](double part) {
      return lags[static_cast<std::size_t>(part * static_cast<double>(lags.size() - 1))];
    };
    std::printf(
        "%zu copies, %zu steps of %llu keys: lag to all copies p50 %.1f ms, p99 %.1f ms, most %.1f "
        "ms; the server was busy for %.1f %% of a core; %llu whole reads\n",
        copies_.size(), lags.size(), static_cast<unsigned long long>(keys), at(0.5), at(0.99),
        at(1), 100 * busy, static_cast<unsigned long long>(whole_reads() - whole));
  }

  void break_all_chains() {
    std::atomic<bool> is_over = false;
    double longest_ping = 0;
    double busiest = 0;
    double memory = 0;
    const double memory_before = server_.number("memory", "used_memory");
    std::thread watcher([&] {
      Server server(location_.server);
      std::vector<std::pair<Clock::time_point, double>> used;
      while (!is_over) {
        const auto sent = Clock::now();
        server.ask({"PING"});
        longest_ping = std::max(longest_ping, milliseconds_of(Clock::now() - sent));
        used.emplace_back(Clock::now(), server.processor_seconds());
        const auto first = std::ranges::find_if(used, [&](const auto& each) {
          return used.back().first - each.first <= std::chrono::seconds(1);
        });
        busiest = std::max(busiest, used.back().second - first->second);
        memory = std::max(memory, server.number("memory", "used_memory") - memory_before);
        std::this_thread::sleep_for(milliseconds(5));
      }
    });
    const std::uint64_t before = whole_reads();
    const std::string dump = server_.ask({"DUMP", server_.key()}).text;
    server_.ask({"RESTORE", server_.key(), "0", dump, "REPLACE"});
    const auto begin = Clock::now();
    follower_ = open_place(location_, {.access = PlaceOptions::read_write});
    step(100);
    wait_for_all();
    const double took = milliseconds_of(Clock::now() - begin);
    is_over = true;
    watcher.join();
    std::printf(
        "chains broken: all in step after %.0f ms, %llu whole reads; the server's busiest second "
        "%.0f %%, memory +%.1f MiB, the longest PING %.1f ms\n",
        took, static_cast<unsigned long long>(whole_reads() - before), 100 * busiest,
        memory / 1048576, longest_ping);
  }

 private:
  struct Pending {
    std::uint64_t position;
    Clock::time_point sent;
  };

  void step(std::uint64_t count) {
    std::vector<std::string> texts;
    for (std::uint64_t i = 0; i < count; ++i) {
      texts.push_back(std::to_string(++position_ * 1000003) + ":" + std::to_string(i));
    }
    const std::vector<Key> keys(texts.begin(), texts.end());
    PlaceHead head = follower_->head();
    if (!follower_->followed()->insert_and_advance(keys, head, {kSource, position_})) {
      throw std::runtime_error("somebody else steps too");
    }
  }
  bool all_have(std::uint64_t position) {
    while (next_ < copies_.size() && copies_[next_]->has(position)) ++next_;
    if (next_ < copies_.size()) return false;
    next_ = 0;
    return true;
  }
  void look(std::vector<double>& lags) {
    while (!pending_.empty() && all_have(pending_.front().position)) {
      lags.push_back(milliseconds_of(Clock::now() - pending_.front().sent));
      pending_.erase(pending_.begin());
    }
  }
  void wait_for_all() {
    while (!all_have(position_)) std::this_thread::sleep_for(milliseconds(1));
  }
  std::uint64_t whole_reads() const {
    std::uint64_t sum = 0;
    for (const auto& each : copies_) sum += each->copy.copies();
    return sum;
  }

  const PlaceLocation location_;
  Server server_;
  std::unique_ptr<FilterPlace> follower_;
  std::uint64_t position_ = 0;
  std::vector<std::unique_ptr<OneCopy>> copies_;
  std::size_t next_ = 0;  // of the copies that have not been seen to have the first pending step
  std::vector<Pending> pending_;
};

int run(const std::vector<std::string>& words) {
  const auto number = [&](std::size_t at, int usual) {
    return words.size() > at ? std::atoi(words[at].c_str()) : usual;
  };
  Scene scene(words.at(1), static_cast<std::size_t>(number(2, 100)));
  scene.measure_lag(std::chrono::seconds(number(3, 10)), static_cast<std::uint64_t>(number(4, 100)),
                    milliseconds(number(5, 10)));
  scene.break_all_chains();
  return 0;
}

}  // namespace
}  // namespace bloomery

int main(int count, char** words) {
  try {
    return bloomery::run({words, words + count});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "copy_lag: %s\n", error.what());
    return 2;
  }
}
