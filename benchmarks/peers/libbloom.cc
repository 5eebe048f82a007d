// SPDX-License-Identifier: Apache-2.0
#include <bloom.h>

#include <stdexcept>

#include "benchmarks/peers/peers.h"

namespace bloomery::bench {
namespace {

class LibBloom final : public Subject {
 public:
  LibBloom(std::uint64_t capacity, double rate) {
    if (bloom_init(&bloom_, static_cast<int>(capacity), rate) != 0) {
      throw std::runtime_error("libbloom refuses " + std::to_string(capacity) + " keys");
    }
    bloom_reset(&bloom_);  // touches every page
  }
  LibBloom(const LibBloom&) = delete;
  LibBloom& operator=(const LibBloom&) = delete;
  ~LibBloom() override { bloom_free(&bloom_); }

  std::uint64_t byte_count() const override { return static_cast<std::uint64_t>(bloom_.bytes); }
  void clear() override { bloom_reset(&bloom_); }
  void insert_each(const KeyChunk& chunk) override {
    for (const std::uint64_t& key : chunk.integers) bloom_add(&bloom_, &key, sizeof key);
  }
  std::uint64_t count_each(const KeyChunk& chunk) const override {
    std::uint64_t found = 0;
    for (const std::uint64_t& key : chunk.integers) {
      found += bloom_check(&bloom_, &key, sizeof key) > 0 ? 1 : 0;
    }
    return found;
  }

 private:
  mutable bloom bloom_{};  // bloom_check takes no const
};

}  // namespace

SubjectPointer make_libbloom(std::uint64_t capacity, double rate) {
  return std::make_unique<LibBloom>(capacity, rate);
}

}  // namespace bloomery::bench
