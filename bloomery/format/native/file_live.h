// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "bloomery/format/native/file_layout.h"
#include "bloomery/place/watermark.h"

namespace bloomery {

// The field of a file that processes of one machine insert into together. Its bits are in that
// machine's memory, and on its disk only as far as somebody synced; they are complete until the
// machine starts again.
struct FileLive {
  Identity boot{};               // which start of which machine
  std::uint64_t count_base = 0;  // what the count, below, was when the head was written
  bool has_notes = false;        // its watermark moves, behind the fields (kLiveNotesAt)

  friend bool operator==(const FileLive&, const FileLive&) = default;
};

// Offset of the notes of such a file that move while it is open (store/live_notes.h): up to the
// body, where the head of any other file has zeros. Header and fields end before.
inline constexpr std::uint64_t kLiveNotesAt = 2048;

// The table of such a file says nothing of its body. Its first bytes are a number that each new
// insert raises by one, wrapping: of eight bytes, or of four where the table has no more. What it
// begins from is whatever stands there.
inline bool has_wide_count(const FileLayout& layout) noexcept {
  return layout.table_bytes >= sizeof(std::uint64_t);
}

// The last four bytes of such a file: of a short table they belong to that number. They never fall,
// and are never small: who cuts the file within its last page leaves zeros there, also where it
// grows again.
inline constexpr std::uint32_t kLeastLiveEnd = 1U << 20;
inline constexpr std::uint32_t kNewLiveEnd = 1U << 30;
// Returns whether a file may begin with this number. No short table's number rises that far.
inline bool may_be_live_end(std::uint32_t end) noexcept {
  return end >= kLeastLiveEnd && end < 0xf800'0000;
}

// How many inserts a number is. A damaged number cannot be told from another; but no filter has
// more inserts than a file may say.
inline std::uint64_t live_inserts(const FileLayout& layout, const FileLive& live,
                                  std::uint64_t number) noexcept {
  const std::uint64_t since = number - live.count_base;
  const std::uint64_t wrapped = has_wide_count(layout) ? since : since & 0xffffffff;
  return std::min(wrapped, 8 * layout.body_bytes);
}

}  // namespace bloomery
