// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "benchmarks/subject.h"
#include "bloomery/filter/blocked_filter.h"
#include "bloomery/filter/bulk/build_parallel.h"
#include "bloomery/filter/static_filter.h"

namespace bloomery::bench {

// AskedFilter has the questions that every filter of ours answers, one key or many a call.
template <class Filter>
class AskedFilter : public Subject {
 public:
  std::uint64_t byte_count() const override {
    if constexpr (requires { filter_->byte_count(); }) {
      return filter_->byte_count();
    } else {
      return 8 * filter_->contents().word_count();
    }
  }
  std::span<const std::uint64_t> words() const override {
    if constexpr (requires { filter_->words(); }) {
      return filter_->words();
    } else {
      return {};
    }
  }

  std::uint64_t count_each(const KeyChunk& chunk) const override {
    return visit_keys(chunk, [&](auto keys) {
      std::uint64_t found = 0;
      for (const auto key : keys) found += filter_->may_contain(key) ? 1 : 0;
      return found;
    });
  }
  bool answers_dependently() const override { return true; }
  std::uint64_t count_dependently(const KeyChunk& chunk) const override {
    return visit_keys(chunk, [&](auto keys) {
      return count_in_turn(keys, [&](const auto& key) { return filter_->may_contain(key); });
    });
  }
  bool answers_batches() const override { return true; }
  void answer_batches(const KeyChunk& chunk, std::size_t batch,
                      std::span<bool> found) const override {
    visit_keys(chunk, [&](auto keys) {
      for_each_batch(keys.size(), batch, [&](std::size_t first, std::size_t count) {
        filter_->may_contain_many(keys.subspan(first, count), found.subspan(first, count));
      });
    });
  }

 protected:
  std::optional<Filter> filter_;
};

// A filter that keys are inserted into as they come.
template <class Filter, Loop kLoop = Loop::range_for>
class OurFilter final : public AskedFilter<Filter> {
 public:
  explicit OurFilter(Filter filter) {
    this->filter_.emplace(std::move(filter));
    this->filter_->clear();  // touches every page
  }

  void clear() override { this->filter_->clear(); }
  void insert_each(const KeyChunk& chunk) override {
    if constexpr (kLoop == Loop::view) {
      this->filter_->integers([&](auto& view) {
        for (const std::uint64_t key : chunk.integers) view.insert(key);
      });
    } else {
      visit_keys(chunk, [&](auto keys) {
        for_each_key<kLoop>(keys, [&](const auto& key) { this->filter_->insert(key); });
      });
    }
  }
  std::uint64_t count_each(const KeyChunk& chunk) const override {
    if constexpr (kLoop == Loop::view) {
      return this->filter_->integers([&](const auto& view) {
        std::uint64_t found = 0;
        for (const std::uint64_t key : chunk.integers) found += view.may_contain(key) ? 1 : 0;
        return found;
      });
    } else {
      return visit_keys(chunk, [&](auto keys) {
        std::uint64_t found = 0;
        for_each_key<kLoop>(
            keys, [&](const auto& key) { found += this->filter_->may_contain(key) ? 1 : 0; });
        return found;
      });
    }
  }
  bool inserts_batches() const override { return true; }
  void insert_batches(const KeyChunk& chunk, std::size_t batch) override {
    visit_keys(chunk, [&](auto keys) {
      for_each_batch(keys.size(), batch, [&](std::size_t first, std::size_t count) {
        this->filter_->insert_many(keys.subspan(first, count));
      });
    });
  }
};

// A filter that gets an array of all its keys at once.
template <class Filter>
class CollectedFilter : public AskedFilter<Filter> {
 public:
  explicit CollectedFilter(std::uint64_t capacity) { keys_.reserve(capacity); }

  void clear() override { keys_.clear(); }
  bool inserts_singly() const override { return false; }
  bool builds_at_once() const override { return true; }
  void collect(const KeyChunk& chunk) override {
    keys_.insert(keys_.end(), chunk.integers.begin(), chunk.integers.end());
  }
  void insert_each(const KeyChunk& /*keys*/) override {}

 protected:
  std::vector<std::uint64_t> keys_;
};

// A blocked filter that is there, and takes them in bulk.
class BulkFilter final : public CollectedFilter<BlockedFilter> {
 public:
  BulkFilter(const FilterOptions& options, unsigned threads)
      : CollectedFilter(options.capacity), threads_(threads) {
    filter_.emplace(options);
    filter_->clear();  // touches every page
  }

  void clear() override {
    filter_->clear();
    CollectedFilter::clear();
  }
  void finish() override { build_parallel(*filter_, keys_, {.threads = threads_}); }

 private:
  unsigned threads_;
};

// A filter that is built of them.
template <class Filter>
class BuiltFilter final : public CollectedFilter<Filter> {
 public:
  using Build = std::function<Filter(std::span<const std::uint64_t> keys)>;

  BuiltFilter(std::uint64_t capacity, Build build)
      : CollectedFilter<Filter>(capacity), build_(std::move(build)) {}

  void clear() override {
    this->filter_.reset();
    CollectedFilter<Filter>::clear();
  }
  void finish() override { this->filter_.emplace(build_(this->keys_)); }

 private:
  Build build_;
};

// A static filter with its bytes.
class StaticSet {
 public:
  explicit StaticSet(std::vector<std::byte> bytes) : bytes_(std::move(bytes)), filter_(bytes_) {}

  std::uint64_t byte_count() const { return bytes_.size(); }
  bool may_contain(std::uint64_t key) const { return filter_.may_contain(key); }
  bool may_contain(Key key) const { return filter_.may_contain(key); }
  void may_contain_many(KeyBatch batch, Answers found) const {
    filter_.may_contain_many(batch, found);
  }

 private:
  std::vector<std::byte> bytes_;
  StaticFilter filter_;
};

}  // namespace bloomery::bench
