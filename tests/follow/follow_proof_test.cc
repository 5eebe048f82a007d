// Whether a row is ever denied that is there: processes that write and ask at once, a follower in a
// process of its own, and what happens to both. BLOOMERY_LONG=1 lets each scene take a minute.
#include <gtest/gtest.h>
#include <signal.h>
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
#include "bloomery/place/open_place.h"
#include "bloomery/source/open_changes.h"
#include "tests/source/sqlite_fixture.h"
#include "tests/support/redis_server.h"

namespace bloomery {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

milliseconds scene_time(int short_ms) {
  const char* const is_long = std::getenv("BLOOMERY_LONG");
  return milliseconds(is_long != nullptr && *is_long != '\0' ? 60'000 : short_ms);
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

class FollowProof : public SqliteTest {
 protected:
  void SetUp() override {
    if (!testing::RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    server_ = std::make_unique<testing::RedisServer>(folder_.path(""));
  }
  void make_table(const std::string& mode) {
    make("PRAGMA journal_mode = " + mode + "; CREATE TABLE users(id TEXT PRIMARY KEY)");
  }
  std::string location() const { return "sqlite:" + path_ + "?table=users&column=id"; }
  PlaceLocation bitmap() const {
    return parse_place_location("bitmap:redis+unix://" + server_->socket() + "#users");
  }

  // Follows, and builds again so often.
  std::function<Tally()> follower(milliseconds rebuild_every) const {
    return [=, this]() -> Tally {
      FollowedPlace place(bitmap(), [](const FilterOptions& options) {
        return make_filter(FilterKind::blocked, options);
      });
      const auto source = open_change_source(location());
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

  // Commits a row, and asks for it at once.
  std::function<Tally()> writer(int who, milliseconds time, bool is_fenced) const {
    return [=, this] {
      WritableDatabase database(path_);
      database.run("PRAGMA busy_timeout = 60000; PRAGMA synchronous = OFF");
      const auto place = open_place(bitmap());
      const auto fence = open_fence(location());
      Tally tally;
      const auto until = Clock::now() + time;
      for (int i = 0; Clock::now() < until; ++i) {
        const std::string key =
            std::to_string(who) + " " + std::to_string(getpid()) + " " + std::to_string(i);
        database.run("INSERT INTO users VALUES ('" + key + "')");
        const auto ask = [&](const std::string& asked) {
          try {
            const Fence behind{fence->ask()};
            return place->presence_of(Key(asked), {.fence = is_fenced ? &behind : nullptr});
          } catch (const std::runtime_error&) {  // an error is no answer
            return Presence::unknown;
          }
        };
        ++tally.asked;
        const Presence own = ask(key);
        if (own == Presence::absent) ++tally.false_absent;
        if (own == Presence::unknown) ++tally.unknown;
        // Who waits a little for the watermark is told.
        ++tally.others;
        const auto patience = Clock::now() + milliseconds(300);
        Presence other = Presence::unknown;
        while (other == Presence::unknown && Clock::now() < patience) other = ask("no " + key);
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

  Tally run_writers(milliseconds time, bool is_fenced, const std::function<void()>& meanwhile) {
    std::vector<std::unique_ptr<Child>> writers;
    for (int who = 0; who < 3; ++who) {
      writers.push_back(std::make_unique<Child>(writer(who, time, is_fenced)));
    }
    const auto until = Clock::now() + time;
    while (meanwhile && Clock::now() < until) meanwhile();
    Tally all;
    for (const auto& each : writers) all.add(each->finish());
    RecordProperty("asked", std::to_string(all.asked));
    RecordProperty("false_absent", std::to_string(all.false_absent));
    printf("asked %ju, false absent %ju, unknown %ju; others %ju, absent %ju\n",
           std::uintmax_t{all.asked}, std::uintmax_t{all.false_absent}, std::uintmax_t{all.unknown},
           std::uintmax_t{all.others}, std::uintmax_t{all.others_absent});
    return all;
  }

  std::unique_ptr<testing::RedisServer> server_;
};

TEST_F(FollowProof, NoRowIsDeniedThatWasCommitted) {
  for (const std::string mode : {"wal", "delete"}) {
    make("DROP TABLE IF EXISTS users");
    make_table(mode);
    server_->ask("FLUSHALL");
    const Child following(follower(std::chrono::hours(1)));
    wait_until_followed();
    const Tally all = run_writers(scene_time(500), true, {});
    EXPECT_GT(all.asked, 10U) << mode;
    EXPECT_EQ(all.false_absent, 0U) << mode;
    EXPECT_GE(static_cast<double>(all.others_absent), 0.99 * static_cast<double>(all.others))
        << mode;
  }
}

TEST_F(FollowProof, WithoutAFenceRowsAreDenied) {
  make_table("wal");
  const Child following(follower(std::chrono::hours(1)));
  wait_until_followed();
  const Tally all = run_writers(milliseconds(200), false, {});
  EXPECT_GT(all.false_absent, 0U) << "of " << all.asked;
}

TEST_F(FollowProof, NoRowIsDeniedWhateverHappensToFollowerAndServer) {
  make_table("wal");
  auto following = std::make_unique<Child>(follower(milliseconds(200)));
  wait_until_followed();
  server_->ask("COPY users saved");
  int turn = 0;
  const Tally all = run_writers(scene_time(1500), true, [&] {
    std::this_thread::sleep_for(milliseconds(150));
    switch (turn++ % 6) {
      case 0:
        following->kill_now();
        following = std::make_unique<Child>(follower(milliseconds(200)));
        break;
      case 1:
        server_->ask("COPY saved users REPLACE");
        break;
      case 2:
        server_->ask("COPY users saved REPLACE");
        break;
      case 3:
        server_->ask("DEL users");
        break;
      case 4:
        server_->ask("CONFIG SET maxmemory 1");
        std::this_thread::sleep_for(milliseconds(20));
        server_->ask("CONFIG SET maxmemory 0");
        break;
      default:
        break;
    }
  });
  EXPECT_GT(all.asked, 5U);
  EXPECT_EQ(all.false_absent, 0U);
  EXPECT_GT(all.others_absent, 0U);
}

}  // namespace
}  // namespace bloomery
