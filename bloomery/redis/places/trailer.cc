// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/trailer.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "bloomery/bits/byte_order.h"
#include "bloomery/format/native/crc32c.h"

namespace bloomery::redis {
namespace {

constexpr std::string_view kTrailerMagic = "BLMYTRL1";
constexpr std::size_t kChecksumAt = 76;

using TrailerBytes = std::array<std::byte, kTrailerBytes>;

void put_identity(TrailerBytes& bytes, std::size_t at, const Identity& identity) {
  put_number(std::span(bytes), at, identity.high);
  put_number(std::span(bytes), at + 8, identity.low);
}

Identity get_identity(std::span<const std::byte> bytes, std::size_t at) {
  return {get_number<std::uint64_t>(bytes, at), get_number<std::uint64_t>(bytes, at + 8)};
}

// Returns whether the bit count in a trailer is that of a bitmap whose bits end at `offset`, in
// bytes.
bool says_offset(std::string_view bytes, std::uint64_t offset) {
  const auto bits = get_number<std::uint64_t>(std::as_bytes(std::span(bytes)), 8);
  return bits / 8 + (bits % 8 != 0 ? 1 : 0) == offset;
}

}  // namespace

PlaceHead Trailer::place_head(const FilterParameters& parameters) const {
  PlaceHead head{.identity = notes.identity,
                 .parameters = parameters,
                 .watermark = notes.reached(),
                 .beat = notes.beat};
  head.parameters.keys = keys;
  return head;
}

std::uint64_t trailer_offset(const FilterParameters& parameters) noexcept {
  return (parameters.geometry.bit_count + 7) / 8;
}

std::string trailer_bytes(const Trailer& trailer, const FilterParameters& parameters) {
  TrailerBytes bytes{};
  std::ranges::copy(std::as_bytes(std::span(kTrailerMagic)), bytes.begin());
  const std::span<std::byte> all(bytes);
  put_number(all, 8, parameters.geometry.bit_count);
  put_number(all, 16, std::uint32_t{parameters.geometry.probe_count});
  put_number(all, 20, static_cast<std::uint8_t>(parameters.kind));
  put_number(all, 21, static_cast<std::uint8_t>(trailer.keys.encoding));
  put_number(all, 22, static_cast<std::uint8_t>(trailer.keys.normalise));
  put_identity(bytes, 24, trailer.notes.identity);
  put_identity(bytes, 40, trailer.notes.source);
  put_number(all, 56, trailer.notes.watermark);
  put_number(all, 64, trailer.notes.beat);
  put_number(all, kChecksumAt, crc32c(all.first(kChecksumAt)));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::optional<Trailer> read_trailer(std::string_view bytes, const FilterParameters& parameters) {
  if (bytes.size() != kTrailerBytes) return std::nullopt;
  const auto all = std::as_bytes(std::span(bytes));
  Trailer trailer;
  trailer.keys = {static_cast<KeyEncoding>(get_number<std::uint8_t>(all, 21)),
                  static_cast<Normalise>(get_number<std::uint8_t>(all, 22))};
  trailer.notes.identity = get_identity(all, 24);
  trailer.notes.source = get_identity(all, 40);
  trailer.notes.watermark = get_number<std::uint64_t>(all, 56);
  trailer.notes.beat = get_number<std::uint64_t>(all, 64);
  // Checksum, magic, parameters and zeros at once.
  if (trailer_bytes(trailer, parameters) != bytes) return std::nullopt;
  if (!trailer.notes.identity.is_set() || !form_problem(trailer.keys).empty()) return std::nullopt;
  return trailer;
}

bool is_trailer_at(std::string_view bytes, std::uint64_t offset) {
  if (bytes.size() != kTrailerBytes || !bytes.starts_with(kTrailerMagic)) return false;
  const auto all = std::as_bytes(std::span(bytes));
  return says_offset(bytes, offset) &&
         get_number<std::uint32_t>(all, kChecksumAt) == crc32c(all.first(kChecksumAt));
}

bool was_trailer_at(std::string_view bytes, std::uint64_t offset) {
  return bytes.size() == kTrailerBytes &&
         (bytes.starts_with(kTrailerMagic) || says_offset(bytes, offset));
}

}  // namespace bloomery::redis
