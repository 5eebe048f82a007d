// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace bloomery {

// Keeps a process alive when somebody truncates a file that it has mapped, or the disk fails under
// it. Touching such a page raises SIGBUS; while this object lives, the page is replaced by one of
// all ones, so a filter in it answers "maybe", never "absent". The page that holds the new end of
// the file is replaced as a whole.
//
// The first object installs the handler, for good; faults elsewhere go on to the handler that was
// there before. What it cannot do:
//
// - See a file that is cut within its last page, truncated and then grown again, or overwritten in
//   place: no page is lost then. truncation_mark.h sees the first two.
// - Help a thread that blocks SIGBUS, as those do that block all signals: Linux ends the process at
//   its fault, whatever the handler. Threads that ask mapped files leave SIGBUS unblocked.
// - Stay when the host sets a handler of its own later: see is_handled().
class LostPages {
 public:
  // False on Windows, where the constructor throws std::system_error.
#if defined(_WIN32)
  static constexpr bool kAreReplaced = false;
#else
  static constexpr bool kAreReplaced = true;
#endif

  // `mapping` is all that is mapped from byte `file_offset` of the file on, and `descriptor` stays
  // open as long as this object.
  LostPages(std::span<std::byte> mapping, int descriptor, std::uint64_t file_offset = 0);
  LostPages(const LostPages&) = delete;
  LostPages& operator=(const LostPages&) = delete;
  ~LostPages();

  // True once a page was replaced.
  bool any() const noexcept;

  // Returns whether SIGBUS still comes to our handler: false before the first object, and once
  // somebody set another, which may or may not pass our faults on. A system call.
  static bool is_handled() noexcept;

 private:
  struct Watch;
  struct Handler;

  Watch* watch_;
};

}  // namespace bloomery
