// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/parquet.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/make_kind.h"
#include "bloomery/format/byte_reader.h"
#include "bloomery/format/kinds.h"

namespace bloomery::parquet {
namespace {

constexpr std::uint64_t kBlockBytes = SplitBlock::kLineBits / 8;
constexpr std::uint64_t kMostBytes = 0x7fffffff / kBlockBytes * kBlockBytes;  // numBytes is an i32
constexpr std::uint64_t kMostWrittenBytes = std::uint64_t{128} << 20;

// Types of Thrift's compact protocol.
constexpr std::uint8_t kStop = 0;
constexpr std::uint8_t kI32 = 5;
constexpr std::uint8_t kStruct = 12;

constexpr const char* kFields[] = {"", "numBytes", "algorithm", "hash", "compression"};
constexpr const char* kOnly[] = {"", "", "BLOCK", "XXHASH", "UNCOMPRESSED"};

// The few things of the compact protocol that the header is made of.
class HeaderReader {
 public:
  explicit HeaderReader(ByteReader& read) : read_(read) {}

  std::uint64_t byte_count() {
    std::uint64_t count = 0;
    std::uint32_t seen = 0;
    for (std::uint32_t id = 0, type = 0; next_field("field", id, type);) {
      const std::size_t at = read_.offset();
      if (id < 1 || id > 4) {
        read_.refuse("field", "number " + std::to_string(id) + "; 1 to 4 are known");
      }
      const std::uint32_t wanted = id == 1 ? kI32 : kStruct;
      if (type != wanted) {
        read_.refuse(kFields[id], "of type " + std::to_string(type) + "; " +
                                      std::to_string(wanted) + " is known");
      }
      if ((seen >> id & 1) != 0) read_.refuse(at, kFields[id], "is there twice");
      seen |= 1U << id;
      if (id == 1) {
        count = number(kFields[id]);
      } else {
        only_choice(id);
      }
    }
    for (std::uint32_t id = 1; id <= 4; ++id) {
      if ((seen >> id & 1) == 0) read_.refuse(kFields[id], "is missing");
    }
    return count;
  }

 private:
  // False at the end of a struct. `id` is the field before, 0 for none, and becomes that of this.
  bool next_field(const char* what, std::uint32_t& id, std::uint32_t& type) {
    const auto head = read_.little<std::uint8_t>(what);
    if (head == kStop) return false;
    type = head & 15;
    const std::uint32_t step = head >> 4;
    id = step != 0 ? id + step : static_cast<std::uint32_t>(number(what));
    return true;
  }

  // A varint of up to 31 bits in zigzag, not negative.
  std::uint64_t number(const char* what) {
    const std::size_t at = read_.offset();
    std::uint64_t raw = 0;
    for (std::uint32_t shift = 0; shift < 35; shift += 7) {
      const auto byte = read_.little<std::uint8_t>(what);
      raw |= std::uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80) != 0) continue;
      if ((raw & 1) != 0) read_.refuse(at, what, "is negative");
      return raw >> 1;
    }
    read_.refuse(at, what, "is a number of more than 5 bytes");
  }

  // A union whose one known member is an empty struct.
  void only_choice(std::uint32_t of) {
    const std::size_t at = read_.offset();
    std::uint32_t id = 0;
    std::uint32_t type = 0;
    std::uint32_t none = 0;
    const bool known = next_field(kFields[of], id, type) && id == 1 && type == kStruct &&
                       !next_field(kFields[of], none, type) && !next_field(kFields[of], id, type);
    if (!known) read_.refuse(at, kFields[of], "not " + std::string(kOnly[of]));
  }

  ByteReader& read_;
};

std::vector<std::byte> header_of(std::uint64_t byte_count) {
  std::vector<std::byte> header;
  const auto put = [&](std::uint64_t byte) { header.push_back(static_cast<std::byte>(byte)); };
  put(0x15);
  std::uint64_t zigzag = byte_count << 1;
  for (; zigzag >= 0x80; zigzag >>= 7) put(zigzag | 0x80);
  put(zigzag);
  for (int field = 2; field <= 4; ++field) {
    for (const std::uint64_t byte : {0x1c, 0x1c, 0x00, 0x00}) put(byte);
  }
  put(0);
  return header;
}

AnyFilter decode_any(std::span<const std::byte> bytes, const FormatSettings& settings) {
  refuse_settings(settings, kFormat.name);
  return decode(bytes);
}

AnyFilter create_any(const FilterOptions& options, const FormatSettings& settings) {
  refuse_settings(settings, kFormat.name);
  return make_foreign({.kind = FilterKind::parquet,
                       .geometry = SplitBlock::geometry(options),
                       .capacity = options.capacity,
                       .false_positive_rate = options.false_positive_rate});
}

void encode_any(const FilterContents& contents, const ByteSink& sink) {
  const std::uint64_t byte_count = contents.parameters.geometry.bit_count / 8;
  sink(header_of(byte_count));
  write_bits(contents.words.front(), byte_count, BitOrder::lsb_first, sink);
}

constexpr Kind kKind = flat_kind<OneLineLayout<SplitBlock>>({"parquet", "XXH64"});
constexpr std::array kKinds{&kKind};

double rate_of(const Geometry& geometry, double keys) noexcept {
  return OneLineLayout<SplitBlock>::rate({.geometry = geometry}, keys);
}

Geometry geometry_of(std::uint64_t byte_count) noexcept {
  return {.bit_count = byte_count * 8,
          .probe_count = SplitBlock::kLanes,
          .lines_per_key = 1,
          .line_bits = SplitBlock::kLineBits};
}

}  // namespace

Geometry SplitBlock::geometry(const FilterOptions& options) {
  validate(options);
  const auto keys = static_cast<double>(options.capacity);
  const double bits = -8 * keys / std::log1p(-std::pow(options.false_positive_rate, 1.0 / 8));
  std::uint64_t bytes = kBlockBytes;
  while (static_cast<double>(bytes) * 8 < std::floor(bits) && bytes <= kMostWrittenBytes) {
    bytes *= 2;
  }
  const auto keeps_rate = [&] {
    return rate_of(geometry_of(bytes), keys) <= options.false_positive_rate;
  };
  while (bytes <= kMostWrittenBytes && !keeps_rate()) bytes *= 2;
  if (bytes > kMostWrittenBytes) {
    throw std::invalid_argument(
        "parquet: " + std::to_string(options.capacity) +
        " keys at that rate take more than 128 MiB, where Parquet's writers stop; fewer keys a "
        "filter, or a higher rate");
  }
  return geometry_of(bytes);
}

void SplitBlock::check(const FilterParameters& parameters) {
  const Geometry& geometry = parameters.geometry;
  if (geometry.probe_count != kLanes || geometry.bit_count / 8 > kMostBytes) {
    throw FormatError(
        "impossible geometry of a Parquet filter: " + std::to_string(geometry.probe_count) +
        " probes (8), " + std::to_string(geometry.bit_count) + " bits (up to 2^34 - 256)");
  }
}

AnyFilter decode(std::span<const std::byte> bytes) {
  ByteReader read(bytes, "a Parquet Bloom filter");
  if (bytes.size() >= 4 && std::memcmp(bytes.data(), "PAR1", 4) == 0) {
    read.refuse("header",
                "this is a whole Parquet file; a column chunk's filter stands at its "
                "bloom_filter_offset");
  }
  const std::uint64_t byte_count = HeaderReader(read).byte_count();
  if (byte_count == 0 || byte_count % kBlockBytes != 0) {
    read.refuse(0, "numBytes", std::to_string(byte_count) + "; blocks of 32");
  }
  const auto body = read.take(byte_count, "blocks");
  if (read.left() != 0) {
    read.refuse("end", std::to_string(read.left()) + " bytes follow the filter");
  }

  FilterContents contents;
  FilterParameters& parameters = contents.parameters;
  parameters.kind = FilterKind::parquet;
  parameters.geometry = geometry_of(byte_count);
  derive_promise(parameters);
  parameters.false_positive_rate =
      rate_of(parameters.geometry, static_cast<double>(parameters.capacity));
  HeapWords words(byte_count / sizeof(std::uint64_t));
  std::memcpy(words.words().data(), body.data(), body.size());
  return open_foreign(contents, std::move(words));
}

const Format kFormat{
    .name = "parquet",
    .system = "Apache Parquet split-block filter of a column chunk",
    .hash = "XXH64, seed 0",
    .rule = "block by the high 32 bits; in each of 8 lanes the bit (low 32 bits x salt) / 2^27",
    .limits = "8 probes; blocks of 32 bytes, up to 128 MiB where written",
    .warning = "",
    .settings = "",
    .keys = "text",
    .kinds = kKinds,
    .decode = decode_any,
    .create = create_any,
    .encode = encode_any,
    .settings_of = nullptr,
    .advice = nullptr,
};

}  // namespace bloomery::parquet
