// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mysql/payload.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/place/fence_source.h"

namespace bloomery::mysql {
namespace {

std::string number(std::uint64_t value, int byte_count) {
  std::string bytes;
  for (int i = 0; i < byte_count; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

std::string packed(std::uint64_t value) {
  return value < 251 ? number(value, 1) : '\xfe' + number(value, 8);
}

std::string field(std::uint64_t type, std::uint64_t value) {
  return packed(type) + packed(packed(value).size()) + packed(value);
}

// An event of a type, with its header.
std::string event(char type, const std::string& body) {
  return std::string(4, '\0') + type + number(1, 4) + number(19 + body.size(), 4) +
         std::string(6, '\0') + body;
}

std::string compressed(const std::string& plain) {
  std::string bytes(ZSTD_compressBound(plain.size()), '\0');
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), plain.data(), plain.size(), 3));
  return bytes;
}

std::string body_of(const std::string& payload, std::uint64_t compression,
                    std::uint64_t plain_bytes) {
  return field(2, compression) + field(3, plain_bytes) + field(1, payload.size()) + packed(0) +
         payload;
}

std::vector<std::string> events_of(const std::string& body) {
  std::vector<std::string> events;
  Payload payload(body);
  while (const auto next = payload.next()) events.emplace_back(*next);
  return events;
}

const std::vector<std::string>& some_events() {
  static const std::vector<std::string> events{event(2, "BEGIN"),
                                               event(30, std::string(1'000'000, 'x')),
                                               event(30, ""), event(16, "8bytes..")};
  return events;
}

std::string joined() {
  std::string all;
  for (const std::string& each : some_events()) all += each;
  return all;
}

TEST(Payload, GivesItsEventsOneAfterTheOther) {
  const std::string plain = joined();
  EXPECT_EQ(events_of(body_of(compressed(plain), 0, plain.size())), some_events());
  EXPECT_EQ(events_of(body_of(plain, 255, plain.size())), some_events());
  // In two frames, as zstd allows.
  const std::string frames = compressed(plain.substr(0, 500)) + compressed(plain.substr(500));
  EXPECT_EQ(events_of(body_of(frames, 0, plain.size())), some_events());
  EXPECT_TRUE(events_of(body_of(compressed(""), 0, 0)).empty());
}

TEST(Payload, WhatIsDamagedThrows) {
  const std::string plain = joined();
  const std::string bytes = compressed(plain);
  EXPECT_THROW(events_of(body_of(bytes, 7, plain.size())), SourceChanged);
  EXPECT_THROW(events_of(body_of(bytes, 0, plain.size() + 1)), SourceChanged);
  EXPECT_THROW(events_of(body_of(bytes, 0, plain.size() - 1)), SourceChanged);
  EXPECT_THROW(events_of(body_of(bytes.substr(0, bytes.size() / 2), 0, plain.size())),
               SourceChanged);
  EXPECT_THROW(events_of(field(2, 0) + field(1, bytes.size()) + packed(0) + bytes), SourceChanged);
  const std::string whole = body_of(bytes, 0, plain.size());
  for (std::size_t length = 0; length < whole.size(); length += 3) {
    EXPECT_THROW(events_of(whole.substr(0, length)), SourceChanged) << length;
  }
  // Lengths of events that are none, or lie beyond the end.
  for (const std::uint64_t length : {0ULL, 18ULL, 4'000'000'000ULL}) {
    std::string wrong = event(2, "BEGIN");
    wrong.replace(9, 4, number(length, 4));
    EXPECT_THROW(events_of(body_of(compressed(wrong), 0, wrong.size())), SourceChanged) << length;
  }
}

// A byte is changed: what comes is something else or nothing, and never beyond memory.
TEST(Payload, AnyByteMayBeAnother) {
  const std::string plain = some_events()[0] + some_events()[2] + some_events()[3];
  const std::string whole = body_of(compressed(plain), 0, plain.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const char flip : {'\1', '\x80', '\xff'}) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ flip);
      try {
        events_of(changed);
      } catch (const SourceChanged&) {
        // An exception is as good.
      }
    }
  }
}

}  // namespace
}  // namespace bloomery::mysql
