// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/format/bloom_filter_helper.h"
#include "bloomery/format/dcso.h"
#include "bloomery/format/format.h"
#include "bloomery/format/gozero.h"
#include "bloomery/format/guava.h"
#include "bloomery/format/hutool.h"
#include "bloomery/format/javascript.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/leveldb.h"
#include "bloomery/format/orestes.h"
#include "bloomery/format/parquet.h"
#include "bloomery/format/php.h"
#include "bloomery/format/pyrebloom.h"
#include "bloomery/format/redisbloom/redisbloom_dump.h"
#include "bloomery/format/redisbloom/redisbloom_payload.h"
#include "bloomery/format/redisson.h"
#include "bloomery/format/rocksdb.h"
#include "bloomery/format/scrapy.h"
#include "bloomery/format/simple_java.h"

namespace bloomery {
namespace {

// Every format there is, one line each.
constexpr std::array kFormats{
    &guava::kFormat,
    &redisson::kFormat,
    &bloom_filter_helper::kFormat,
    &php::kFormat,
    &simple_java::kFormat,
    &javascript::kFormat,
    &javascript::kSaneFormat,
    &orestes::kFormat,
    &orestes::kJsonFormat,
    &pyrebloom::kFormat,
    &gozero::kFormat,
    &scrapy::kFormat,
    &hutool::kBitMapFormat,
    &hutool::kBitSetFormat,
    &leveldb_format::kFormat,
    &rocksdb_format::kFormat,
    &dcso::kFormat,
    &parquet::kFormat,
    &redisbloom::kFormat,
    &redisbloom::kPayloadFormat,
};

}  // namespace

std::span<const Format* const> formats() noexcept {
  return kFormats;
}

const Format* find_format(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(kFormats, name, &Format::name);
  return found == kFormats.end() ? nullptr : *found;
}

bool Format::holds(FilterKind kind) const noexcept {
  return std::ranges::find(kinds, kind, &Kind::number) != kinds.end();
}

void require_holds(const Format& format, const FilterContents& contents) {
  const FilterKind kind = contents.parameters.kind;
  if (format.encode == nullptr) {
    throw IncompatibleError("the format " + std::string(format.name) + " is only read");
  }
  if (format.holds(kind)) return;
  throw IncompatibleError(
      std::string(kind_of(kind).name) + " sets other bits for a key than " +
      std::string(format.name) +
      ", so the filter's bits cannot be converted, and its keys are not in them. If you have the "
      "keys: bloomery load KEYS " +
      std::string(format.name) + ":FILE");
}

SettingsReader settings_of_new(const FormatSettings& settings, const Format& format) {
  const std::string_view why = format.settings.empty()
                                   ? kBytesSayAll
                                   : std::string_view(
                                         "a new filter has what -n and -p make of it; the "
                                         "settings are for one that is there");
  return {settings, format.name, format.create_settings, why};
}

std::vector<std::byte> encode(const Format& format, const FilterContents& contents) {
  require_holds(format, contents);
  std::vector<std::byte> bytes;
  format.encode(contents, [&](std::span<const std::byte> piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  });
  return bytes;
}

}  // namespace bloomery
