// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/redisbloom/redisbloom_payload.h"

#include <array>
#include <string>

#include "bloomery/bits/byte_order.h"
#include "bloomery/format/rdb/crc64.h"
#include "bloomery/format/rdb/module_value.h"
#include "bloomery/format/redisbloom/redisbloom_cuckoo_rdb.h"
#include "bloomery/format/redisbloom/redisbloom_dump.h"

namespace bloomery::redisbloom {
namespace {

constexpr std::uint8_t kModuleValue = 7;
constexpr std::uint16_t kDumpVersion = 8;
constexpr std::size_t kVersionBytes = 2;
constexpr std::size_t kTailBytes = kVersionBytes + sizeof(std::uint64_t);
constexpr const char* kPayload = "a DUMP of a RedisBloom filter";

AnyFilter decode_dumped(std::span<const std::byte> bytes, const FormatSettings& settings) {
  const SettingsReader known(settings, kPayloadFormat.name, kPayloadFormat.settings);
  return decode_payload(bytes);
}

AnyFilter create_dumped(const FilterOptions& options, const FormatSettings& settings) {
  return kFormat.create(options, settings);
}

constexpr std::array kDumpedKinds{&kKind, &kKind32};

template <class Write>
void encode_as_dumped(const rdb::ModuleType& type, const ByteSink& sink, Write write) {
  std::uint64_t crc = 0;
  const ByteSink summed = [&](std::span<const std::byte> bytes) {
    crc = rdb::crc64(bytes, crc);
    sink(bytes);
  };
  summed(std::array{std::byte{kModuleValue}});
  rdb::ModuleWriter writer(summed);
  writer.type(type);
  write(writer);
  writer.end();
  summed(std::as_bytes(std::span(&kDumpVersion, 1)));
  const std::uint64_t checksum = crc;
  sink(std::as_bytes(std::span(&checksum, 1)));
}

}  // namespace

AnyFilter decode_payload(std::span<const std::byte> bytes) {
  rdb::RdbCursor whole(bytes, kPayload);
  if (bytes.size() < 1 + kTailBytes) {
    whole.refuse(0, "payload", std::to_string(bytes.size()) + " bytes; at least 11");
  }
  const std::size_t tail = bytes.size() - kTailBytes;
  const auto checksum = get_number<std::uint64_t>(bytes, tail + kVersionBytes);
  if (checksum != rdb::crc64(bytes.first(tail + kVersionBytes))) {
    whole.refuse(tail + kVersionBytes, "checksum", "it is not that of the bytes");
  }
  rdb::RdbCursor cursor(bytes.first(tail), kPayload);
  if (const auto type = cursor.byte("type"); type != kModuleValue) {
    cursor.refuse(0, "type", std::to_string(type) + ", where a module's value has 7");
  }
  const auto type = rdb::module_type(cursor.length("module type"));
  if (type.name != kTypeName) {
    cursor.refuse(1, "module type", type.name + ", where it is " + kTypeName);
  }
  rdb::ModuleReader reader(cursor);
  const ReadChain read = read_value(reader, type.encoding_version);
  reader.expect_end();
  if (cursor.left() != 0) {
    cursor.refuse(cursor.offset(), "end", std::to_string(cursor.left()) + " bytes follow it");
  }
  return open_chain(read.contents, read.words);
}

void encode_payload(const FilterContents& contents, const ByteSink& sink) {
  encode_as_dumped({kTypeName, kEncodingVersion}, sink,
                   [&](rdb::ModuleWriter& writer) { write_value(contents, writer); });
}

void encode_cuckoo_payload(const CuckooFilter& filter, const ByteSink& sink) {
  encode_as_dumped({kCuckooTypeName, kCuckooEncodingVersion}, sink,
                   [&](rdb::ModuleWriter& writer) { write_cuckoo_value(filter, writer); });
}

const Format kPayloadFormat{
    .name = "redisbloom-dump",
    .system = "RedisBloom: what DUMP gives and RESTORE takes",
    .hash = kHashText,
    .rule = kRuleText,
    .limits = kLimitsText,
    .warning = "",
    .settings = kSettingsText,
    .keys = "text",
    .kinds = kDumpedKinds,
    .decode = decode_dumped,
    .create = create_dumped,
    .encode = encode_payload,
    .settings_of = nullptr,
    .advice = nullptr,
    .create_settings = kSettingsText,
};

}  // namespace bloomery::redisbloom
