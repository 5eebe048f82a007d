// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/format/redisbloom/redisbloom_cuckoo.h"
#include "bloomery/hash/murmur2.h"

namespace bloomery::testing {

// RedisBloom's cuckoo filter as its description reads, a slot at a time.
class CuckooModel {
 public:
  using Bucket = std::vector<std::uint8_t>;
  using SubFilter = std::vector<Bucket>;

  explicit CuckooModel(const redisbloom::CuckooOptions& options)
      : options_(options), buckets_(1), expansion_(options.expansion == 0 ? 0 : 1) {
    while (buckets_ < options.capacity / options.bucket_size) buckets_ *= 2;
    while (expansion_ != 0 && expansion_ < options.expansion) expansion_ *= 2;
    grow();
  }

  bool add(const std::string& key) {
    const std::uint64_t h1 = murmur2_64a(key, 0);
    const auto mark = static_cast<std::uint8_t>(h1 % 255 + 1);
    for (std::size_t i = subs.size(); i-- > 0;) {
      for (const std::uint64_t hash : {h1, other(h1, mark)}) {
        if (put(subs[i][hash % subs[i].size()], mark)) return ++items, true;
      }
    }
    if (move_on(h1, mark)) return ++items, true;
    if (expansion_ == 0) return false;
    grow();
    return add(key);
  }

  std::uint64_t count(const std::string& key) const {
    const std::uint64_t h1 = murmur2_64a(key, 0);
    const auto mark = static_cast<std::uint8_t>(h1 % 255 + 1);
    std::uint64_t sum = 0;
    for (const SubFilter& sub : subs) {
      for (const std::uint64_t hash : {h1, other(h1, mark)}) {
        for (const std::uint8_t slot : sub[hash % sub.size()]) sum += slot == mark ? 1 : 0;
      }
    }
    return sum;
  }

  bool del(const std::string& key) {
    const std::uint64_t h1 = murmur2_64a(key, 0);
    const auto mark = static_cast<std::uint8_t>(h1 % 255 + 1);
    for (std::size_t i = subs.size(); i-- > 0;) {
      for (const std::uint64_t hash : {h1, other(h1, mark)}) {
        for (std::uint8_t& slot : subs[i][hash % subs[i].size()]) {
          if (slot != mark) continue;
          slot = 0;
          --items;
          ++deletes;
          if (subs.size() > 1 && static_cast<double>(deletes) > 0.1 * static_cast<double>(items)) {
            compact(false);
          }
          return true;
        }
      }
    }
    return false;
  }

  void compact(bool all) {
    for (std::size_t i = subs.size() - 1; i > 0; --i) {
      bool emptied = true;
      for (std::uint64_t b = 0; b < subs[i].size(); ++b) {
        for (std::uint8_t& slot : subs[i][b]) {
          if (slot != 0 && find_home(i, b, slot)) slot = 0;
          emptied &= slot == 0;
        }
      }
      if (emptied && i == subs.size() - 1) subs.pop_back();
      if (!emptied && !all) break;
    }
    deletes = 0;
  }

  std::string slots(std::size_t i) const {
    std::string bytes;
    for (const Bucket& bucket : subs[i]) bytes.append(bucket.begin(), bucket.end());
    return bytes;
  }

  std::vector<SubFilter> subs;
  std::uint64_t items = 0;
  std::uint64_t deletes = 0;

 private:
  static std::uint64_t other(std::uint64_t hash, std::uint8_t mark) {
    return hash ^ (std::uint64_t{mark} * 0x5bd1e995);
  }
  static bool put(Bucket& bucket, std::uint8_t mark) {
    for (std::uint8_t& slot : bucket) {
      if (slot == 0) return slot = mark, true;
    }
    return false;
  }
  bool find_home(std::size_t below, std::uint64_t bucket, std::uint8_t mark) {
    for (std::size_t i = 0; i < below; ++i) {
      for (const std::uint64_t hash : {bucket, other(bucket, mark)}) {
        if (put(subs[i][hash % subs[i].size()], mark)) return true;
      }
    }
    return false;
  }
  // Moves marks on a copy, which is dropped when it comes to nothing.
  bool move_on(std::uint64_t h1, std::uint8_t mark) {
    SubFilter sub = subs.back();
    std::uint64_t at = h1 % sub.size();
    for (std::uint64_t i = 0; i < options_.max_iterations; ++i) {
      std::swap(sub[at][i % options_.bucket_size], mark);
      at = other(at, mark) % sub.size();
      if (put(sub[at], mark)) return subs.back() = sub, true;
    }
    return false;
  }
  void grow() {
    std::uint64_t count = buckets_;
    for (std::size_t i = 0; i < subs.size(); ++i) count *= expansion_;
    subs.emplace_back(count, Bucket(options_.bucket_size));
  }

  redisbloom::CuckooOptions options_;
  std::uint64_t buckets_;
  std::uint64_t expansion_;
};

}  // namespace bloomery::testing
