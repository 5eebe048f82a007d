// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/native/typed_fields.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

#include "bloomery/bits/byte_order.h"
#include "bloomery/errors.h"
#include "bloomery/text/grouped.h"

namespace bloomery {
namespace {

constexpr std::uint16_t kSecretTag = 1;
constexpr std::uint16_t kWatermarkTag = 2;
constexpr std::uint16_t kNoteTag = 3;
constexpr std::uint16_t kLayersTag = 4;
constexpr std::uint16_t kWindowTag = 5;
constexpr std::uint16_t kForeignTag = 6;
constexpr std::uint16_t kKeysTag = 7;
constexpr std::uint16_t kIdentityTag = 8;
constexpr std::uint16_t kSourceTag = 9;
constexpr std::uint16_t kPartTag = 10;
constexpr std::uint16_t kLiveTag = 11;
constexpr std::uint16_t kLiveNotesTag = 12;
constexpr std::uint16_t kFirstSkippableTag = 0x8000;
constexpr std::uint16_t kChainTag = 0x8000;

constexpr std::size_t kTagBytes = 4;
constexpr std::size_t kUnit = 8;
constexpr std::size_t kMostFields = 65'000;  // bytes of all, which the header counts in 16 bits

// Offsets within the value of a window field.
constexpr std::size_t kWindowBytes = 24;
constexpr std::size_t kLengthAt = 0;
constexpr std::size_t kGenerationsAt = 8;
constexpr std::size_t kReservedAt = 12;
constexpr std::size_t kBitCountAt = 16;

// Offsets within the value of a foreign scheme.
constexpr std::size_t kForeignBytes = 16;
constexpr std::size_t kOptionsAt = 8;
constexpr std::size_t kForeignReservedAt = 12;

// Offsets within the value that says how keys are written.
constexpr std::size_t kKeysBytes = 4;
constexpr std::size_t kEncodingAt = 0;
constexpr std::size_t kNormaliseAt = 1;
constexpr std::size_t kKeysReservedAt = 2;

constexpr std::size_t kIdentityBytes = 16;
constexpr std::size_t kSourceBytes = 24;
constexpr std::size_t kLiveBytes = 24;

// Offsets within the value of a part.
constexpr std::size_t kPartBytes = 16;
constexpr std::size_t kPartCountAt = 4;
constexpr std::size_t kWholeBitsAt = 8;

void append(std::vector<std::byte>& to, std::uint16_t tag, const void* value, std::size_t count) {
  const std::size_t at = to.size();
  to.resize(at + (kTagBytes + count + kUnit - 1) / kUnit * kUnit);
  put_number(to, at, tag);
  put_number(to, at + 2, static_cast<std::uint16_t>(count));
  std::memcpy(to.data() + at + kTagBytes, value, count);
}

constexpr std::size_t kGrowthBytes = 16;
constexpr std::size_t kLayerBytes = 40;
constexpr std::size_t kMostLayers = 255;  // of any kind; each checks its own
constexpr std::uint32_t kMostProbes = 255;

//   0 expansion 8   8 tightening 8   then for each layer
//   0 bit count 8   8 capacity 8   16 rate 8   24 inserted 8   32 probe count 1   33 lines a key 1
//   34 zeros 6
std::vector<std::byte> encode_layers(const Growth& growth, std::span<const Layer> layers) {
  std::vector<std::byte> value(kGrowthBytes + layers.size() * kLayerBytes);
  put_number(value, 0, growth.expansion);
  put_number(value, 8, growth.tightening);
  std::size_t at = kGrowthBytes;
  for (const Layer& layer : layers) {
    put_number(value, at, layer.geometry.bit_count);
    put_number(value, at + 8, layer.capacity);
    put_number(value, at + 16, layer.false_positive_rate);
    put_number(value, at + 24, layer.inserted);
    put_number(value, at + 32, static_cast<std::uint8_t>(layer.geometry.probe_count));
    put_number(value, at + 33, static_cast<std::uint8_t>(layer.geometry.lines_per_key));
    at += kLayerBytes;
  }
  return value;
}

void decode_layers(std::span<const std::byte> value, TypedFields& fields) {
  fields.growth = {get_number<double>(value, 0), get_number<double>(value, 8)};
  for (std::size_t at = kGrowthBytes; at < value.size(); at += kLayerBytes) {
    fields.layers.push_back({.geometry = {get_number<std::uint64_t>(value, at),
                                          get_number<std::uint8_t>(value, at + 32),
                                          get_number<std::uint8_t>(value, at + 33)},
                             .capacity = get_number<std::uint64_t>(value, at + 8),
                             .false_positive_rate = get_number<double>(value, at + 16),
                             .inserted = get_number<std::uint64_t>(value, at + 24)});
  }
}

[[noreturn]] void refuse(std::uint64_t offset, const std::string& why) {
  throw FormatError("bad field at byte " + grouped(offset) + ": " + why);
}

void take_window(TypedFields& fields, std::span<const std::byte> value, std::uint64_t offset) {
  if (get_number<std::uint32_t>(value, kReservedAt) != 0) {
    refuse(offset, "bytes 12 to 15 of a window are not zero");
  }
  fields.window = {get_number<std::uint64_t>(value, kLengthAt),
                   get_number<std::uint32_t>(value, kGenerationsAt),
                   get_number<std::uint64_t>(value, kBitCountAt)};
}

void take_foreign(TypedFields& fields, std::span<const std::byte> value, std::uint64_t offset) {
  if (get_number<std::uint32_t>(value, kForeignReservedAt) != 0) {
    refuse(offset, "bytes 12 to 15 of a foreign scheme are not zero");
  }
  fields.foreign = {
      get_number<std::uint64_t>(value, 0),
      get_number<std::uint32_t>(value, kOptionsAt),
      {reinterpret_cast<const char*>(value.data()) + kForeignBytes, value.size() - kForeignBytes}};
}

void take_keys(TypedFields& fields, std::span<const std::byte> value, std::uint64_t offset) {
  fields.keys = KeyForm{static_cast<KeyEncoding>(get_number<std::uint8_t>(value, kEncodingAt)),
                        static_cast<Normalise>(get_number<std::uint8_t>(value, kNormaliseAt))};
  if (get_number<std::uint16_t>(value, kKeysReservedAt) != 0) {
    refuse(offset, "bytes 2 and 3 of the form of keys are not zero");
  }
  if (const std::string problem = form_problem(*fields.keys); !problem.empty()) {
    refuse(offset, problem);
  }
}

void take_part(TypedFields& fields, std::span<const std::byte> value, std::uint64_t offset) {
  fields.part = {get_number<std::uint32_t>(value, 0),
                 get_number<std::uint32_t>(value, kPartCountAt),
                 get_number<std::uint64_t>(value, kWholeBitsAt)};
  if (fields.part->count < 2 || fields.part->count > kMostParts ||
      fields.part->index > fields.part->count ||
      fields.part->bit_count / kLineBits < fields.part->count) {
    refuse(offset, "part " + std::to_string(fields.part->index) + " of " +
                       std::to_string(fields.part->count) + " is impossible");
  }
}

void take(TypedFields& fields, std::uint16_t tag, std::span<const std::byte> value,
          std::uint64_t offset) {
  const auto require = [&](bool right, const char* what) {
    if (!right) refuse(offset, std::to_string(value.size()) + " bytes, where " + what);
  };
  switch (tag) {
    case kSecretTag:
      require(value.size() == sizeof(SecretKey::words), "a secret key has 32");
      std::memcpy(fields.secret.emplace().words.data(), value.data(), value.size());
      return;
    case kWatermarkTag:
      require(value.size() == sizeof fields.watermark, "a watermark has 8");
      fields.watermark = get_number<std::uint64_t>(value, 0);
      return;
    case kNoteTag:
      require(!value.empty() && value.size() <= kMaxNoteBytes, "a note has 1 to 32,768");
      fields.note.assign(reinterpret_cast<const char*>(value.data()), value.size());
      return;
    case kLayersTag:
      require(value.size() > kGrowthBytes &&
                  value.size() <= kGrowthBytes + kMostLayers * kLayerBytes &&
                  (value.size() - kGrowthBytes) % kLayerBytes == 0,
              "layers have 16 and 40 for each of 1 to 255");
      decode_layers(value, fields);
      return;
    case kWindowTag:
      require(value.size() == kWindowBytes, "a window has 24");
      return take_window(fields, value, offset);
    case kForeignTag:
      require(value.size() >= kForeignBytes && value.size() <= kMaxNoteBytes,
              "a foreign scheme has 16 to 32,768");
      return take_foreign(fields, value, offset);
    case kKeysTag:
      require(value.size() == kKeysBytes, "the form of keys has 4");
      return take_keys(fields, value, offset);
    case kIdentityTag:
      require(value.size() == kIdentityBytes, "an identity has 16");
      fields.identity = {get_number<std::uint64_t>(value, 0), get_number<std::uint64_t>(value, 8)};
      if (!fields.identity.is_set()) refuse(offset, "an identity of zeros");
      return;
    case kSourceTag:
      require(value.size() == kSourceBytes, "the source of a watermark has 24");
      fields.source = {get_number<std::uint64_t>(value, 0), get_number<std::uint64_t>(value, 8)};
      fields.beat = get_number<std::uint64_t>(value, kIdentityBytes);
      if (!fields.source.is_set() && fields.beat == 0) refuse(offset, "it says nothing");
      return;
    case kPartTag:
      require(value.size() == kPartBytes, "a part of a filter has 16");
      return take_part(fields, value, offset);
    case kLiveTag:
      require(value.size() == kLiveBytes, "what lives on a machine has 24");
      fields.live = {{get_number<std::uint64_t>(value, 0), get_number<std::uint64_t>(value, 8)},
                     get_number<std::uint64_t>(value, kIdentityBytes)};
      if (!fields.live->boot.is_set()) refuse(offset, "a start of zeros");
      return;
    case kLiveNotesTag:
      require(value.size() == sizeof kLiveNotesAt, "where notes move has 8");
      if (!fields.live) refuse(offset, "notes that move, of a file that is not live");
      if (get_number<std::uint64_t>(value, 0) != kLiveNotesAt) {
        refuse(offset, "notes that move, where none are");
      }
      fields.live->has_notes = true;
      return;
    case kChainTag:
      require(!value.empty() && value.size() <= kMaxChainBytes,
              "a place among what came has 1 to 32,768");
      fields.chain.assign(reinterpret_cast<const char*>(value.data()), value.size());
      return;
    default:
      if (tag < kFirstSkippableTag) refuse(offset, "unknown tag " + std::to_string(tag));
  }
}

void require_encodable(const TypedFields& fields) {
  if (fields.note.size() > kMaxNoteBytes) {
    throw std::invalid_argument("the note has " + grouped(fields.note.size()) +
                                " bytes; at most 32,768 are allowed");
  }
  if (fields.foreign && kForeignBytes + fields.foreign->data.size() > kMaxNoteBytes) {
    throw std::invalid_argument(grouped(fields.foreign->data.size()) +
                                " bytes that the format carries along; at most 32,752");
  }
  for (const Layer& layer : fields.layers) {
    if (fields.layers.size() <= kMostLayers && layer.geometry.probe_count <= kMostProbes) continue;
    throw std::invalid_argument(
        "a chain of " + std::to_string(fields.layers.size()) + " layers with up to " +
        std::to_string(fields.layers.back().geometry.probe_count) +
        " probes, where files of our own hold at most 255 layers of at most 255 probes; formats "
        "redisbloom and redisbloom-dump hold it");
  }
}

void append_window(std::vector<std::byte>& bytes, const auto& window) {
  std::array<std::byte, kWindowBytes> field{};
  put_number(std::span(field), kLengthAt, window.length_ms);
  put_number(std::span(field), kGenerationsAt, window.generations);
  put_number(std::span(field), kBitCountAt, window.bit_count);
  append(bytes, kWindowTag, field.data(), field.size());
}

void append_foreign(std::vector<std::byte>& bytes, const auto& foreign) {
  std::vector<std::byte> field(kForeignBytes + foreign.data.size());
  put_number(std::span(field), 0, foreign.bit_count);
  put_number(std::span(field), kOptionsAt, foreign.options);
  std::ranges::copy(std::as_bytes(std::span(foreign.data)), field.begin() + kForeignBytes);
  append(bytes, kForeignTag, field.data(), field.size());
}

void append_keys(std::vector<std::byte>& bytes, const KeyForm& keys) {
  std::array<std::byte, kKeysBytes> field{};
  put_number(std::span(field), kEncodingAt, static_cast<std::uint8_t>(keys.encoding));
  put_number(std::span(field), kNormaliseAt, static_cast<std::uint8_t>(keys.normalise));
  append(bytes, kKeysTag, field.data(), field.size());
}

void append_part(std::vector<std::byte>& bytes, const FilePart& part) {
  std::array<std::byte, kPartBytes> field{};
  put_number(std::span(field), 0, part.index);
  put_number(std::span(field), kPartCountAt, part.count);
  put_number(std::span(field), kWholeBitsAt, part.bit_count);
  append(bytes, kPartTag, field.data(), field.size());
}

}  // namespace

std::vector<std::byte> encode_fields(const TypedFields& fields) {
  require_encodable(fields);
  std::vector<std::byte> bytes;
  if (fields.secret) {
    append(bytes, kSecretTag, fields.secret->words.data(), sizeof fields.secret->words);
  }
  if (fields.watermark != 0 || fields.source.is_set()) {
    append(bytes, kWatermarkTag, &fields.watermark, sizeof fields.watermark);
  }
  if (!fields.note.empty()) append(bytes, kNoteTag, fields.note.data(), fields.note.size());
  if (!fields.layers.empty()) {
    const auto layers = encode_layers(fields.growth, fields.layers);
    append(bytes, kLayersTag, layers.data(), layers.size());
  }
  if (fields.window) append_window(bytes, *fields.window);
  if (fields.foreign) append_foreign(bytes, *fields.foreign);
  if (fields.keys) append_keys(bytes, *fields.keys);
  if (fields.identity.is_set()) {
    const std::array identity{fields.identity.high, fields.identity.low};
    append(bytes, kIdentityTag, identity.data(), kIdentityBytes);
  }
  if (fields.source.is_set() || fields.beat != 0) {
    const std::array source{fields.source.high, fields.source.low, fields.beat};
    append(bytes, kSourceTag, source.data(), kSourceBytes);
  }
  if (fields.part) append_part(bytes, *fields.part);
  if (fields.live) {
    const std::array live{fields.live->boot.high, fields.live->boot.low, fields.live->count_base};
    append(bytes, kLiveTag, live.data(), kLiveBytes);
    if (fields.live->has_notes) append(bytes, kLiveNotesTag, &kLiveNotesAt, sizeof kLiveNotesAt);
  }
  if (fields.chain.size() > kMaxChainBytes || bytes.size() + fields.chain.size() > kMostFields) {
    throw std::invalid_argument("a place among what came of " + grouped(fields.chain.size()) +
                                " bytes, which no file holds");
  }
  if (!fields.chain.empty()) append(bytes, kChainTag, fields.chain.data(), fields.chain.size());
  return bytes;
}

TypedFields decode_fields(std::span<const std::byte> bytes, std::uint64_t file_offset) {
  TypedFields fields;
  std::uint16_t last_tag = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::uint64_t offset = file_offset + at;
    const auto field = bytes.subspan(at);
    if (field.size() < kUnit) refuse(offset, "it is cut off");
    const auto tag = get_number<std::uint16_t>(field, 0);
    const std::size_t count = get_number<std::uint16_t>(field, 2);
    const std::size_t whole = (kTagBytes + count + kUnit - 1) / kUnit * kUnit;
    if (tag <= last_tag) refuse(offset, "tags must rise from 1");
    if (whole > field.size()) {
      refuse(offset, std::to_string(count) + " bytes do not fit before the end of the fields");
    }
    const auto padding = field.subspan(kTagBytes + count, whole - kTagBytes - count);
    if (std::ranges::any_of(padding, [](std::byte b) { return b != std::byte{0}; })) {
      refuse(offset, "its padding is not zero");
    }
    take(fields, tag, field.subspan(kTagBytes, count), offset);
    last_tag = tag;
    at += whole;
  }
  return fields;
}

}  // namespace bloomery
