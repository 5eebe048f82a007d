#pragma once

#include "benchmarks/subject.h"
#include "bloomery/filter/blocked_filter.h"
#include "bloomery/filter/classic_filter.h"

namespace bloomery::bench {

template <class Filter>
class OurFilter final : public Subject {
 public:
  OurFilter(std::uint64_t capacity, double rate)
      : filter_({.capacity = capacity, .false_positive_rate = rate}) {
    filter_.clear();  // touches every page
  }

  std::uint64_t byte_count() const override { return filter_.geometry().bit_count / 8; }
  void clear() override { filter_.clear(); }
  std::span<const std::uint64_t> words() const override { return filter_.words(); }

  void insert_each(const KeyChunk& chunk) override {
    visit_keys(chunk, [&](auto keys) {
      for (const auto key : keys) filter_.insert(key);
    });
  }
  std::uint64_t count_each(const KeyChunk& chunk) const override {
    return visit_keys(chunk, [&](auto keys) {
      std::uint64_t found = 0;
      for (const auto key : keys) found += filter_.may_contain(key) ? 1 : 0;
      return found;
    });
  }

  bool inserts_batches() const override { return true; }
  void insert_batches(const KeyChunk& chunk, std::size_t batch) override {
    visit_keys(chunk, [&](auto keys) {
      for_each_batch(keys.size(), batch, [&](std::size_t first, std::size_t count) {
        filter_.insert_many(keys.subspan(first, count));
      });
    });
  }
  bool answers_batches() const override { return true; }
  void answer_batches(const KeyChunk& chunk, std::size_t batch,
                      std::span<bool> found) const override {
    visit_keys(chunk, [&](auto keys) {
      for_each_batch(keys.size(), batch, [&](std::size_t first, std::size_t count) {
        filter_.may_contain_many(keys.subspan(first, count), found.subspan(first, count));
      });
    });
  }

 private:
  Filter filter_;
};

}  // namespace bloomery::bench
