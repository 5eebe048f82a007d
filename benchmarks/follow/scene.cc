// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/follow/scene.h"

#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <thread>
#include <vector>

#include "benchmarks/follow/process_use.h"
#include "bloomery/errors.h"
#include "bloomery/open/open_place.h"
#include "bloomery/source/open_changes.h"

namespace bloomery::follow_bench {
namespace {

using Clock = std::chrono::steady_clock;
using cli::Process;

constexpr int kSessions = 3;

double since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

std::string insert_one(std::uint64_t id) {
  const std::string text = std::to_string(id);
  return "INSERT INTO users(id, name) VALUES (" + text + ", 'name" + text + "')";
}

}  // namespace

Scene::Scene(Database database, const Settings& settings, const cli::EndingSignals& signals)
    : kind_(database),
      settings_(settings),
      signals_(signals),
      stage_(cli::Account::other_than_root(database == Database::postgres
                                               ? std::vector<std::string>{"postgres"}
                                               : std::vector<std::string>{"mysql", "nobody"})) {
  database_ =
      (database == Database::postgres ? cli::start_postgres : cli::start_mariadb)(stage_, signals_);
  start_redis();
}

void Scene::start_redis() {
  const char* const named = std::getenv("REDIS_SERVER");
  const std::string binary = named != nullptr && *named != '\0' ? named : "redis-server";
  const std::string socket = stage_.path("redis.sock");
  redis_.emplace(
      stage_, "redis.log",
      std::vector<std::string>{binary, "--port", "0", "--unixsocket", socket, "--save", "", "--dir",
                               stage_.path(""), "--daemonize", "no", "--loadmodule",
                               std::filesystem::absolute(settings_.module).string()},
      cli::ProcessOptions{.as_account = false});
  client_.emplace(redis::parse_location("redis+unix://" + socket + "#users"));
  redis_->wait_until(signals_, [this] {
    try {
      return call({"PING"}).is_status("PONG");
    } catch (const StoreError&) {
      return false;
    }
  });
}

redis::Reply Scene::call(std::initializer_list<std::string_view> words) {
  const auto answer =
      client_->run(redis::Request().add(words), redis::Repeat::never, CallContext{});
  return redis::require_done(answer.replies.at(0), client_->location());
}

void Scene::make_table() {
  const auto session = database_->connect();
  session->run("DROP TABLE IF EXISTS users");
  session->run("CREATE TABLE users(id BIGINT PRIMARY KEY, name VARCHAR(40) NOT NULL)");
  session->run(insert_one(0));
}

std::string Scene::location_of(Filter filter) const {
  const std::string server = "redis+unix://" + stage_.path("redis.sock") + "#users";
  if (filter == Filter::bitmap) return "bitmap:" + server;
  if (filter == Filter::bloom) return "bloom:" + server;
  return stage_.path("users.bloom");
}

std::uint64_t Scene::write(Load load) {
  if (load == Load::bulk) {
    const std::string count = std::to_string(settings_.bulk_rows);
    database_->connect()->run(
        kind_ == Database::postgres
            ? "INSERT INTO users SELECT n, 'name' || n FROM generate_series(1, " + count + ") n"
            : "INSERT INTO users SELECT seq, concat('name', seq) FROM seq_1_to_" + count);
    return settings_.bulk_rows;
  }
  std::vector<std::exception_ptr> errors(kSessions);
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t thread = 0; thread < kSessions; ++thread) {
      threads.emplace_back([&, thread] {
        try {
          const auto session = database_->connect();
          for (std::uint64_t id = 1 + thread; id <= settings_.single_rows; id += kSessions) {
            session->run(insert_one(id));
          }
        } catch (...) {
          errors[thread] = std::current_exception();
        }
      });
    }
  }
  for (const auto& each : errors) {
    if (each) std::rethrow_exception(each);
  }
  return settings_.single_rows;
}

// All that is committed now.
void Scene::wait_for(Process& follower, const std::string& filter) {
  const auto fence = open_fence(database_->location());
  Watermark wanted = fence->ask();
  std::unique_ptr<FilterPlace> place;
  follower.wait_until(signals_, [&] {
    try {
      if (!place || std::filesystem::exists(filter)) place = open_place(filter);
      const PlaceHead head = place->head();
      // bloom: that was opened before its filter came learns of no watermark.
      if (!head.watermark) {
        place.reset();
        return false;
      }
      // A follower that begins may make the table another source.
      if (head.watermark->source != wanted.source) wanted = fence->ask();
      return head.watermark->reaches(wanted);
    } catch (const std::runtime_error&) {
      place.reset();  // there is none yet
      return false;
    }
  });
}

Figure Scene::run(Load load, Filter filter) {
  make_table();
  call({"FLUSHALL"});
  std::filesystem::remove(location_of(Filter::file));
  std::optional<Process> follower;
  if (filter != Filter::none) {
    follower.emplace(
        stage_, "follower.log",
        std::vector<std::string>{std::filesystem::absolute(settings_.command).string(), "follow",
                                 database_->location(), location_of(filter), "-p", "0.001", "-n",
                                 std::to_string(2 * settings_.bulk_rows)},
        cli::ProcessOptions{.as_account = false});
    wait_for(*follower, location_of(filter));
  }
  const auto used = [&](const auto& process) {
    return process ? processor_seconds(process->id()) : 0;
  };
  const double database = processor_seconds(database_->process());
  const double redis = used(redis_);
  const double following = used(follower);
  const auto began = Clock::now();
  const auto rows = static_cast<double>(write(load));
  Figure figure{.committed = rows / since(began)};
  if (follower) {
    wait_for(*follower, location_of(filter));
    figure.carried = rows / since(began);
  }
  constexpr double kMicro = 1e6;
  figure.database_us = kMicro * (processor_seconds(database_->process()) - database) / rows;
  figure.redis_us = kMicro * (used(redis_) - redis) / rows;
  figure.follower_us = kMicro * (used(follower) - following) / rows;
  if (follower) {
    figure.follower_bytes = peak_bytes(follower->id());
    follower->end();
  }
  return figure;
}

}  // namespace bloomery::follow_bench
