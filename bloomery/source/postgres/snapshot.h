// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace bloomery::postgres {

// The transactions that a statement sees, by the lower half of their numbers, which is what the log
// has. Two that anybody asks about are never further apart than half of those.
class Snapshot {
 public:
  // `text` is a snapshot as the server prints it: "xmin:xmax:xip,xip,...". Throws FormatError for
  // any other text.
  explicit Snapshot(std::string_view text);

  // Returns whether the snapshot sees a transaction that was committed.
  bool sees(std::uint32_t transaction) const;

 private:
  std::uint32_t first_open_ = 0;
  std::uint32_t end_ = 0;
  std::vector<std::uint32_t> open_{};
};

}  // namespace bloomery::postgres
