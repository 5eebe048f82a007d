// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/format/format.h"
#include "bloomery/store/delta_bytes.h"

namespace bloomery {

// Writes a delta to a sink while both bodies are read once. Keeps at most a megabyte.
class DeltaWriter {
 public:
  // `head`: header and fields of the later file. A secret key in it must have been cleared.
  DeltaWriter(ByteSink sink, std::span<const std::byte> head, std::uint64_t body_bytes);

  // The next words of both bodies. All calls but the last bring whole lines of eight words.
  void add(std::span<const std::uint64_t> from, std::span<const std::uint64_t> to);
  void finish(const DeltaEnds& ends);

 private:
  void put(std::uint64_t bits, unsigned count);
  void put_rice(std::uint64_t value, unsigned parameter);
  void put_learnt(std::uint64_t value, RiceModel& model);
  void put_line(std::span<const std::uint64_t> changed);
  void give();

  ByteSink sink_;
  std::vector<std::byte> bytes_;
  std::uint32_t checksum_ = 0;
  std::uint64_t bits_ = 0;
  unsigned bit_count_ = 0;
  std::uint64_t line_ = 0;
  std::uint64_t next_ = 0;  // the line behind the last that changed
  RiceModel gaps_;
  RiceModel counts_;
};

}  // namespace bloomery
