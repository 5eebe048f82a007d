// SPDX-License-Identifier: Apache-2.0
#include <bloomery/bloomery.h>

#include <array>
#include <iostream>

using namespace bloomery;

int main() {
  BlockedFilter seen({.capacity = 1'000'000, .false_positive_rate = 0.01});
  if (seen.insert("https://example.org/a")) std::cout << "a is new\n";
  if (!seen.may_contain("https://example.org/b")) std::cout << "b was surely never inserted\n";

  std::array<Key, 3> keys{"alice", "https://example.org/a", "carol"};
  std::array<bool, 3> found{};
  seen.may_contain_many(keys, found);  // misses of the cache overlap

  save(seen, "seen.bloom");                         // checksummed, replaced in one step
  MappedFilter mapped = open_mapped("seen.bloom");  // no load time
  std::cout << (found[1] && mapped.may_contain("https://example.org/a") ? "a may be there\n" : "");
}
