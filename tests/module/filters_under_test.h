// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tests/module/server_client.h"

namespace bloomery::testing {

// A filter of a kind that the module has, and the commands that reach it.
struct FilterUnderTest {
  std::string key;
  std::string add;
  std::string exists;
};

// Returns a filter of every kind, all growing, under keys that begin with `prefix`. Makes those
// that are not there yet.
inline std::vector<FilterUnderTest> one_of_each(Client& client, const std::string& prefix = {}) {
  client.call({"CF.RESERVE", prefix + "cf", "100", "EXPANSION", "2"});
  client.call({"BLOOM.RESERVE", prefix + "own", "0.01", "50", "NX"});
  return {{prefix + "bf", "BF.ADD", "BF.EXISTS"},
          {prefix + "cf", "CF.ADD", "CF.EXISTS"},
          {prefix + "own", "BLOOM.ADD", "BF.EXISTS"}};
}

// How many of the items 0 to count - 1 the filter has lost.
inline int lost_items(Client& client, const FilterUnderTest& filter, int count) {
  int lost = 0;
  for (int i = 0; i < count; ++i) {
    client.send_command({filter.exists, filter.key, std::to_string(i)});
  }
  for (int i = 0; i < count; ++i) lost += client.read_reply().line == ":1" ? 0 : 1;
  return lost;
}

}  // namespace bloomery::testing
