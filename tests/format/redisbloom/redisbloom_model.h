// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "bloomery/format/redisbloom/redisbloom_filter.h"
#include "bloomery/hash/murmur2.h"

namespace bloomery::testing {

// RedisBloom's filter as its description reads, a bit and a key at a time.
class RedisBloomModel {
 public:
  struct Link {
    std::uint64_t entries;
    double error;
    std::uint64_t bits;
    std::uint32_t hashes;
    std::uint64_t size = 0;
    std::vector<std::uint8_t> bytes{};
  };

  explicit RedisBloomModel(const redisbloom::ReserveOptions& options)
      : options_(options),
        old_(options.generation != redisbloom::Generation::current),
        scales_(!options.nonscaling && options.expansion != 0) {
    add_link(options.capacity, options.error_rate * (scales_ && !old_ ? 0.5 : 1));
  }

  // 1 new, 0 present, -2 full.
  int add(const std::string& key) {
    if (exists(key)) return 0;
    if (links.back().size >= links.back().entries) {
      if (!scales_) return -2;
      double error = links.back().error * 0.5;
      if (old_) {
        for (std::size_t i = 0; i < links.size(); ++i) error *= 0.5;
      }
      add_link(links.back().entries * options_.expansion, error);
    }
    Link& link = links.back();
    bool is_new = false;
    for (std::uint32_t i = 0; i < link.hashes; ++i) {
      const std::uint64_t at = position(key, i, link.bits);
      const auto mask = static_cast<std::uint8_t>(1 << (at & 7));
      is_new |= (link.bytes[at >> 3] & mask) == 0;
      link.bytes[at >> 3] |= mask;
    }
    link.size += is_new ? 1 : 0;
    return is_new ? 1 : 0;
  }

  bool exists(const std::string& key) const {
    for (std::size_t l = links.size(); l-- > 0;) {
      bool all = true;
      for (std::uint32_t i = 0; all && i < links[l].hashes; ++i) {
        const std::uint64_t at = position(key, i, links[l].bits);
        all = (links[l].bytes[at >> 3] >> (at & 7) & 1) != 0;
      }
      if (all) return true;
    }
    return false;
  }

  std::vector<Link> links;

 private:
  std::uint64_t position(const std::string& key, std::uint32_t i, std::uint64_t bits) const {
    if (options_.generation == redisbloom::Generation::v1_1) {
      const std::uint32_t a = murmur2_32(key, 0x9747b28c);
      return (a + i * murmur2_32(key, a)) % bits;
    }
    const std::uint64_t a = murmur2_64a(key, 0xc6a4a7935bd1e995);
    return (a + i * murmur2_64a(key, a)) % bits;
  }

  void add_link(std::uint64_t entries, double error) {
    const double bpe = -std::log(error) / 0.480453013918201;
    Link link{.entries = entries,
              .error = error,
              .bits = static_cast<std::uint64_t>(static_cast<double>(entries) * bpe),
              .hashes = static_cast<std::uint32_t>(std::ceil(0.693147180559945 * bpe))};
    if (old_) {
      const double asked = static_cast<double>(entries) * bpe;
      std::uint64_t power = 1;
      while (static_cast<double>(power) <= asked) power *= 2;
      link.bits = power;
      const auto left = static_cast<std::uint64_t>(static_cast<double>(power) - asked);
      link.entries += static_cast<std::uint64_t>(static_cast<double>(left) / bpe);
    } else {
      link.bits = link.bits == 0 ? 64 : (link.bits + 63) / 64 * 64;
    }
    link.bytes.resize((link.bits + 7) / 8);
    links.push_back(link);
  }

  redisbloom::ReserveOptions options_;
  bool old_;
  bool scales_;
};

}  // namespace bloomery::testing
