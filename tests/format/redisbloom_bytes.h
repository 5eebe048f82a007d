#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/format/redisbloom_model.h"

// RedisBloom's bytes of a model, a field at a time, as the servers of each generation write them.
namespace bloomery::testing {

template <class T>
void append(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

struct DumpShape {
  std::uint32_t options = 5;
  std::uint32_t growth = 2;
  bool is_short = false;
  bool has_powers = false;  // of two: bits 0, n2 the exponent
};

inline std::uint8_t exponent(std::uint64_t power) {
  return static_cast<std::uint8_t>(std::log2(static_cast<double>(power)));
}

inline std::string header_of(const RedisBloomModel& model, const DumpShape& shape) {
  std::string bytes;
  std::uint64_t size = 0;
  for (const auto& link : model.links) size += link.size;
  append(bytes, size);
  append(bytes, static_cast<std::uint32_t>(model.links.size()));
  append(bytes, shape.options);
  if (!shape.is_short) append(bytes, shape.growth);
  for (const auto& link : model.links) {
    append(bytes, static_cast<std::uint64_t>(link.bytes.size()));
    append(bytes, shape.has_powers ? std::uint64_t{0} : link.bits);
    append(bytes, link.size);
    append(bytes, link.error);
    append(bytes, -std::log(link.error) / 0.480453013918201);
    append(bytes, link.hashes);
    if (shape.is_short) {
      append(bytes, static_cast<std::uint32_t>(link.entries));
    } else {
      append(bytes, link.entries);
    }
    append(bytes, shape.has_powers ? exponent(link.bits) : std::uint8_t{0});
  }
  return bytes;
}

inline std::string dump_of(const RedisBloomModel& model, const DumpShape& shape) {
  std::string bytes = header_of(model, shape);
  for (const auto& link : model.links) bytes.append(link.bytes.begin(), link.bytes.end());
  return bytes;
}

}  // namespace bloomery::testing
