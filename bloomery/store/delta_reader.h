// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/store/delta_bytes.h"

namespace bloomery {

// Reads a delta. The bytes must outlive it. Any bytes at all are taken or refused by a FormatError.
class DeltaReader {
 public:
  // Checks all that can be known without the file: length, checksum, magic, version.
  explicit DeltaReader(std::span<const std::byte> bytes);

  std::span<const std::byte> head() const noexcept { return head_; }
  std::uint64_t body_bytes() const noexcept { return body_bytes_; }
  const DeltaEnds& ends() const noexcept { return ends_; }

  // Makes the next words of the body into those of the later file. All calls but the last bring
  // whole lines.
  void apply(std::span<std::uint64_t> words);
  // Throws FormatError where the delta says more than the body has.
  void finish();

 private:
  std::uint64_t take(unsigned count);
  std::uint64_t take_rice(unsigned parameter);
  std::uint64_t take_learnt(RiceModel& model);
  void take_gap();
  void change_line(std::span<std::uint64_t> words);

  std::span<const std::byte> head_;
  std::span<const std::byte> stream_;
  std::uint64_t body_bytes_ = 0;
  std::uint64_t line_count_ = 0;
  DeltaEnds ends_;
  std::uint64_t at_bit_ = 0;
  std::uint64_t line_ = 0;
  std::uint64_t next_ = 0;  // the next line that changes; line_count_ where none does
  RiceModel gaps_;
  RiceModel counts_;
};

}  // namespace bloomery
