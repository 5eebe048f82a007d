// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>

#include "tests/guard/fakes.h"

namespace bloomery {

// A cache that grants leases, played: what other processes do to it a test does by its functions.
class FakeLeases final : public Cache<std::string> {
 public:
  void get_many(std::span<const Key> keys, std::span<CacheAnswer<std::string>> answers,
                const CallContext&) override {
    run(before_get);
    const std::lock_guard lock(mutex_);
    if (throws) throw std::runtime_error("cache is away");
    for (std::size_t i = 0; i < keys.size(); ++i) answers[i] = answer(std::string(keys[i]));
  }
  bool grants_leases() const noexcept override { return true; }
  void claim_many(std::span<const Key> keys, std::span<CacheAnswer<std::string>> answers,
                  const CallContext& context) override {
    ++claims;
    run(before_claim);
    get_many(keys, answers, context);
  }
  void put_many(std::span<const CacheEntry<std::string>> entries, const CallContext&) override {
    run(before_put);
    const std::lock_guard lock(mutex_);
    for (const auto& entry : entries) {
      const std::string key(entry.key);
      if (leases_.count(key) == 0 || leases_[key] != entry.lease) {
        ++late;
        continue;
      }
      leases_.erase(key);
      last_refresh_after = entry.refresh_after;
      rows_[key] = entry.value != nullptr ? std::optional(*entry.value) : std::nullopt;
    }
  }
  void drop_many(std::span<const CacheEntry<std::string>> entries, const CallContext&) override {
    const std::lock_guard lock(mutex_);
    for (const auto& entry : entries) {
      const auto found = leases_.find(std::string(entry.key));
      if (found == leases_.end() || found->second != entry.lease) continue;
      ++drops;
      leases_.erase(found);
    }
  }
  bool announce_many(std::span<const Key> keys, const Identity& insert,
                     const CallContext&) override {
    if (announcing_throws) throw std::runtime_error("cache is away");
    const std::lock_guard lock(mutex_);
    bool held = true;
    for (const Key each : keys) {
      const std::string key(each);
      leases_.erase(key);
      if (rows_.count(key) != 0 && !rows_[key]) rows_.erase(key);
      held = !marks_[key].insert(insert.low).second && held;
    }
    return held;
  }
  void end_insert_many(std::span<const Key> keys, const Identity& insert,
                       const CallContext&) override {
    const std::lock_guard lock(mutex_);
    for (const Key each : keys) {
      const std::string key(each);
      rows_.erase(key);
      leases_.erase(key);
      marks_[key].erase(insert.low);
    }
  }
  void erase_many(std::span<const Key> keys, const CallContext& context) override {
    end_insert_many(keys, {}, context);
  }

  // Gives a lease to another process.
  void lease_elsewhere(const std::string& key) {
    const std::lock_guard lock(mutex_);
    leases_[key] = "another's";
  }
  void put_elsewhere(const std::string& key, const std::optional<std::string>& row) {
    const std::lock_guard lock(mutex_);
    leases_.erase(key);
    rows_[key] = row;
  }
  // Whoever asks next is to load the row anew.
  void make_due(const std::string& key) {
    const std::lock_guard lock(mutex_);
    due_.insert(key);
  }
  bool has_lease(const std::string& key) {
    const std::lock_guard lock(mutex_);
    return leases_.count(key) != 0;
  }
  // "-": nothing; "": no such row.
  std::string row(const std::string& key) {
    const std::lock_guard lock(mutex_);
    return rows_.count(key) == 0 ? "-" : rows_[key].value_or("");
  }
  std::size_t marks_of(const std::string& key) {
    const std::lock_guard lock(mutex_);
    return marks_[key].size();
  }

  std::atomic<bool> throws = false;
  std::atomic<bool> announcing_throws = false;
  std::atomic<int> claims = 0;
  std::atomic<int> drops = 0;
  std::atomic<int> late = 0;
  std::chrono::milliseconds last_refresh_after{};
  std::function<void()> before_get;
  std::function<void()> before_claim;
  std::function<void()> before_put;

 private:
  std::string next_lease() { return "lease " + std::to_string(++last_); }

  CacheAnswer<std::string> answer(const std::string& key) {
    const auto row = rows_.find(key);
    const bool is_leased = leases_.count(key) != 0;
    if (row != rows_.end() && row->second) {
      CacheAnswer<std::string> hit{.state = Cached::hit, .value = row->second};
      if (due_.erase(key) != 0 && !is_leased) hit.lease = leases_[key] = next_lease();
      return hit;
    }
    if (!marks_[key].empty()) return {.state = Cached::unknown};
    if (row != rows_.end()) return {.state = Cached::negative};
    if (is_leased) return {.state = Cached::awaited};
    return {.lease = leases_[key] = next_lease()};
  }

  std::mutex mutex_;
  std::map<std::string, std::optional<std::string>> rows_;
  std::map<std::string, std::string> leases_;
  std::map<std::string, std::set<std::uint64_t>> marks_;
  std::set<std::string> due_;
  int last_ = 0;
};

}  // namespace bloomery
