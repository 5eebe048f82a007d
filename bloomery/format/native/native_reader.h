// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/bits/heap_words.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/format/format.h"
#include "bloomery/format/native/file_header.h"

namespace bloomery {

// The bytes of a native file that come piece by piece, in order, however they are cut. Each is
// checked as soon as it can be, and memory is taken once the head was; beside the filter's own it
// is the head and the table.
class NativeReader {
 public:
  // Throws FormatError for a length that no native file has.
  explicit NativeReader(std::uint64_t byte_count);

  std::uint64_t byte_count() const noexcept { return byte_count_; }
  std::uint64_t taken() const noexcept { return taken_; }
  // The head's; none before it is there.
  const std::optional<FileHeader>& header() const noexcept { return header_; }

  // Throws FormatError for bytes that are wrong or too many, std::invalid_argument or
  // std::bad_alloc where there is no memory; no piece may follow then.
  void take(std::span<const std::byte> piece);

  // Gives `sink` the bytes that were taken so far, unchanged.
  void give(const ByteSink& sink) const;

  // The filter, of which this then has nothing; quick, as the checksums are known. One with a
  // window goes by the clock, or by the system's. Throws FormatError where bytes are missing, or do
  // not match their checksums.
  AnyFilter finish(std::function<std::uint64_t()> clock = {});

 private:
  void take_head();
  void take_rest(std::span<const std::byte> piece, std::uint64_t at);

  std::uint64_t byte_count_;
  std::uint64_t taken_ = 0;
  std::vector<std::byte> head_;
  std::optional<FileHeader> header_;
  HeapWords words_;
  std::vector<std::uint32_t> table_;
  std::vector<std::uint32_t> checksums_;  // of the body as it came
};

}  // namespace bloomery
