// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bloomery/place/fence_source.h"
#include "bloomery/place/filter_place.h"

// A database whose rows come past the program, and who follows it into a filter, played: a map with
// a log of its commits, and a thread that is late on purpose.
namespace bloomery {

class FollowedDatabase {
 public:
  static constexpr Identity kSource{7, 7};

  // Returns when everybody can see the row.
  void commit(Key key, Key value = "row") {
    const std::lock_guard lock(mutex_);
    rows_.insert_or_assign(std::string(key), std::string(value));
    log_.emplace_back(key);
  }
  bool has(Key key) const {
    const std::lock_guard lock(mutex_);
    return rows_.contains(std::string(key));
  }
  std::vector<std::optional<std::string>> load(std::span<const Key> keys) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::optional<std::string>> rows;
    for (const Key key : keys) {
      const auto row = rows_.find(std::string(key));
      rows.push_back(row == rows_.end() ? std::nullopt : std::optional(row->second));
    }
    return rows;
  }

  Watermark end() const {
    const std::lock_guard lock(mutex_);
    return {kSource, log_.size()};
  }
  // The keys of the commits after `from`, and where they end.
  std::vector<std::string> after(std::uint64_t from, Watermark& end) const {
    const std::lock_guard lock(mutex_);
    end = {kSource, log_.size()};
    return {log_.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(from, log_.size())),
            log_.end()};
  }

  std::unique_ptr<FenceSource> fence_source() const {
    struct Source final : FenceSource {
      explicit Source(const FollowedDatabase& of) : database(of) {}
      Watermark ask(const CallContext&) override { return database.end(); }
      const FollowedDatabase& database;
    };
    return std::make_unique<Source>(*this);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> rows_;
  std::vector<std::string> log_;
};

// Keeps a place in step with a database, late by up to `lag`, and rebuilds it where it is told to.
class PlayedFollower {
 public:
  struct Options {
    std::chrono::microseconds lag{0};
    std::chrono::milliseconds rebuild_every{0};  // zero: never
    FilterOptions rebuilt{};
    std::function<void(std::span<const Key>)> before_the_watermark{};
  };

  PlayedFollower(const FollowedDatabase& database, FilterPlace& place, Options options)
      : database_(database),
        place_(place),
        options_(std::move(options)),
        thread_([this](const std::stop_token& stop) { follow(stop); }) {}

  int rebuilds() const { return rebuilds_; }

 private:
  void follow(const std::stop_token& stop) {
    std::mt19937_64 random(1);
    auto rebuilt_at = std::chrono::steady_clock::now();
    PlaceHead head = place_.head();
    while (!stop.stop_requested()) {
      if (options_.lag.count() != 0) {
        std::this_thread::sleep_for(
            std::chrono::microseconds(random() % static_cast<std::uint64_t>(options_.lag.count())));
      } else {
        std::this_thread::yield();
      }
      const auto now = std::chrono::steady_clock::now();
      if (options_.rebuild_every.count() != 0 && now - rebuilt_at > options_.rebuild_every) {
        rebuild();
        rebuilt_at = now;
        head = place_.head();
      }
      step(head);
    }
  }

  void step(PlaceHead& head) {
    Watermark end;
    const std::vector<std::string> keys =
        database_.after(head.watermark ? head.watermark->position : 0, end);
    if (head.watermark == end) return;
    const std::vector<Key> views(keys.begin(), keys.end());
    if (options_.before_the_watermark) options_.before_the_watermark(views);
    if (!place_.insert_and_advance(views, head, end)) head = place_.head();
  }

  // Without a watermark: what the first step does is everything.
  void rebuild() {
    const auto rebuild = place_.begin_rebuild(options_.rebuilt);
    Watermark end;
    const std::vector<std::string> keys = database_.after(0, end);
    rebuild->insert_many(std::vector<Key>(keys.begin(), keys.end()));
    rebuild->commit();
    ++rebuilds_;
  }

  const FollowedDatabase& database_;
  FilterPlace& place_;
  const Options options_;
  std::atomic<int> rebuilds_ = 0;
  std::jthread thread_;
};

}  // namespace bloomery
