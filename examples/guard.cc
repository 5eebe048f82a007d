// SPDX-License-Identifier: Apache-2.0
// A million look-ups for users who do not exist, and a database that hears of almost none of them.
#include <bloomery/bloomery.h>

#include <atomic>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace bloomery;

int main() {
  std::map<std::string, std::string, std::less<>> database;  // yours is elsewhere, and slower
  for (int id = 0; id < 10'000; ++id) database["user:" + std::to_string(id)] = "somebody";
  std::atomic<int> queries = 0;

  BlockedFilter users({.capacity = 10'000, .false_positive_rate = 0.001});
  for (const auto& [key, row] : database) users.insert(key);

  MemoryPlace place(std::move(users));
  place.ready();  // it holds every key
  MemoryCache<> cache({.capacity = 1'000});
  CacheGuard<> guard(place, cache, [&](std::span<const Key> keys) {
    ++queries;
    std::vector<std::optional<std::string>> rows;
    for (const Key key : keys) {
      const auto row = database.find(key);
      rows.push_back(row == database.end() ? std::nullopt : std::optional(row->second));
    }
    return rows;
  });

  for (int id = 0; id < 1'000'000; ++id) guard.get("nobody:" + std::to_string(id));
  std::cout << "1000000 look-ups of absent keys, " << queries << " database queries\n";

  {
    const auto token = guard.will_insert("user:new");  // before the row is visible
    database["user:new"] = "just arrived";
  }
  std::cout << "user:new is " << guard.get("user:new").value_or("lost") << "\n";
  return queries <= 1'300 && guard.get("user:new") ? 0 : 1;
}
