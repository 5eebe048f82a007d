// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/body_io.h"

#include <algorithm>
#include <string>

#include "bloomery/bits/bit_view.h"
#include "bloomery/format/native/crc32c.h"
#include "bloomery/store/messages.h"
#include "bloomery/text/grouped.h"

namespace bloomery {
namespace {

constexpr std::size_t kChunkWords = 16 * kBlockWords;

// Calls visit(part) for every part of up to `unit` words.
template <class Word, class Visit>
void for_each_part(std::span<Word> words, std::size_t unit, Visit visit) {
  for (std::size_t at = 0; at < words.size(); at += unit) {
    visit(words.subspan(at, std::min(unit, words.size() - at)));
  }
}

void append_checksums(std::span<const std::uint64_t> words, std::vector<std::uint32_t>& table) {
  for_each_part(words, kBlockWords, [&](std::span<const std::uint64_t> block) {
    table.push_back(crc32c(std::as_bytes(block)));
  });
}

// Reads the body to `words`, or piece by piece where there are none, and calls visit(piece).
template <class Visit>
void for_each_chunk(const RegularFile& file, const FileLayout& layout,
                    std::span<std::uint64_t> words, Visit visit) {
  const std::uint64_t word_count = layout.body_bytes / sizeof(std::uint64_t);
  std::vector<std::uint64_t> own(words.empty() ? std::min<std::uint64_t>(word_count, kChunkWords)
                                               : 0);
  for (std::uint64_t at = 0; at < word_count; at += kChunkWords) {
    const std::size_t count = std::min<std::uint64_t>(kChunkWords, word_count - at);
    const auto chunk = words.empty() ? std::span(own).first(count) : words.subspan(at, count);
    file.read(std::as_writable_bytes(chunk), layout.body_offset + at * sizeof(std::uint64_t));
    visit(std::span<const std::uint64_t>(chunk));
  }
}

}  // namespace

BodyDamage read_body(const RegularFile& file, const FileLayout& layout,
                     std::span<std::uint64_t> words) {
  std::vector<std::uint32_t> table(layout.block_count);
  file.read(std::as_writable_bytes(std::span(table)), layout.table_offset);
  BodyDamage damage;
  std::uint64_t block = 0;
  for_each_chunk(file, layout, words, [&](std::span<const std::uint64_t> chunk) {
    for_each_part(chunk, kBlockWords, [&](std::span<const std::uint64_t> each) {
      if (crc32c(std::as_bytes(each)) != table[block]) {
        if (!damage.first_block) damage.first_block = block;
        ++damage.block_count;
      }
      ++block;
    });
  });
  return damage;
}

BodySummary summarize_body(const RegularFile& file, const FileLayout& layout) {
  BodySummary summary;
  for_each_chunk(file, layout, {}, [&](std::span<const std::uint64_t> chunk) {
    append_checksums(chunk, summary.checksums);
    summary.ones += BitView(chunk).count_ones();
  });
  return summary;
}

std::string describe(const BodyDamage& damage, const FileLayout& layout) {
  const std::uint64_t block = damage.first_block.value_or(0);
  return "damaged: checksum of body block " + grouped(block) + " (bytes " +
         grouped(layout.block_begin(block)) + " to " + grouped(layout.block_end(block) - 1) +
         ") does not match; " + grouped(damage.block_count) + " of " + grouped(layout.block_count) +
         " blocks are damaged";
}

}  // namespace bloomery
