#include "bloomery/filter/bulk/add_keys.h"

#include <algorithm>
#include <array>

namespace bloomery {

void add_keys(const BlockedLayout& layout, BulkRound& round, std::size_t part,
              KeyBatch keys) noexcept {
  keys.visit([&](auto all) noexcept {
    std::array<HashPair, 128> hashes;
    while (!all.empty()) {
      const auto some = all.first(std::min(all.size(), hashes.size()));
      for (std::size_t i = 0; i < some.size(); i += kHashBlock) prefetch_keys(some.data() + i);
      layout.hash_many(some, hashes.data());
      round.add(part, std::span(hashes).first(some.size()));
      all = all.subspan(some.size());
    }
  });
}

}  // namespace bloomery
