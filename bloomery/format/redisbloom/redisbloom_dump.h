// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "bloomery/bits/shared_words.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/format/byte_ranges.h"
#include "bloomery/format/format.h"
#include "bloomery/format/redisbloom/redisbloom_filter.h"
#include "bloomery/format/redisbloom/redisbloom_hash_seed.h"

// The dump that BF.SCANDUMP gives and BF.LOADCHUNK takes: a header, then the links' bytes in
// chunks. Numbers are little-endian and packed.
//
//   header:  size 8   links 4   options 4   growth 4     then for each link, 53 bytes
//   link:    bytes 8   bits 8   size 8   error f64   bits per entry f64   hashes 4   entries 8   n2
//   1
//
// Before 2.2 there was no growth, and entries had 4 bytes: 16 + 49 bytes a link; in 2.2.0 entries
// still had: 20 + 49. A filter of a server with a hash seed, which came after 8.8, has a version 8
// and the seed 8 behind its header, and its keys cannot be told without it. A link of 2^n bits
// says n2 = n, and 0 for bits up to 2.0.3; others have n2 = 0. Bit i is bit (i mod 8), from the
// least significant, of byte i / 8 of the link.
//
// A dump in a file is the header and then the bytes of all links, the oldest first.
namespace bloomery::redisbloom {

inline constexpr std::uint64_t kMostChunkBytes = std::uint64_t{16} << 20;

// Throw FormatError, naming offset and field.
FilterContents decode_header(std::span<const std::byte> header);
AnyFilter decode_dump(std::span<const std::byte> bytes);

std::vector<std::byte> encode_header(const FilterContents& contents);
void encode_dump(const FilterContents& contents, const ByteSink& sink);

// An answer of BF.SCANDUMP: the next iterator, and bytes that belong to the filter.
// Iterator 1 is behind the header, and 1 + n behind n bytes of links; {0, none} is the end.
struct Chunk {
  std::uint64_t next = 0;
  std::span<const std::byte> bytes{};
};
Chunk dump_chunk(const FilterContents& contents, std::uint64_t iterator,
                 std::uint64_t most_bytes = kMostChunkBytes);

// A chain that comes in pieces, in any order, each with the iterator that followed it.
class ChunkLoader {
 public:
  // Takes the memory that `header`, of decode_header, says: who does not trust it limits
  // memory_bytes() first. Throws std::invalid_argument where the machine's memory cannot hold it.
  explicit ChunkLoader(FilterContents header);
  // Goes on with one whose words and ranges were kept.
  ChunkLoader(FilterContents header, std::vector<SharedWords> words, ByteRanges loaded);

  enum class Took : std::uint8_t { all, no_such_link, beyond_its_link };
  Took load(std::uint64_t iterator, std::span<const std::byte> bytes);
  // Notes that these bytes are there already.
  void came(std::uint64_t first, std::uint64_t end) { loaded_.add(first, end); }

  const FilterContents& header() const noexcept { return header_; }
  // Bytes that no piece has brought yet. With none the chain is whole.
  std::uint64_t missing_bytes() const noexcept;
  const ByteRanges& loaded() const noexcept { return loaded_; }

  // The chain over the words as they are, which later pieces go on to fill. Throws FormatError
  // where bits beyond a link's last are set.
  AnyFilter chain() const;

 private:
  FilterContents header_;
  std::vector<SharedWords> words_;
  ByteRanges loaded_;
};

// One link's words of its bytes, which are as many as link_bytes() says. Throws FormatError, naming
// `format`, where bits beyond its last are set.
SharedWords words_of_link(const Layer& link, std::span<const std::byte> bytes, const char* format);
// The words of a link whose link_bytes(link) bytes `fill` writes to their place.
SharedWords words_of_link(const Layer& link, const std::function<void(std::span<std::byte>)>& fill,
                          const char* format);
std::span<const std::byte> bytes_of_link(const FilterContents& contents, std::size_t i) noexcept;

// Descriptions that this format and that of DUMP share.
inline constexpr std::string_view kHashText = "MurmurHash64A (MurmurHash2 up to 1.1.0)";
inline constexpr std::string_view kRuleText =
    "(a + i b) mod m in each link, a seeded and b seeded with a";
inline constexpr std::string_view kLimitsText =
    "1 to 2048 links of at most 2^59 bits and 1078 probes";
inline constexpr std::string_view kSettingsText = "expansion nonscaling generation";

extern const Format kFormat;

}  // namespace bloomery::redisbloom
