// SPDX-License-Identifier: Apache-2.0
#include "module/read_places.h"

#include <algorithm>

namespace bloomery::module {

bool ReadPlaces::admits(std::uint64_t client, std::uint64_t now_ms, std::uint64_t most) {
  std::erase_if(readers_,
                [&](const Reader& each) { return now_ms - each.asked_ms >= kReaderLivesMs; });
  auto found = std::ranges::find(readers_, client, &Reader::client);
  if (found == readers_.end()) found = readers_.insert(found, {client, now_ms});
  found->asked_ms = now_ms;
  return static_cast<std::uint64_t>(found - readers_.begin()) < most;
}

void ReadPlaces::leave(std::uint64_t client) noexcept {
  std::erase_if(readers_, [&](const Reader& each) { return each.client == client; });
}

ReadPlaces& read_places() noexcept {
  static ReadPlaces places;
  return places;
}

}  // namespace bloomery::module
