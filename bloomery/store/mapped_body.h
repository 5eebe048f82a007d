// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bloomery/format/native/file_layout.h"
#include "bloomery/os/file_mapping.h"
#include "bloomery/store/body_io.h"

namespace bloomery {

// The first bytes of a native file.
using HeadBytes = std::array<std::uint64_t, kHeaderBytes / sizeof(std::uint64_t)>;

// MappedBody says whether an "absent" may rest on the words of a mapped file. Two things speak
// against it:
//
// - The file is no longer the one that was opened: its head or its last checksum have other bytes
//   (of a live file: what stands there has fallen, see file_live.h), or it was truncated by whole
//   pages (truncation_mark.h). Whoever puts another file's bytes in its place changes one of these
//   before any byte of the body; not who writes an older copy of a live file over it.
// - A block of the body is not what its checksum says. Each is read from the file the first time
//   that an answer rests on it; once all were, that is a single flag.
//
// All calls may run together.
class MappedBody {
 public:
  // `head` was read before the file was mapped. A `writer` changes its own head; `is_checked` says
  // that the body was, or is trusted.
  MappedBody(std::shared_ptr<FileMapping> mapping, const FileLayout& layout, const HeadBytes& head,
             bool writer, bool is_checked);
  // The body of a live file, whose head stays while anybody has it open, and whose table changes.
  MappedBody(std::shared_ptr<FileMapping> mapping, const FileLayout& layout, const HeadBytes& head);

  // Returns whether the file is unchanged; asked after the words were read. Once false, it stays
  // false. Costs a few loads.
  bool is_unchanged() const noexcept {
    if (changed_.load(std::memory_order_relaxed)) return false;
    // Orders the reading of the words before the look at the file.
    std::atomic_thread_fence(std::memory_order_acquire);
    if (looks_unchanged()) return true;
    changed_.store(true, std::memory_order_relaxed);
    return false;
  }

  // Returns whether bits that were set before are in the file, where others find them. A page that
  // the disk refused (full, or broken) is memory of our own from then on, and has all bits already.
  bool keeps_bits() const noexcept { return is_unchanged() && !mapping_->has_lost_pages(); }

  // Returns whether all blocks are what their checksums say, as far as is known.
  bool all_good() const noexcept { return all_good_.load(std::memory_order_acquire); }

  // Returns whether the blocks that these words are in are good. Reads those that were not read
  // before.
  bool are_good(std::uint64_t first_word, std::uint64_t word_count) const noexcept;

  // Reads what was not read before. FileLayout describes what is found.
  BodyDamage check_all() const noexcept;

  // Returns whether anything is known to be wrong. A system call.
  bool is_damaged() const noexcept {
    return !is_unchanged() || bad_blocks_.load(std::memory_order_relaxed) != 0 ||
           mapping_->is_damaged();
  }

  const FileMapping& mapping() const noexcept { return *mapping_; }
  const FileLayout& layout() const noexcept { return layout_; }

 private:
  enum State : std::uint8_t { kUnread, kGood, kBad };

  bool looks_unchanged() const noexcept;
  bool is_good(std::uint64_t block) const noexcept;
  bool matches(std::uint64_t block) const noexcept;

  std::shared_ptr<FileMapping> mapping_;
  FileLayout layout_;
  HeadBytes head_;
  HeadBytes head_mask_;  // the bits that stay
  std::uint32_t last_checksum_;
  bool is_live_ = false;

  mutable std::atomic<bool> changed_{false};
  mutable std::atomic<bool> all_good_;
  mutable std::atomic<std::uint64_t> good_blocks_{0};
  mutable std::atomic<std::uint64_t> bad_blocks_{0};
  mutable std::vector<std::atomic<std::uint8_t>> states_;  // none where all were checked before
};

}  // namespace bloomery
