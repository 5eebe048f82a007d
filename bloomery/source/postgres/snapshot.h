// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace bloomery::postgres {

// What a statement sees, of transactions by the lower half of their numbers, which is what the log
// has. Two that anybody asks about are never further apart than half of those.
class Snapshot {
 public:
  // As the server prints one: "xmin:xmax:xip,xip,...". Throws FormatError for what is none.
  explicit Snapshot(std::string_view text);

  // Of one that was committed.
  bool sees(std::uint32_t transaction) const;

 private:
  std::uint32_t first_open_ = 0;
  std::uint32_t end_ = 0;
  std::vector<std::uint32_t> open_{};
};

}  // namespace bloomery::postgres
