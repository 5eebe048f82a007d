// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/known_items.h"

#include <algorithm>

namespace bloomery::redis {

KnownItems::Known KnownItems::known() {
  const std::lock_guard lock(mutex_);
  Known known{.items = markers_, .count = count_};
  witnesses_.append_to(known.items);
  return known;
}

std::string KnownItems::judge(const Known& known, const std::vector<bool>& found,
                              std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  if (!verdict_.empty()) return verdict_;
  if (std::ranges::find(found, false) != found.end() || count < known.count) {
    verdict_ =
        "items are gone that were in it: it was lost and begun anew, or another was loaded in its "
        "place; open it again if that is whole";
  }
  count_ = std::max(count_, count);
  return verdict_;
}

void KnownItems::learn(std::span<const Key> items, bool are_new) {
  if (items.empty()) return;
  const std::lock_guard lock(mutex_);
  witnesses_.learn(items, are_new);
}

}  // namespace bloomery::redis
