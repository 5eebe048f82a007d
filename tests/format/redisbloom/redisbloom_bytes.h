// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/format/redisbloom/redisbloom_model.h"

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

// Values of a module, as dumps have them.
inline void append_length(std::string& to, std::uint64_t value) {
  if (value < 64) {
    append(to, static_cast<std::uint8_t>(value));
    return;
  }
  const bool wide = value > 0xffffffff;
  append(to, static_cast<std::uint8_t>(wide ? 0x81 : 0x80));
  for (int i = wide ? 7 : 3; i >= 0; --i) append(to, static_cast<std::uint8_t>(value >> (8 * i)));
}
inline void append_string(std::string& to, const std::string& text) {
  append_length(to, text.size());
  to += text;
}
inline void append_number(std::string& to, std::uint64_t value) {
  to += '\2';
  append_length(to, value);
}
inline void append_real(std::string& to, double value) {
  to += '\4';
  append(to, value);
}

// The id of type "MBbloom--": nine letters of six bits, ten bits of version.
inline std::uint64_t type_id(const std::string& name, std::uint64_t version) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::uint64_t id = 0;
  for (const char letter : name) id = id * 64 + letters.find(letter);
  return id * 1024 + version;
}

// Makes the bytes from the type's id to the end of the values. `pack` makes a string of a link's
// bytes.
template <class Pack>
std::string module_value_of(const RedisBloomModel& model, const DumpShape& shape,
                            std::uint64_t version, Pack pack) {
  std::string bytes;
  append_length(bytes, type_id("MBbloom--", version));
  std::uint64_t size = 0;
  for (const auto& link : model.links) size += link.size;
  append_number(bytes, size);
  append_number(bytes, model.links.size());
  if (version >= 2) append_number(bytes, shape.options);
  if (version >= 4) append_number(bytes, shape.growth);
  for (const auto& link : model.links) {
    append_number(bytes, link.entries);
    append_real(bytes, link.error);
    append_number(bytes, link.hashes);
    append_real(bytes, -std::log(link.error) / 0.480453013918201);
    if (version >= 1) {
      append_number(bytes, shape.has_powers && version < 4 ? 0 : link.bits);
      append_number(bytes, shape.has_powers ? exponent(link.bits) : 0);
    }
    bytes += '\5' + pack(std::string(link.bytes.begin(), link.bytes.end()));
    append_number(bytes, link.size);
  }
  return bytes + '\0';
}

inline std::string plain_string(const std::string& text) {
  std::string bytes;
  append_string(bytes, text);
  return bytes;
}

// Packed with LZF: runs of a byte shortened, all else as it is.
inline std::string packed_string(const std::string& text) {
  std::string packed;
  for (std::size_t at = 0; at < text.size();) {
    packed += '\0';
    packed += text[at];
    std::size_t run = 0;
    while (at + 1 + run < text.size() && run < 264 && text[at + 1 + run] == text[at]) ++run;
    if (run >= 9) {
      packed += std::string{'\xe0', static_cast<char>(run - 9), '\0'};
      at += run;
    }
    ++at;
  }
  std::string bytes = "\xc3";
  append_length(bytes, packed.size());
  append_length(bytes, text.size());
  return bytes + packed;
}

// A bit at a time.
inline std::uint64_t slow_crc64(const std::string& bytes) {
  std::uint64_t crc = 0;
  for (const char byte : bytes) {
    crc ^= static_cast<std::uint8_t>(byte);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ ((crc & 1) * 0x95ac9329ac4bc9b5);
  }
  return crc;
}

inline std::string with_crc(std::string bytes) {
  append(bytes, slow_crc64(bytes));
  return bytes;
}

inline std::string payload_of(const std::string& module_value) {
  std::string bytes = '\7' + module_value;
  append(bytes, std::uint16_t{8});
  return with_crc(bytes);
}

}  // namespace bloomery::testing
