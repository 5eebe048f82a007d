#pragma once

#include <atomic>
#include <cstddef>
#include <span>

namespace bloomery {

// Keeps a process alive when somebody truncates a file that it has mapped, or the disk fails under
// it. Touching such a page raises SIGBUS; while this object lives, the page is replaced by one of
// all ones, so a filter in it answers "maybe", never "absent". The page that holds the new end of
// the file is replaced as a whole.
//
// The first object installs the handler, for good; faults elsewhere go on to the handler that was
// there before. What it cannot see: a file that is truncated and then grown again with zeros, and
// one that is overwritten in place.
class LostPages {
 public:
  // `mapping` is the whole of a mapping that starts at byte 0 of the file, and `descriptor` stays
  // open as long as this object.
  LostPages(std::span<std::byte> mapping, int descriptor);
  LostPages(const LostPages&) = delete;
  LostPages& operator=(const LostPages&) = delete;
  ~LostPages();

  // True once a page was replaced.
  bool any() const noexcept;

 private:
  struct Watch;
  struct Handler;

  Watch* watch_;
};

}  // namespace bloomery
