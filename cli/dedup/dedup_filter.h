#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/filter/any_filter.h"
#include "bloomery/source/source_options.h"
#include "bloomery/store/filter_editor.h"
#include "cli/arguments.h"
#include "cli/patience.h"

namespace bloomery::cli {

// The filter that remembers what a run has seen: of that run alone, or kept in a state file from
// one run to the next. Nobody else can write the file of an opened state meanwhile.
class DedupFilter {
 public:
  // A filter as `wanted` says; capacity and rate are there.
  explicit DedupFilter(const NewFilter& wanted);

  // That of the file, which is made as `wanted` says where it does not exist. From here on nobody
  // else can write it.
  DedupFilter(const PlaceLocation& state, const Patience& patience,
              const std::function<NewFilter()>& wanted);

  AnyFilter& get() noexcept { return editor_ ? editor_->filter() : *own_; }
  bool is_new() const noexcept { return is_new_; }

  // Writes the state file, if there is one, in one step.
  void save();

  // Removes a file that was made and not saved since.
  void abandon() noexcept;

 private:
  std::optional<FilterEditor> editor_;
  std::optional<AnyFilter> own_;
  FileLocation file_;
  bool is_new_ = true;
  bool was_saved_ = false;
};

// How many records will come from these inputs, rather too many than too few: counted or estimated
// for files and databases, and kStreamCapacity for whatever else. Reads no pipe.
inline constexpr std::uint64_t kStreamCapacity = 10'000'000;
// Whether all of them can be counted or estimated.
bool have_known_size(const std::vector<std::string>& locations);
std::uint64_t capacity_for(const std::vector<std::string>& locations, const SourceOptions& options);

}  // namespace bloomery::cli
