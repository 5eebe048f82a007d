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

// One of every kind, all of them growing, under keys that begin with `prefix`. Makes those that are
// not there yet.
inline std::vector<FilterUnderTest> one_of_each(Client& client, const std::string& prefix = {}) {
  std::vector<FilterUnderTest> all{{prefix + "bf", "BF.ADD", "BF.EXISTS"}};
  const auto has = [&](const char* command) {
    return !client.call({"COMMAND", "INFO", command}).items[0].items.empty();
  };
  if (has("CF.ADD")) {
    client.call({"CF.RESERVE", prefix + "cf", "100", "EXPANSION", "2"});
    all.push_back({prefix + "cf", "CF.ADD", "CF.EXISTS"});
  }
  if (has("BLOOM.RESERVE")) {
    client.call({"BLOOM.RESERVE", prefix + "own", "0.01", "50", "NX"});
    all.push_back({prefix + "own", "BLOOM.ADD", "BF.EXISTS"});
  }
  return all;
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
