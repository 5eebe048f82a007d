// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "bloomery/os/lost_pages.h"

namespace bloomery {

// Tells, for the price of a load, that a file was truncated since, even where it has grown again to
// what it was, as `cp other file` leaves it.
//
// The mark is a word in a copy of the file's last page that is this process's own. Linux takes such
// copies away, too, with the pages that a truncation drops, before the file can get other bytes: a
// later look finds the file's own. A file that is cut within its last page keeps the page, and
// zeros behind its end.
class TruncationMark {
 public:
  // The file has `file_bytes`, at least one. Without `survive`, looking at the mark of a truncated
  // file may raise SIGBUS. Throws std::system_error.
  TruncationMark(int descriptor, std::uint64_t file_bytes, bool survive);
  TruncationMark(const TruncationMark&) = delete;
  TruncationMark& operator=(const TruncationMark&) = delete;
  ~TruncationMark();

  bool is_intact() const noexcept { return __atomic_load_n(word_, __ATOMIC_RELAXED) == kMark; }

 private:
  // `kMark`: a word that a file has only by chance, and that no lost page is filled with.
  static constexpr std::uint64_t kMark = 0x8f3bc5e2d1749a06;

  std::span<std::byte> page_;
  std::uint64_t* word_ = nullptr;
  std::optional<LostPages> lost_pages_;
};

}  // namespace bloomery
