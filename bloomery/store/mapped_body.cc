// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/mapped_body.h"

#include <algorithm>
#include <span>

#include "bloomery/format/native/crc32c.h"
#include "bloomery/format/native/file_live.h"

namespace bloomery {
namespace {

// Read in parts of this size: a thread's stack may be small.
constexpr std::size_t kPartBytes = 16 * 1024;

template <class Word>
Word load_at(const FileMapping& mapping, std::uint64_t offset) noexcept {
  return __atomic_load_n(reinterpret_cast<const Word*>(mapping.bytes().data() + offset),
                         __ATOMIC_RELAXED);
}

// A writer changes the flags, the inserted count and with them the checksum: see file_header.h.
HeadBytes mask_for(bool writer) noexcept {
  HeadBytes mask;
  mask.fill(~std::uint64_t{0});
  if (writer) {
    mask[1] = ~std::uint64_t{0xff00};
    mask[6] = 0;
    mask[7] = 0xffffffff;
  }
  return mask;
}

}  // namespace

MappedBody::MappedBody(std::shared_ptr<FileMapping> mapping, const FileLayout& layout,
                       const HeadBytes& head, bool writer, bool is_checked)
    : mapping_(std::move(mapping)),
      layout_(layout),
      head_(head),
      head_mask_(mask_for(writer)),
      last_checksum_(load_at<std::uint32_t>(*mapping_, layout.file_bytes - sizeof(std::uint32_t))),
      all_good_(is_checked),
      states_(is_checked ? 0 : layout.block_count) {}

MappedBody::MappedBody(std::shared_ptr<FileMapping> mapping, const FileLayout& layout,
                       const HeadBytes& head)
    : MappedBody(std::move(mapping), layout, head, /*writer=*/false, /*is_checked=*/true) {
  is_live_ = true;
  changed_ = last_checksum_ < kLeastLiveEnd;
}

bool MappedBody::looks_unchanged() const noexcept {
  std::uint64_t differences = 0;
  for (std::size_t i = 0; i < head_.size(); ++i) {
    const auto now = load_at<std::uint64_t>(*mapping_, i * sizeof(std::uint64_t));
    differences |= (now ^ head_[i]) & head_mask_[i];
  }
  const auto end = load_at<std::uint32_t>(*mapping_, layout_.file_bytes - sizeof last_checksum_);
  const bool is_end_there = is_live_ ? end >= last_checksum_ : end == last_checksum_;
  return differences == 0 && is_end_there && !mapping_->was_truncated();
}

bool MappedBody::are_good(std::uint64_t first_word, std::uint64_t word_count) const noexcept {
  if (all_good()) return true;
  const std::uint64_t last = (first_word + word_count - 1) / kBlockWords;
  bool good = true;
  for (std::uint64_t block = first_word / kBlockWords; block <= last; ++block) {
    good &= is_good(block);
  }
  return good;
}

BodyDamage MappedBody::check_all() const noexcept {
  BodyDamage damage;
  if (all_good()) return damage;
  for (std::uint64_t block = 0; block < states_.size(); ++block) {
    if (is_good(block)) continue;
    if (!damage.first_block) damage.first_block = block;
    ++damage.block_count;
  }
  return damage;
}

bool MappedBody::is_good(std::uint64_t block) const noexcept {
  std::uint8_t state = states_[block].load(std::memory_order_acquire);
  if (state != kUnread) return state == kGood;
  const bool good = matches(block);
  // Threads that read the same block together count it once.
  if (states_[block].compare_exchange_strong(state, good ? kGood : kBad,
                                             std::memory_order_acq_rel)) {
    std::atomic<std::uint64_t>& count = good ? good_blocks_ : bad_blocks_;
    const std::uint64_t known = count.fetch_add(1, std::memory_order_acq_rel) + 1;
    if (good && known == states_.size()) all_good_.store(true, std::memory_order_release);
    return good;
  }
  return state == kGood;
}

// Checks the file's bytes: where others cannot change them, the words in memory are these.
bool MappedBody::matches(std::uint64_t block) const noexcept {
  std::uint32_t expected = 0;
  const std::uint64_t entry = layout_.table_offset + block * sizeof expected;
  if (!mapping_->read(std::as_writable_bytes(std::span(&expected, 1)), entry)) return false;
  std::array<std::byte, kPartBytes> part;
  std::uint32_t sum = 0;
  const std::uint64_t end = layout_.block_end(block);
  mapping_->will_read(layout_.block_begin(block), end - layout_.block_begin(block));
  for (std::uint64_t at = layout_.block_begin(block); at < end; at += part.size()) {
    const auto bytes = std::span(part).first(std::min<std::uint64_t>(part.size(), end - at));
    if (!mapping_->read(bytes, at)) return false;
    sum = crc32c(bytes, sum);
  }
  return sum == expected;
}

}  // namespace bloomery
