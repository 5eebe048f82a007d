// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/redisbloom/redisbloom_dump.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "bloomery/bits/byte_order.h"
#include "bloomery/errors.h"
#include "bloomery/format/byte_reader.h"

namespace bloomery::redisbloom {
namespace {

constexpr const char* kDump = "a RedisBloom dump";

struct HeaderShape {
  std::size_t head_bytes;
  std::size_t link_bytes;
  std::size_t tail_bytes = 0;

  bool has_growth() const noexcept { return head_bytes == 20; }
  bool has_wide_entries() const noexcept { return link_bytes == 53; }
  std::uint64_t bytes(std::uint64_t links) const noexcept {
    return head_bytes + links * link_bytes + tail_bytes;
  }
};
constexpr HeaderShape kCurrent{20, 53};
constexpr HeaderShape kShort{16, 49};
constexpr HeaderShape kSeeded{20, 53, kHashSeedBytes};
constexpr std::array kShapes{kCurrent, kShort, HeaderShape{20, 49}, kSeeded};

StoredLink read_link(ByteReader& read, const HeaderShape& shape) {
  StoredLink link;
  link.bytes = read.little<std::uint64_t>("bytes of a link");
  link.bits = read.little<std::uint64_t>("bits of a link");
  link.size = read.little<std::uint64_t>("size of a link");
  link.error = read.little<double>("error of a link");
  link.bits_per_key = read.little<double>("bits per entry of a link");
  link.hashes = read.little<std::uint32_t>("hashes of a link");
  link.entries = shape.has_wide_entries() ? read.little<std::uint64_t>("entries of a link")
                                          : read.little<std::uint32_t>("entries of a link");
  link.n2 = read.little<std::uint8_t>("n2 of a link");
  return link;
}

StoredChain read_head(ByteReader& read, const HeaderShape& shape, std::uint32_t& links) {
  StoredChain chain;
  chain.size = read.little<std::uint64_t>("size");
  links = read.little<std::uint32_t>("links");
  if (links == 0 || links > kMostLinks) {
    read.refuse(8, "links",
                std::to_string(links) + ", where there are 1 to " + std::to_string(kMostLinks));
  }
  chain.options = read.little<std::uint32_t>("options");
  if (shape.has_growth()) chain.growth = read.little<std::uint32_t>("growth");
  return chain;
}

// Returns whether a header of this shape and the bytes that its links claim are `byte_count`.
bool fits(std::span<const std::byte> bytes, const HeaderShape& shape, std::uint64_t byte_count) {
  try {
    ByteReader read(bytes, kDump);
    std::uint32_t links = 0;
    read_head(read, shape, links);
    Uint128 sum = shape.bytes(links);
    for (std::uint32_t i = 0; i < links; ++i) sum += read_link(read, shape).bytes;
    return sum == byte_count;
  } catch (const FormatError&) {
    return false;
  }
}

bool has_hash_seed(const HeaderShape& shape, ByteReader& read) {
  return shape.tail_bytes != 0 &&
         redisbloom::has_hash_seed(read.take(shape.tail_bytes, "hash seed"));
}

FilterContents read_header(ByteReader& read, const HeaderShape& shape) {
  std::uint32_t links = 0;
  StoredChain chain = read_head(read, shape, links);
  for (std::uint32_t i = 0; i < links; ++i) {
    const std::size_t at = read.offset();
    chain.links.push_back(read_link(read, shape));
    try {
      accept_link(chain.options, chain.links.back());
    } catch (const std::invalid_argument& error) {
      read.refuse(at, "link", "link " + std::to_string(i) + ": " + error.what());
    }
  }
  if (has_hash_seed(shape, read)) throw HashSeedError();
  try {
    FilterContents contents = accept_chain(chain);
    if (!shape.has_growth()) contents.parameters.foreign_options |= kShortHeader;
    return contents;
  } catch (const std::invalid_argument& error) {
    read.refuse(0, "header", error.what());
  }
}

// The link of a byte of all, and where in it.
struct Place {
  std::size_t link = 0;
  std::uint64_t offset = 0;
};
bool find_place(const FilterContents& contents, std::uint64_t offset, Place& place) noexcept {
  for (place = {0, offset}; place.link < contents.layers.size(); ++place.link) {
    const std::uint64_t bytes = link_bytes(contents.layers[place.link]);
    if (place.offset < bytes) return true;
    place.offset -= bytes;
  }
  return false;
}

AnyFilter decode_any(std::span<const std::byte> bytes, const FormatSettings& settings) {
  const SettingsReader known(settings, kFormat.name, kFormat.settings);
  return decode_dump(bytes);
}

AnyFilter create_any(const FilterOptions& options, const FormatSettings& settings) {
  const SettingsReader read(settings, kFormat.name, kFormat.settings);
  const std::uint64_t expansion = read.count("expansion").value_or(2);
  if (expansion > 0xffffffff) read.refuse("expansion", "at most 4294967295");
  const std::string generation = read.word("generation", "2.2 2.0 1.1");
  return reserve({.capacity = options.capacity,
                  .error_rate = options.false_positive_rate,
                  .expansion = static_cast<std::uint32_t>(expansion),
                  .nonscaling = read.flag("nonscaling"),
                  .generation = generation == "2.2"   ? Generation::current
                                : generation == "2.0" ? Generation::v2_0
                                                      : Generation::v1_1});
}

constexpr std::array kKinds{&kKind, &kKind32};

}  // namespace

FilterContents decode_header(std::span<const std::byte> header) {
  ByteReader read(header, "a header of a RedisBloom dump");
  std::uint32_t links = 0;
  ByteReader head(header, "a header of a RedisBloom dump");
  read_head(head, kShort, links);
  const auto shape = std::ranges::find_if(
      kShapes, [&](const HeaderShape& each) { return header.size() == each.bytes(links); });
  if (shape == kShapes.end()) {
    read.refuse(8, "links",
                std::to_string(links) + ", which take " + std::to_string(kCurrent.bytes(links)) +
                    " bytes, or " + std::to_string(kShort.bytes(links)) +
                    " before 2.2, and there are " + std::to_string(header.size()));
  }
  return read_header(read, *shape);
}

AnyFilter decode_dump(std::span<const std::byte> bytes) {
  // Sizes alone do not tell all dumps apart: a present dump that was cut short is as long as one of
  // 2.2.0, and one with bytes behind it as long as one with a hash seed. Both are refused.
  const bool is_short = !fits(bytes, kCurrent, bytes.size()) && fits(bytes, kShort, bytes.size());
  if (!is_short && fits(bytes, kSeeded, bytes.size())) throw HashSeedError();
  ByteReader read(bytes, kDump);
  const FilterContents contents = read_header(read, is_short ? kShort : kCurrent);
  std::uint64_t claimed = 0;
  for (const Layer& link : contents.layers) claimed += link_bytes(link);
  if (claimed != read.left()) {
    read.refuse("bytes of the links",
                std::to_string(read.left()) + ", where the header says " + std::to_string(claimed));
  }
  std::vector<SharedWords> words;
  for (const Layer& link : contents.layers) {
    words.push_back(words_of_link(link, read.take(link_bytes(link), "bytes of a link"), kDump));
  }
  return open_chain(contents, words);
}

std::vector<std::byte> encode_header(const FilterContents& contents) {
  const std::uint32_t options = contents.parameters.foreign_options;
  const bool wide = std::ranges::any_of(
      contents.layers, [](const Layer& link) { return link.capacity > 0xffffffff; });
  const HeaderShape& shape = (options & kShortHeader) != 0 && !wide ? kShort : kCurrent;
  std::vector<std::byte> bytes(shape.bytes(contents.layers.size()));
  const std::span<std::byte> to(bytes);
  put_number(to, 0, contents.inserted);
  put_number(to, 8, static_cast<std::uint32_t>(contents.layers.size()));
  put_number(to, 12, options & kKnownOptions);
  if (shape.has_growth()) {
    put_number(to, 16, static_cast<std::uint32_t>(contents.parameters.growth.expansion));
  }
  std::size_t at = shape.head_bytes;
  for (const Layer& each : contents.layers) {
    const StoredLink link = stored_link(options, each);
    put_number(to, at, link.bytes);
    put_number(to, at + 8, link.bits);
    put_number(to, at + 16, link.size);
    put_number(to, at + 24, link.error);
    put_number(to, at + 32, link.bits_per_key);
    put_number(to, at + 40, static_cast<std::uint32_t>(link.hashes));
    if (shape.has_wide_entries()) {
      put_number(to, at + 44, link.entries);
    } else {
      put_number(to, at + 44, static_cast<std::uint32_t>(link.entries));
    }
    put_number(to, at + shape.link_bytes - 1, static_cast<std::uint8_t>(link.n2));
    at += shape.link_bytes;
  }
  return bytes;
}

void encode_dump(const FilterContents& contents, const ByteSink& sink) {
  sink(encode_header(contents));
  for (std::size_t i = 0; i < contents.layers.size(); ++i) {
    write_bits(contents.words[i], link_bytes(contents.layers[i]), BitOrder::lsb_first, sink);
  }
}

Chunk dump_chunk(const FilterContents& contents, std::uint64_t iterator, std::uint64_t most_bytes) {
  Place place;
  if (iterator == 0 || !find_place(contents, iterator - 1, place)) return {};
  const auto rest = bytes_of_link(contents, place.link).subspan(place.offset);
  const auto bytes = rest.first(std::min<std::uint64_t>(rest.size(), most_bytes));
  return {iterator + bytes.size(), bytes};
}

ChunkLoader::ChunkLoader(FilterContents header) : header_(std::move(header)) {
  for (const Layer& link : header_.layers) {
    words_.push_back(SharedWords::of(HeapWords((link.geometry.bit_count + 63) / kWordBits)));
  }
}

ChunkLoader::ChunkLoader(FilterContents header, std::vector<SharedWords> words, ByteRanges loaded)
    : header_(std::move(header)), words_(std::move(words)), loaded_(std::move(loaded)) {}

ChunkLoader::Took ChunkLoader::load(std::uint64_t iterator, std::span<const std::byte> bytes) {
  Place place;
  if (iterator <= bytes.size() || !find_place(header_, iterator - bytes.size() - 1, place)) {
    return Took::no_such_link;
  }
  if (bytes.size() > link_bytes(header_.layers[place.link]) - place.offset) {
    return Took::beyond_its_link;
  }
  if (bytes.empty()) return Took::all;
  // Added to what is there: keys may have been inserted into the chain meanwhile.
  const auto to = std::as_writable_bytes(words_[place.link].words()).subspan(place.offset);
  for (std::size_t i = 0; i < bytes.size(); ++i) to[i] |= bytes[i];
  loaded_.add(iterator - bytes.size() - 1, iterator - 1);
  return Took::all;
}

std::uint64_t ChunkLoader::missing_bytes() const noexcept {
  std::uint64_t missing = 0;
  for (const Layer& link : header_.layers) missing += link_bytes(link);
  return missing - loaded_.byte_count();
}

AnyFilter ChunkLoader::chain() const {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const std::uint64_t bits = header_.layers[i].geometry.bit_count;
    const std::uint64_t last = words_[i].words().back();
    if (bits % kWordBits != 0 && last >> (bits % kWordBits) != 0) {
      throw FormatError("not a RedisBloom dump: link " + std::to_string(i) +
                        " has bits set beyond the last of its " + std::to_string(bits));
    }
  }
  return open_chain(header_, words_);
}

SharedWords words_of_link(const Layer& link, std::span<const std::byte> bytes, const char* format) {
  return words_of_link(
      link, [&](std::span<std::byte> to) { std::ranges::copy(bytes, to.begin()); }, format);
}

SharedWords words_of_link(const Layer& link, const std::function<void(std::span<std::byte>)>& fill,
                          const char* format) {
  const std::uint64_t bits = link.geometry.bit_count;
  HeapWords words((bits + kWordBits - 1) / kWordBits);
  fill(std::as_writable_bytes(words.words()).first(link_bytes(link)));
  require_bits_within(words.words(), bits, format);
  return SharedWords::of(std::move(words));
}

std::span<const std::byte> bytes_of_link(const FilterContents& contents, std::size_t i) noexcept {
  return std::as_bytes(contents.words[i]).first(link_bytes(contents.layers[i]));
}

const Format kFormat{
    .name = "redisbloom",
    .system = "RedisBloom: header and chunks of BF.SCANDUMP",
    .hash = kHashText,
    .rule = kRuleText,
    .limits = kLimitsText,
    .warning = "",
    .settings = kSettingsText,
    .keys = "text",
    .kinds = kKinds,
    .decode = decode_any,
    .create = create_any,
    .encode = encode_dump,
    .settings_of = nullptr,
    .advice = nullptr,
    .create_settings = kSettingsText,
};

}  // namespace bloomery::redisbloom
