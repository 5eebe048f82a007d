// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <functional>
#include <vector>

#include "benchmarks/peers/peers.h"

namespace bloomery::bench {
namespace {

class PlainLoop final : public Subject {
 public:
  PlainLoop(std::uint64_t capacity, double rate)
      : bits_(static_cast<std::uint64_t>(std::ceil(-static_cast<double>(capacity) * std::log(rate) /
                                                   (std::log(2.0) * std::log(2.0)))) +
              1),
        probes_(static_cast<unsigned>(std::lround(-std::log2(rate)))) {}

  std::uint64_t byte_count() const override { return bits_.size() / 8; }
  void clear() override { bits_.assign(bits_.size(), false); }
  void insert_each(const KeyChunk& chunk) override {
    for (const std::uint64_t key : chunk.integers) insert(key);
  }
  std::uint64_t count_each(const KeyChunk& chunk) const override {
    std::uint64_t found = 0;
    for (const std::uint64_t key : chunk.integers) found += may_contain(key) ? 1 : 0;
    return found;
  }

 private:
  void insert(std::uint64_t key) {
    std::uint64_t h = scramble(std::hash<std::uint64_t>{}(key) + 1);
    const std::uint64_t step = scramble(h) | 1;
    for (unsigned i = 0; i < probes_; ++i, h += step) bits_[h % bits_.size()] = true;
  }
  bool may_contain(std::uint64_t key) const {
    std::uint64_t h = scramble(std::hash<std::uint64_t>{}(key) + 1);
    const std::uint64_t step = scramble(h) | 1;
    for (unsigned i = 0; i < probes_; ++i, h += step) {
      if (!bits_[h % bits_.size()]) return false;
    }
    return true;
  }

  std::vector<bool> bits_;
  unsigned probes_;
};

}  // namespace

SubjectPointer make_plain_loop(std::uint64_t capacity, double rate) {
  return std::make_unique<PlainLoop>(capacity, rate);
}

}  // namespace bloomery::bench
