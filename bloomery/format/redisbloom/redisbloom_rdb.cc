// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/redisbloom/redisbloom_rdb.h"

#include <exception>
#include <stdexcept>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/format/redisbloom/redisbloom_dump.h"
#include "bloomery/format/redisbloom/redisbloom_hash_seed.h"

namespace bloomery::redisbloom {
namespace {

constexpr std::uint32_t kFirstWithBits = 1;
constexpr std::uint32_t kFirstWithOptions = 2;
constexpr std::uint32_t kFirstWithGrowth = 4;

[[noreturn]] void refuse(const ValueReader& reader, const std::string& why) {
  const std::string place = reader.place();
  throw FormatError("not a RedisBloom filter: " + why + (place.empty() ? "" : ", " + place));
}

StoredLink read_link(ValueReader& reader, std::uint32_t version) {
  StoredLink link;
  link.entries = reader.number("entries");
  link.error = reader.real("error");
  link.hashes = reader.number("hashes");
  link.bits_per_key = reader.real("bits per entry");
  if (version >= kFirstWithBits) {
    link.bits = reader.number("bits");
    link.n2 = reader.number("n2");
  } else if (const double bits = static_cast<double>(link.entries) * link.bits_per_key;
             bits >= 1 && bits < 0x1p60) {
    link.bits = static_cast<std::uint64_t>(bits);
  }
  const std::uint64_t bits = link.n2 > 0 && link.n2 < 64 ? std::uint64_t{1} << link.n2 : link.bits;
  link.bytes = bits / 8 + (bits % 8 != 0 ? 1 : 0);  // it is the string's that counts
  return link;
}

Layer accept(const ValueReader& reader, std::uint64_t options, const StoredLink& link,
             std::uint64_t i) {
  try {
    return accept_link(options, link);
  } catch (const std::invalid_argument& error) {
    refuse(reader, "link " + std::to_string(i) + ": " + error.what());
  }
}

// Calls keep(layer) behind each string of bits, which has the size that its link says. A value that
// is refused is read to its end all the same: who reads on behind it, as a server does that loads
// many, then finds what is there.
template <class Keep>
FilterContents read_chain(ValueReader& reader, std::uint32_t encoding_version, Keep keep) {
  if (encoding_version > kFirstWithHashSeed) {
    refuse(reader,
           "encoding version " + std::to_string(encoding_version) + ", where 0 to 5 are known");
  }
  StoredChain chain;
  chain.size = reader.number("size");
  const std::uint64_t links = reader.number("links");
  if (encoding_version >= kFirstWithOptions) chain.options = reader.number("options");
  if (encoding_version >= kFirstWithGrowth) chain.growth = reader.number("growth");
  std::exception_ptr refusal;
  const auto judge = [&](auto act) {
    if (refusal) return;
    try {
      act();
    } catch (...) {
      refusal = std::current_exception();
    }
  };
  if (links == 0 || links > kMostLinks) {
    judge([&] {
      refuse(reader,
             std::to_string(links) + " links, where there are 1 to " + std::to_string(kMostLinks));
    });
  }
  for (std::uint64_t i = 0; i < links; ++i) {
    StoredLink link = read_link(reader, encoding_version);
    const std::uint64_t size = reader.string("bits of a link");
    judge([&] {
      const Layer layer = accept(reader, chain.options, link, i);
      if (size != link_bytes(layer)) {
        refuse(reader, "link " + std::to_string(i) + " with bits of " + std::to_string(size) +
                           " bytes, where its " + std::to_string(layer.geometry.bit_count) +
                           " bits take " + std::to_string(link_bytes(layer)));
      }
      keep(layer);
    });
    link.size = reader.number("size of a link");
    judge([&] { chain.links.push_back(link); });
  }
  if (encoding_version >= kFirstWithHashSeed) {
    try {
      read_no_hash_seed(reader);
    } catch (const HashSeedError&) {
      if (!refusal) refusal = std::current_exception();
    }
  }
  if (refusal) std::rethrow_exception(refusal);
  try {
    return accept_chain(chain);
  } catch (const std::invalid_argument& error) {
    refuse(reader, error.what());
  }
}

}  // namespace

ReadChain read_value(ValueReader& reader, std::uint32_t encoding_version) {
  std::vector<SharedWords> words;
  FilterContents contents = read_chain(reader, encoding_version, [&](const Layer& link) {
    words.push_back(words_of_link(
        link, [&](std::span<std::byte> to) { reader.copy(to); }, "a RedisBloom filter"));
  });
  return {std::move(contents), std::move(words)};
}

FilterContents read_value_shape(ValueReader& reader, std::uint32_t encoding_version) {
  return read_chain(reader, encoding_version, [](const Layer&) {});
}

void write_value(const FilterContents& contents, ValueWriter& writer) {
  const std::uint32_t options = contents.parameters.foreign_options & kKnownOptions;
  writer.number(contents.inserted);
  writer.number(contents.layers.size());
  writer.number(options);
  writer.number(static_cast<std::uint64_t>(contents.parameters.growth.expansion));
  for (std::size_t i = 0; i < contents.layers.size(); ++i) {
    const StoredLink link = stored_link(options, contents.layers[i]);
    writer.number(link.entries);
    writer.real(link.error);
    writer.number(link.hashes);
    writer.real(link.bits_per_key);
    writer.number(link.bits);
    writer.number(link.n2);
    writer.string(bytes_of_link(contents, i));
    writer.number(link.size);
  }
}

}  // namespace bloomery::redisbloom
