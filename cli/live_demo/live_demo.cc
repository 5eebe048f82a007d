// SPDX-License-Identifier: Apache-2.0
// ./run demo --postgres: a database that others write into, its filter in Redis, a follower between
// them, and what happens to all of it in half a minute.
#include "cli/live_demo/live_demo.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/open/open_place.h"
#include "bloomery/redis/client/client.h"
#include "bloomery/source/open_changes.h"
#include "bloomery/text/grouped.h"
#include "bloomery/text/human_bytes.h"
#include "bloomery/text/human_number.h"
#include "cli/demo/demo_report.h"
#include "cli/exit_status.h"
#include "cli/live_demo/live_database.h"
#include "cli/live_demo/live_report.h"
#include "cli/live_demo/live_traffic.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/stage.h"
#include "cli/terminal.h"
#include "cli/terminal_progress.h"

namespace bloomery::cli {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr const char* kLiveExamples =
    R"(Starts a database and a Redis in a temporary folder, on sockets that nobody else can reach, follows
a table as users do (bloomery follow), and lets writers, readers and a flood of ids that nobody has
loose. Meanwhile the filter is thrown away, the follower killed, and an old filter put back.

Examples:
  ./run demo --postgres
  ./run demo --mariadb --seconds 60)";

constexpr std::uint64_t kRowsAtOnce = 2'000;
constexpr milliseconds kTick{20};

struct LiveArguments {
  bool postgres = false;
  bool mariadb = false;
  bool mysql = false;
  double seconds = 30;
  std::optional<std::uint64_t> rows{};
  bool json = false;
};

class LiveDemo {
 public:
  LiveDemo(const LiveArguments& arguments, const EndingSignals& signals)
      : arguments_(arguments),
        signals_(signals),
        rows_(arguments.rows.value_or(200'000)),
        stage_(Account::other_than_root(arguments.postgres
                                            ? std::vector<std::string>{"postgres"}
                                            : std::vector<std::string>{"mysql", "nobody"})) {}

  int run() {
    start_database();
    start_redis();
    start_following();
    LiveResult result = let_loose();
    if (arguments_.json) output_.write(json_line(live_result_json(result)));
    say(live_result_text(result, terminal_));
    output_.flush();
    return result.fenced.false_absents == 0 ? kSome : kFault;
  }

 private:
  void say(const std::string& text) {
    if (arguments_.json) return;
    output_.write(text);
    output_.flush();
  }

  std::string filter() const { return "bitmap:redis+unix://" + redis_socket() + "#users"; }
  std::string redis_socket() const { return stage_.path("redis.sock"); }

  void start_database() {
    const auto began = SteadyClock::now();
    const auto start = arguments_.postgres  ? start_postgres
                       : arguments_.mariadb ? start_mariadb
                                            : start_mysql;
    database_ = start(stage_, signals_);
    const auto session = database_->connect();
    session->run("CREATE TABLE users(id BIGINT PRIMARY KEY, name VARCHAR(40) NOT NULL)");
    for (std::uint64_t row = 0; row < rows_; row += kRowsAtOnce) {
      std::string sql = "INSERT INTO users(id, name) VALUES ";
      for (std::uint64_t i = row; i < std::min(rows_, row + kRowsAtOnce); ++i) {
        const std::string id = std::to_string(user_id(i));
        sql += (i == row ? "(" : ",(") + id + ",'" + user_name(user_id(i)) + "')";
      }
      session->run(sql);
      pause(signals_, milliseconds(0));
    }
    say(titled("Database",
               database_->title() + " of its own, started in a temporary folder: " +
                   grouped(rows_) + " users, after " + since(began) + ".",
               terminal_));
  }

  void start_redis() {
    const char* const named = std::getenv("REDIS_SERVER");
    const std::string binary = named != nullptr && *named != '\0' ? named : "redis-server";
    redis_.emplace(
        stage_, "redis.log",
        std::vector<std::string>{binary, "--port", "0", "--unixsocket", redis_socket(), "--save",
                                 "", "--dir", stage_.path(""), "--daemonize", "no"});
    client_.emplace(redis::parse_location("redis+unix://" + redis_socket() + "#users"));
    redis_->wait_until(signals_, [this] {
      try {
        return call({"PING"}).is_status("PONG");
      } catch (const StoreError&) {
        return false;
      }
    });
  }

  redis::Reply call(std::initializer_list<std::string_view> words) {
    const auto answer =
        client_->run(redis::Request().add(words), redis::Repeat::never, CallContext{});
    return redis::require_done(answer.replies.at(0), client_->location());
  }

  void start_following() {
    const auto began = SteadyClock::now();
    follow();
    fence_ = open_fence(database_->location());
    wait_for(fence_->ask());
    const PlaceHead head = place_->head();
    say(titled("Filter",
               "in Redis, made by `bloomery follow` after " + since(began) + ": " +
                   human_bytes(static_cast<double>(head.parameters.geometry.bit_count) / 8) +
                   " for " + grouped(head.parameters.capacity) + " keys.",
               terminal_));
  }

  // The command as everybody has it, in a process of its own.
  void follow() {
    const auto own = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "bloomery";
    follower_.emplace(
        stage_, "follower.log",
        std::vector<std::string>{own.string(), "follow", database_->location(), filter(), "-p",
                                 "0.001", "--slot", "demo", "--every", "1"},
        ProcessOptions{.as_account = false});
  }

  // A follower that begins may make the table another source.
  bool reaches(Watermark& fence) {
    try {
      if (!place_) place_ = open_place(filter());
      const auto head = place_->head();
      if (!head.watermark) return false;
      if (head.watermark->source != fence.source) fence = fence_->ask();
      return head.watermark->reaches(fence);
    } catch (const std::runtime_error&) {
      place_.reset();  // there is none, or another than before
      return false;
    }
  }
  void wait_for(Watermark fence) {
    follower_->wait_until(signals_, [&] { return reaches(fence); });
  }

  LiveResult let_loose() {
    const LiveThreads threads;
    LiveTraffic fenced(*database_, filter(), true, rows_, threads);
    LiveTraffic trusting(*database_, filter(), false, rows_, threads);
    say(titled("Traffic",
               std::to_string(threads.writers) +
                   " writers who ask for each row right after its "
                   "COMMIT, " +
                   std::to_string(threads.readers) +
                   " readers of older rows, and a flood "
                   "of ids that nobody has, by " +
                   std::to_string(threads.flood) +
                   " threads; all of "
                   "it twice at the same time: behind a fence, and without.",
               terminal_) +
        "\n");
    began_ = SteadyClock::now();
    fenced.start();
    trusting.start();
    progress_ = arguments_.json ? std::nullopt : terminal_progress("asked", {});
    const auto count = [&] { return fenced.tally().flood + trusting.tally().flood; };

    note("all are let loose");
    wait_until(0.2, count);
    call({"DEL", "users"});
    recover("DEL: the filter is gone", "made again of all rows", count);
    const std::string dump = call({"DUMP", "users"}).text;
    wait_until(0.5, count);
    follower_->kill_now();
    follow();
    recover("kill -9 of the follower, and a new one", "going on where the filter was", count);
    wait_until(0.8, count);
    call({"RESTORE", "users", "0", dump, "REPLACE"});
    recover("RESTORE of the filter of a while ago", "has caught up", count);
    wait_until(1.0, count);
    fenced.stop();
    trusting.stop();
    note("over");
    follower_->end();
    return {.fenced = fenced.tally(), .trusting = trusting.tally()};
  }

  double second() const {
    return std::chrono::duration<double>(SteadyClock::now() - began_).count();
  }
  void note(const std::string& what) {
    if (progress_) progress_->clear();
    say(event_text(second(), what));
  }
  // Waits until this share of the time has passed.
  void wait_until(double share, const std::function<std::uint64_t()>& count) {
    while (second() < share * arguments_.seconds) {
      follower_->require_alive();
      pause(signals_, kTick);
      if (progress_) progress_->update(count());
    }
  }
  void recover(const std::string& event, const std::string& end,
               const std::function<std::uint64_t()>& count) {
    note(event);
    const auto from = SteadyClock::now();
    wait_for(fence_->ask());
    if (progress_) progress_->update(count());
    note("  " + end + ", after " + since(from));
  }

  static std::string since(SteadyClock::time_point began) {
    return format_duration(SteadyClock::now() - began);
  }

  const LiveArguments& arguments_;
  const EndingSignals& signals_;
  const std::uint64_t rows_;
  Output output_{};
  const Terminal terminal_ = Terminal::of_standard_output();
  std::optional<Progress> progress_{};
  SteadyClock::time_point began_{};

  Stage stage_;
  std::unique_ptr<LiveDatabase> database_{};
  std::optional<Process> redis_{};
  std::optional<redis::Client> client_{};
  std::unique_ptr<FenceSource> fence_{};
  std::unique_ptr<FilterPlace> place_{};
  std::optional<Process> follower_{};
};

int run_live_demo(const LiveArguments& arguments) {
  if (arguments.postgres + arguments.mariadb + arguments.mysql != 1) {
    throw std::invalid_argument("which database? --postgres or --mariadb, or --mysql");
  }
  std::signal(SIGPIPE, SIG_IGN);  // all is to be stopped then, too
  int signal = 0;
  {
    const EndingSignals signals;  // before any thread begins
    try {
      return LiveDemo(arguments, signals).run();
    } catch (const Interrupted& interrupted) {
      signal = interrupted.signal;
    }
  }
  die_of(signal);
}

}  // namespace

void add_live_demo(Command app, int& status) {
  const auto arguments = std::make_shared<LiveArguments>();
  const Command command =
      app.add_subcommand("demo", "Follow a database of a server, and see what that saves");
  command.add_flag("--postgres", arguments->postgres, "with PostgreSQL");
  command.add_flag("--mariadb", arguments->mariadb, "with MariaDB");
  command.add_flag("--mysql", arguments->mysql, "with MySQL, the mysqld that MYSQL_SERVER names");
  command.add_option("--seconds", arguments->seconds, "how long the traffic lasts")
      .range(1, 3600)
      .shows_default();
  add_count(command, "--rows", "users there are; 200K by default", arguments->rows);
  add_json(command, arguments->json);
  command.footer(kLiveExamples);
  command.callback([arguments, &status] { status = run_live_demo(*arguments); });
}

}  // namespace bloomery::cli
