// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bloomery::cli {

// Columns as a person reads them: the first to the left, the others as `align` says, two blanks
// between.
class TextTable {
 public:
  enum class Align { left, right };

  explicit TextTable(Align align = Align::right) : align_(align) {}

  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const noexcept { return rows_.empty(); }

  // One line a row, each begun with `indent` blanks.
  std::string text(std::size_t indent = 0) const;

 private:
  Align align_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace bloomery::cli
