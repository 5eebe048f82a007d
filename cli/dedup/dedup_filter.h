#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bloomery/filter/any_filter.h"
#include "bloomery/source/source_options.h"
#include "bloomery/store/filter_editor.h"
#include "cli/arguments.h"

namespace bloomery::cli {

// The filter that remembers what a run has seen: of that run alone, or kept in a state file from
// one run to the next. Nobody else can write the file of an opened state meanwhile.
class DedupFilter {
 public:
  // A filter as `wanted` says; capacity and rate are there.
  explicit DedupFilter(const NewFilter& wanted);

  // That of the file.
  explicit DedupFilter(FilterEditor state);

  // A filter as `wanted` says, for a file that is not there yet. Throws StoreError at once where
  // its folder cannot take a file.
  DedupFilter(const NewFilter& wanted, FilterLocation new_state_file);

  AnyFilter& get() noexcept { return editor_ ? editor_->filter() : *own_; }

  // Distinct keys that the filter held at the start, by its bits.
  double keys_before() const noexcept { return keys_before_; }

  // Writes the state file, if there is one, in one step; not one that exists and would be the same.
  void save(bool changed);

 private:
  std::optional<FilterEditor> editor_;
  std::optional<AnyFilter> own_;
  std::optional<FilterLocation> new_file_;
  double keys_before_ = 0;
};

// How many records will come from these inputs, rather too many than too few: counted or estimated
// for files and databases, and kStreamCapacity for whatever else. Reads no pipe.
inline constexpr std::uint64_t kStreamCapacity = 10'000'000;
std::uint64_t capacity_for(const std::vector<std::string>& locations, const SourceOptions& options);

}  // namespace bloomery::cli
