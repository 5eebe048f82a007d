// Whether a row is ever denied that is there: processes that write and ask at once, a follower in a
// process of its own, and what happens to both. BLOOMERY_LONG=1 lets each scene take a minute.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
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
#include "tests/follow/proven_database.h"
#include "tests/source/temporary_folder.h"
#include "tests/support/redis_server.h"

namespace bloomery {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

bool is_long() {
  const char* const set = std::getenv("BLOOMERY_LONG");
  return set != nullptr && *set != '\0';
}

milliseconds scene_time(int short_ms) {
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

class FollowProof : public ::testing::TestWithParam<std::string> {
 protected:
  static PlaceLocation bitmap(const testing::RedisServer& server) {
    return parse_place_location("bitmap:redis+unix://" + server.socket() + "#users");
  }
  PlaceLocation bitmap() const { return bitmap(server_); }
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

  // What somebody is told; an error is no answer.
  struct Reader {
    explicit Reader(const FollowProof& proof)
        : place(open_place(proof.bitmap())),
          fence(open_fence(proof.database_->location(), options())) {}

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

  // Commits a row, and asks for it at once.
  std::function<Tally()> writer(int who, milliseconds time, bool is_fenced) const {
    return [=, this] {
      std::unique_ptr<testing::ProvenSession> session;
      const Reader reader(*this);
      Tally tally;
      const auto until = Clock::now() + time;
      for (int i = 0; Clock::now() < until; ++i) {
        const std::string key =
            std::to_string(who) + " " + std::to_string(getpid()) + " " + std::to_string(i);
        try {
          if (!session) session = database_->connect();
          session->run("INSERT INTO users(id) VALUES ('" + key + "')");
          ++tally.asked;
          const Presence own = reader.ask(key, is_fenced);
          // Somebody may have deleted it.
          if (own == Presence::absent && session->has(key)) ++tally.false_absent;
          if (own == Presence::unknown) ++tally.unknown;
        } catch (const std::runtime_error&) {  // the database is away
          session.reset();
          std::this_thread::sleep_for(milliseconds(5));
          continue;
        }
        // Who waits a little for the watermark is told.
        ++tally.others;
        const auto patience = Clock::now() + milliseconds(300);
        Presence other = Presence::unknown;
        while (other == Presence::unknown && Clock::now() < patience) {
          other = reader.ask("no " + key, is_fenced);
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

  Tally run_writers(milliseconds time, bool is_fenced, const std::function<void()>& meanwhile) {
    std::vector<std::unique_ptr<Child>> writers;
    for (int who = 0; who < 3; ++who) {
      writers.push_back(std::make_unique<Child>(writer(who, time, is_fenced)));
    }
    const auto until = Clock::now() + time;
    while (meanwhile && Clock::now() < until) meanwhile();
    Tally all;
    for (const auto& each : writers) all.add(each->finish());
    printf("%s: asked %ju, false absent %ju, unknown %ju; others %ju, absent %ju\n",
           GetParam().c_str(), std::uintmax_t{all.asked}, std::uintmax_t{all.false_absent},
           std::uintmax_t{all.unknown}, std::uintmax_t{all.others},
           std::uintmax_t{all.others_absent});
    return all;
  }

  // How fast rows that come at once are committed, and carried.
  void measure_bulk_load() {
    constexpr int kRows = 300'000;
    const auto session = database_->connect();
    const auto fence = open_fence(database_->location(), options());
    const auto began = Clock::now();
    session->run(database_->bulk(kRows));
    const auto committed = Clock::now();
    const Watermark last = fence->ask();
    while (true) {
      const auto reached = open_place(bitmap())->head().watermark;
      if (reached && reached->reaches(last)) break;
      ASSERT_LT(Clock::now(), committed + std::chrono::minutes(2)) << "is never carried";
      std::this_thread::sleep_for(milliseconds(10));
    }
    const auto rate = [&](Clock::time_point end) {
      return kRows / std::chrono::duration<double>(end - began).count();
    };
    printf("%s: %d rows at once: %.0f committed a second, %.0f carried\n", GetParam().c_str(),
           kRows, rate(committed), rate(Clock::now()));
    const auto place = open_place(bitmap());
    const Fence behind{last};
    for (int i = 1; i <= kRows; i += 997) {
      ASSERT_EQ(place->presence_of(Key("bulk " + std::to_string(i)), {.fence = &behind}),
                Presence::maybe);
    }
  }

  // One trouble after the other, of the filter's server, of the follower and of the database.
  void make_trouble(std::unique_ptr<Child>& following, int turn) {
    const auto troubles = database_->troubles();
    const int count = 7 + static_cast<int>(troubles.size());
    switch (turn % count) {
      case 0:
        following->kill_now();
        following = std::make_unique<Child>(follower(kRebuildEvery));
        return;
      case 1:
        server_.ask("COPY saved users REPLACE");
        return;
      case 2:
        server_.ask("COPY users saved REPLACE");
        return;
      case 3:
        server_.ask("DEL users");
        return;
      case 4:
        server_.ask("CONFIG SET maxmemory 1");
        std::this_thread::sleep_for(milliseconds(20));
        server_.ask("CONFIG SET maxmemory 0");
        return;
      case 5:
        server_.ask("FLUSHALL");
        return;
      case 6:
        database_->restart();
        return;
      default:
        break;
    }
    const std::string& sql = troubles[static_cast<std::size_t>(turn % count - 7)];
    try {
      database_->connect()->run(sql);
    } catch (const std::runtime_error& error) {
      ADD_FAILURE() << error.what();
    }
  }

  static constexpr milliseconds kRebuildEvery{400};

  TemporaryFolder folder_{};
  testing::RedisServer server_{folder_.path("")};
  std::unique_ptr<testing::ProvenDatabase> database_ = testing::make_proven(GetParam());
};

TEST_P(FollowProof, NoRowIsDeniedThatWasCommitted) {
  auto following = std::make_unique<Child>(follower(std::chrono::hours(1)));
  wait_until_followed();
  if (is_long()) measure_bulk_load();
  const Tally calm = run_writers(scene_time(200), true, {});
  EXPECT_GT(calm.asked, 5U);
  EXPECT_EQ(calm.false_absent, 0U);
  // But for one, who had no luck.
  EXPECT_GE(static_cast<double>(calm.others_absent + 1), 0.99 * static_cast<double>(calm.others));

  server_.ask("COPY users saved");
  following->kill_now();
  // Nobody follows: what was just committed is not in, and without a fence it is denied.
  const Tally control = run_writers(milliseconds(50), false, {});
  EXPECT_GT(control.false_absent, 0U) << "of " << control.asked;

  following = std::make_unique<Child>(follower(kRebuildEvery));
  const milliseconds pause = std::min(milliseconds(700), scene_time(1000) / 10);
  int turn = 0;
  const Tally all = run_writers(scene_time(1000), true, [&] {
    std::this_thread::sleep_for(pause);
    make_trouble(following, turn++);
  });
  EXPECT_GT(turn, 2);
  EXPECT_GT(all.asked, 5U);
  EXPECT_EQ(all.false_absent, 0U);
}

INSTANTIATE_TEST_SUITE_P(Databases, FollowProof,
                         ::testing::Values("sqlite_wal", "sqlite_delete", "postgres", "mariadb"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace bloomery
