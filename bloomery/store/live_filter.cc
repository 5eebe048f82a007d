// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/live_filter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <span>
#include <stdexcept>
#include <string>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/errors.h"
#include "bloomery/format/kinds.h"
#include "bloomery/store/messages.h"

namespace bloomery {
namespace {

// The most that a process which is killed has inserted and not counted.
constexpr std::size_t kPiece = 256;

Key key_of(const Key& key) noexcept {
  return key;
}
Key key_of(const std::uint64_t& integer) noexcept {
  return {reinterpret_cast<const char*>(&integer), sizeof integer};
}

template <class Word>
std::atomic_ref<Word> number_at(std::byte* at) noexcept {
  static_assert(std::atomic_ref<Word>::is_always_lock_free);
  return std::atomic_ref<Word>(*reinterpret_cast<Word*>(at));
}

}  // namespace

LiveCount::LiveCount(std::shared_ptr<MappedBody> body, const FileHeader& header) noexcept
    : body_(std::move(body)),
      live_(*header.live),
      before_(header.contents.inserted),
      at_(body_->mapping().bytes().data() + header.layout.table_offset) {}

std::uint64_t LiveCount::now() const noexcept {
  const FileLayout& layout = body_->layout();
  const std::uint64_t number = has_wide_count(layout)
                                   ? number_at<std::uint64_t>(at_).load(std::memory_order_relaxed)
                                   : number_at<std::uint32_t>(at_).load(std::memory_order_relaxed);
  return before_ + live_inserts(layout, live_, number);
}

void LiveCount::add(std::uint64_t inserts) noexcept {
  if (has_wide_count(body_->layout())) {
    number_at<std::uint64_t>(at_).fetch_add(inserts, std::memory_order_relaxed);
  } else {
    number_at<std::uint32_t>(at_).fetch_add(static_cast<std::uint32_t>(inserts),
                                            std::memory_order_relaxed);
  }
}

void LiveFilter::may_contain_many(UnhashedBatch batch, Answers found) const {
  found.fill(batch.size(), [&](std::size_t first, std::size_t count, bool* flags) {
    batch.subbatch(first, count).visit([&](auto keys) {
      filter_.may_contain_many(keys, {flags, count});
    });
    if (!body_->is_unchanged()) std::fill_n(flags, count, true);
  });
}

bool LiveFilter::insert(Key key) {
  require_inserts();
  const bool is_new = filter_.insert_concurrently(key);
  if (is_new) count_.add(1);
  require_kept();
  return is_new;
}

std::size_t LiveFilter::insert_many(UnhashedBatch batch) {
  require_inserts();
  std::array<bool, kPiece> was_new;
  std::size_t added = 0;
  for (std::size_t first = 0; first < batch.size(); first += kPiece) {
    const std::size_t count = std::min(kPiece, batch.size() - first);
    added += insert_piece(batch.subbatch(first, count), was_new.data());
  }
  require_kept();
  return added;
}

std::size_t LiveFilter::insert_many(UnhashedBatch batch, Answers was_new) {
  require_inserts();
  std::size_t added = 0;
  was_new.fill(batch.size(), [&](std::size_t first, std::size_t count, bool* flags) {
    for (std::size_t at = 0; at < count; at += kPiece) {
      const auto piece = batch.subbatch(first + at, std::min(kPiece, count - at));
      added += insert_piece(piece, flags + at);
    }
  });
  require_kept();
  return added;
}

std::size_t LiveFilter::insert_piece(UnhashedBatch batch, bool* was_new) {
  // Asked first, all at once, so that their lines come together: one that is there already needs
  // nothing more, and the others find theirs in the cache.
  std::size_t added = 0;
  batch.visit([&](auto keys) {
    filter_.may_contain_many(keys, {was_new, keys.size()});
    for (std::size_t i = 0; i < keys.size(); ++i) {
      was_new[i] = !was_new[i] && filter_.insert_concurrently(key_of(keys[i]));
      added += was_new[i] ? 1 : 0;
    }
  });
  if (added > 0) count_.add(added);
  return added;
}

void LiveFilter::merge(const FilterContents& other) {
  require_inserts();
  if (const auto reason = incompatibility(parameters(), other.parameters); !reason.empty()) {
    throw IncompatibleError("cannot merge: " + reason);
  }
  const std::uint64_t before = inserted();
  std::byte* at = body_->mapping().bytes().data() + body_->layout().body_offset;
  for (const std::uint64_t& word : other.words.front()) {
    set_mask_atomically(*reinterpret_cast<std::uint64_t*>(at), load_word(&word));
    at += sizeof word;
  }
  // Counts as BasicFilter does. Writers that insert meanwhile count their own keys.
  const auto estimate = static_cast<std::uint64_t>(std::llround(cardinality()));
  const std::uint64_t least = std::max(before, other.inserted);
  count_.add(std::clamp(estimate, least, before + other.inserted) - before);
  require_kept();
}

FilterContents LiveFilter::contents() const {
  require_unchanged();
  FilterContents contents = filter_.contents();
  contents.inserted = count_.now();
  return contents;
}

AnyFilter LiveFilter::copy() const {
  AnyFilter copied = copy_any(contents());
  require_unchanged();  // also while it was read
  return copied;
}

void LiveFilter::require_inserts() const {
  if (!inserts_) throw_store_error(path_, "is open read-only");
}

void LiveFilter::require_unchanged() const {
  if (!body_->is_unchanged()) {
    throw_store_error(path_, "was truncated or written over by others while it was open");
  }
}

void LiveFilter::require_kept() const {
  require_unchanged();
  if (!body_->keeps_bits()) {
    throw_store_error(path_,
                      "the disk refused a part of it (full, or broken): what is inserted there "
                      "does not come to others");
  }
}

void LiveFilter::clear() {
  throw std::invalid_argument(path_.string() +
                              ": is live, and cannot be cleared: other processes insert into it");
}

}  // namespace bloomery
