// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/follow/followed_place.h"
#include "bloomery/follow/follower.h"
#include "bloomery/open/open_place.h"
#include "bloomery/source/open_changes.h"
#include "tests/follow/proven_database.h"
#include "tests/support/redis_server.h"

// Scenes that look whether a row is ever denied that is there: processes that write and ask at
// once, and a follower in a process of its own. BLOOMERY_LONG=1 lets each scene take a minute.
namespace bloomery {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

inline bool is_long() {
  const char* const set = std::getenv("BLOOMERY_LONG");
  return set != nullptr && *set != '\0';
}

inline milliseconds scene_time(int short_ms) {
  return milliseconds(is_long() ? 60'000 : short_ms);
}

struct Tally {
  std::uint64_t asked = 0;
  std::uint64_t false_absent = 0;
  std::uint64_t unknown = 0;
  std::uint64_t others = 0;         // keys that no row has
  std::uint64_t others_absent = 0;  // of which that was said

  void add(const Tally& more) {
    asked += more.asked;
    false_absent += more.false_absent;
    unknown += more.unknown;
    others += more.others;
    others_absent += more.others_absent;
  }
};

// A process that runs until it is killed, or has written its tally.
class Child {
 public:
  explicit Child(const std::function<Tally()>& run) {
    int ends[2];
    if (pipe(ends) != 0) return;
    id_ = fork();
    if (id_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      close(ends[0]);
      Tally tally;
      try {
        tally = run();
      } catch (const std::exception& error) {
        fprintf(stderr, "a process of the test: %s\n", error.what());
        _exit(1);
      }
      _exit(write(ends[1], &tally, sizeof tally) == sizeof tally ? 0 : 1);
    }
    close(ends[1]);
    end_ = ends[0];
  }
  ~Child() {
    kill_now();
    close(end_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void kill_now() {
    if (id_ <= 0) return;
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
    id_ = -1;
  }
  Tally finish() {
    Tally tally;
    EXPECT_EQ(read(end_, &tally, sizeof tally), static_cast<ssize_t>(sizeof tally));
    return tally;
  }

 private:
  pid_t id_ = -1;
  int end_ = -1;
};

// A scene of some database; where its filter is, it says.
class FollowScene : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr std::uint64_t kFewest = 5;

  void SetUp() override {
    if (database_ == nullptr) GTEST_SKIP() << testing::why_not_proven(GetParam());
    if (!testing::RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
  }

  virtual PlaceLocation bitmap() const = 0;
  static ChangeOptions options() {
    ChangeOptions options;
    options.slot = "proof";
    return options;
  }

  // Follows, and builds again so often.
  std::function<Tally()> follower(milliseconds rebuild_every) const {
    return [=, this]() -> Tally {
      FollowedPlace place(bitmap(), [](const FilterOptions& wanted) {
        return make_filter(FilterKind::blocked, wanted);
      });
      const auto source = open_change_source(database_->location(), options());
      Follower follower(*source, place,
                        {.filter = {.capacity = 1'000'000}, .longest_pause = milliseconds(50)});
      const std::jthread thread([&](std::stop_token stop) {
        while (!stop.stop_requested()) {
          std::this_thread::sleep_for(rebuild_every);
          follower.rebuild();
        }
      });
      follower.run({});
      return {};
    };
  }

  // Counts the answers that a reader gets; an error is no answer.
  struct Reader {
    explicit Reader(const FollowScene& scene)
        : place(open_place(scene.bitmap())),
          fence(open_fence(scene.database_->location(), options())) {}

    Presence ask(const std::string& key, bool is_fenced) const {
      try {
        if (!is_fenced) return place->presence_of(Key(key));
        const Fence behind{fence->ask()};
        return place->presence_of(Key(key), {.fence = &behind});
      } catch (const std::runtime_error&) {
        return Presence::unknown;
      }
    }

    std::unique_ptr<FilterPlace> place;
    std::unique_ptr<FenceSource> fence;
  };

  // Returns whether it is over: each asked a few times, and was told absent as often as wanted.
  bool is_over(Clock::time_point until, const Tally& tally) const {
    const bool has_seen_it = tally.asked >= kFewest && tally.others_absent >= fewest_absent_;
    return Clock::now() >= until + (has_seen_it ? milliseconds(0) : std::chrono::seconds(30));
  }
  // The i-th that a writer's process makes.
  static std::string key_of(int who, int i) {
    return std::to_string(who) + " " + std::to_string(getpid()) + " " + std::to_string(i);
  }

  // Commits a row, and asks for it at once.
  std::function<Tally()> writer(int who, milliseconds time, bool is_fenced) const {
    return [=, this] {
      std::unique_ptr<testing::ProvenSession> session;
      std::unique_ptr<Reader> reader;
      Tally tally;
      const auto until = Clock::now() + time;
      for (int i = 0; !is_over(until, tally); ++i) {
        const std::string key = key_of(who, i);
        try {
          if (!session) session = database_->connect();
          if (!reader) reader = std::make_unique<Reader>(*this);
          session->run("INSERT INTO users(id) VALUES ('" + key + "')");
          ++tally.asked;
          const Presence own = reader->ask(key, is_fenced);
          // Somebody may have deleted it.
          if (own == Presence::absent && session->has(key)) ++tally.false_absent;
          if (own == Presence::unknown) ++tally.unknown;
        } catch (const std::runtime_error&) {  // the database is away, or the filter's server
          session.reset();
          std::this_thread::sleep_for(milliseconds(5));
          continue;
        }
        // A reader that waits a little for the watermark gets an answer.
        ++tally.others;
        const auto patience = Clock::now() + std::chrono::seconds(1);
        Presence other = Presence::unknown;
        while (other == Presence::unknown && Clock::now() < patience) {
          other = reader->ask("no " + key, is_fenced);
        }
        if (other == Presence::absent) ++tally.others_absent;
      }
      return tally;
    };
  }

  void wait_until_followed() const {
    const auto until = Clock::now() + std::chrono::seconds(20);
    while (Clock::now() < until) {
      try {
        if (open_place(bitmap())->head().watermark) return;
      } catch (const StoreError&) {
      }
      std::this_thread::sleep_for(milliseconds(5));
    }
    FAIL() << "nobody begins to follow";
  }

  // Makes the work of a writer's process, by the process's number and for so long.
  using Writers = std::function<std::function<Tally()>(int who, milliseconds time)>;
  Writers writers(bool is_fenced) const {
    return [=, this](int who, milliseconds time) { return writer(who, time, is_fenced); };
  }

  Tally run_writers(milliseconds time, const Writers& made,
                    const std::function<void()>& meanwhile) {
    std::vector<std::unique_ptr<Child>> children;
    for (int who = 0; who < 3; ++who) children.push_back(std::make_unique<Child>(made(who, time)));
    const auto until = Clock::now() + time;
    for (int turn = 0; meanwhile && (turn < 3 || Clock::now() < until); ++turn) meanwhile();
    Tally all;
    for (const auto& each : children) all.add(each->finish());
    printf("%s: asked %ju, false absent %ju, unknown %ju; others %ju, absent %ju\n",
           GetParam().c_str(), std::uintmax_t{all.asked}, std::uintmax_t{all.false_absent},
           std::uintmax_t{all.unknown}, std::uintmax_t{all.others},
           std::uintmax_t{all.others_absent});
    return all;
  }

  std::uint64_t fewest_absent_ = 0;
  TemporaryFolder folder_{};
  std::unique_ptr<testing::ProvenDatabase> database_ = testing::make_proven(GetParam());
};

}  // namespace bloomery
