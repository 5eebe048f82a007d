// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/native_bitmap.h"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <vector>

#include "bloomery/bits/byte_order.h"
#include "bloomery/errors.h"
#include "bloomery/filter/blocked_layout.h"
#include "bloomery/filter/classic_layout.h"
#include "bloomery/filter/native_probes.h"
#include "bloomery/format/kinds.h"

namespace bloomery::redis {
namespace {

constexpr std::uint64_t kRoomForFields = 64;  // what identity, watermark and source take

// KEYS: the filter. ARGV: the head that must be there, the one that takes its place.
constexpr std::string_view kExchangeHead = R"(
if redis.call('GETRANGE', KEYS[1], 0, #ARGV[1] - 1) ~= ARGV[1] then return 0 end
redis.call('SETRANGE', KEYS[1], 0, ARGV[2])
return 1
)";

std::uint64_t used_bytes(const FileLayout& layout) noexcept {
  return kHeaderBytes + layout.field_bytes;
}

}  // namespace

std::string_view native_magic() noexcept {
  return {reinterpret_cast<const char*>(kFileMagic.data()), kFileMagic.size()};
}

bool NativeBitmapHead::has_bits_of(const NativeBitmapHead& other) const {
  return header.layout.body_offset == other.header.layout.body_offset &&
         header.part == other.header.part &&
         incompatibility(header.contents.parameters, other.header.contents.parameters).empty();
}

PlaceHead NativeBitmapHead::place_head() const {
  return {.identity = header.notes.identity,
          .parameters = header.contents.parameters,
          .inserted = header.contents.inserted,
          .watermark = header.notes.reached(),
          .beat = header.notes.beat};
}

std::uint64_t read_length(const NativeBitmapHead& head) noexcept {
  return std::min(used_bytes(head.header.layout) + kRoomForFields, head.header.layout.body_offset);
}

NativeBitmapHead read_native_head(std::string_view bytes, std::uint64_t byte_count) {
  // Behind the fields are zeros up to the body, which need not all have been read.
  std::uint64_t size = std::min(byte_count, kBodyAlignment);
  if (bytes.size() >= kHeaderBytes) {
    const auto fields = get_number<std::uint16_t>(std::as_bytes(std::span(bytes)), kFieldBytesAt);
    size = std::min(byte_count, FileLayout::of(fields, 0).body_offset);
  }
  std::vector<std::byte> head(size);
  bytes = bytes.substr(0, size);
  std::ranges::copy(std::as_bytes(std::span(bytes)), head.begin());
  NativeBitmapHead read{.header = decode_head(head, byte_count, Parts::taken)};
  // A server may be told to take longer ones; the bits beyond are not reached.
  if (byte_count > kMostStringBytes) {
    throw FormatError("it has " + std::to_string(byte_count) +
                      " bytes, and a filter in a string 512 MiB at the most");
  }
  if (read.header.open_for_writing) {
    throw FormatError("not closed cleanly: it is the file of a writer that had it open");
  }
  try {
    require_lives_in_string(read.header.contents.parameters.kind, "it");
  } catch (const std::invalid_argument& error) {
    throw FormatError(error.what());
  }
  read.bytes = bytes.substr(0, used_bytes(read.header.layout));
  return read;
}

void require_lives_in_string(FilterKind kind, const std::string& name) {
  if (is_changed_in_place(kind)) return;
  throw std::invalid_argument(name + ": a filter of the kind " + std::string(kind_of(kind).name) +
                              " does not live in a string of a server; blocked and classic ones "
                              "do");
}

void require_lives_in_string(const FilterContents& contents, std::uint32_t partitions,
                             const std::string& name) {
  require_lives_in_string(contents.parameters.kind, name);
  const std::uint64_t bytes = contents.parameters.geometry.bit_count / 8 / partitions;
  // The head and the checksums take the rest.
  constexpr std::uint64_t kMostBodyBytes = kMostStringBytes - (1 << 17);
  if (bytes <= kMostBodyBytes) return;
  throw std::invalid_argument(name + ": " + std::to_string(bytes) +
                              " bytes of bits, where one string holds 512 MiB");
}

std::uint64_t string_offset(const FileLayout& layout, std::uint64_t position) noexcept {
  return 8 * (layout.body_offset + position / 8) + 7 - position % 8;
}

Positions native_positions(const FilterParameters& parameters) {
  if (parameters.kind == BlockedLayout::kKind) return positions_of<BlockedLayout>(parameters);
  return positions_of<ClassicLayout<NativeProbes>>(parameters);
}

Hashes native_hashes(const FilterParameters& parameters) {
  if (parameters.kind == BlockedLayout::kKind) {
    return [layout = WholeLayout<BlockedLayout>(parameters)](Key key) { return layout.hash(key); };
  }
  return [layout = WholeLayout<ClassicLayout<NativeProbes>>(parameters)](Key key) {
    return layout.hash(key);
  };
}

std::string head_bytes(const FileHeader& header, const std::string& name) {
  const auto all = encode_head(header);
  if (all.size() != header.layout.body_offset) {
    throw StoreError(name +
                     ": its head has no room for an identity and a watermark; convert makes "
                     "one that has");
  }
  return {reinterpret_cast<const char*>(all.data()), all.size()};
}

std::string next_head(const NativeBitmapHead& old, const FileHeader& next,
                      const std::string& name) {
  std::string bytes = head_bytes(next, name);
  const std::size_t last = bytes.find_last_not_of('\0') + 1;
  bytes.resize(std::max(last, old.bytes.size()));
  return bytes;
}

void append_head_exchange(Request& request, const std::string& key, const NativeBitmapHead& old,
                          const FileHeader& next) {
  request.add({"EVAL", kExchangeHead, "1", key, old.bytes, next_head(old, next, key)});
}

// Not the flags, the fields and how many keys there are: bytes 9, 14, 15 and those from 32 on.
std::string geometry_bytes(const FileHeader& header) {
  const auto head = encode_head(header);
  const std::string_view all(reinterpret_cast<const char*>(head.data()), head.size());
  return std::string(all.substr(0, 9)).append(all, 10, 4).append(all, 16, 16);
}

}  // namespace bloomery::redis
