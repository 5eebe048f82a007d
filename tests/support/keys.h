#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bloomery/hash/key.h"

// Keys for tests: the same on every run and machine.
namespace bloomery::testing {

// `count` distinct texts that no other prefix gives.
inline std::vector<std::string> texts(std::size_t count, const std::string& prefix) {
  std::vector<std::string> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = prefix + std::to_string(i);
  return all;
}

inline std::vector<Key> keys_of(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

}  // namespace bloomery::testing
