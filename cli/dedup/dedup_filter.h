// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/filter/any_filter.h"
#include "bloomery/place/filter_place.h"
#include "bloomery/source/source_options.h"
#include "bloomery/store/filter_editor.h"
#include "cli/arguments.h"
#include "cli/patience.h"

namespace bloomery::cli {

// The filter that remembers what a run has seen: of that run alone, or kept in a state from one run
// to the next. Nobody else can write the file of an opened state meanwhile.
//
// A state in a server is read as a whole at first, and asked here; what is new goes there with each
// save(). What others add there meanwhile, this run does not see.
class DedupFilter {
 public:
  // A filter as `wanted` says; capacity and rate are there.
  explicit DedupFilter(const NewFilter& wanted);

  // Opens the filter of the state, which is made as `wanted` says where it does not exist. From
  // here on nobody else can write its file. Throws std::invalid_argument for a filter in a server
  // that never says "absent", or does not show its bits.
  DedupFilter(const PlaceLocation& state, const Patience& patience,
              const std::function<NewFilter()>& wanted);

  AnyFilter& get() noexcept { return editor_ ? editor_->filter() : *own_; }
  bool is_new() const noexcept { return is_new_; }

  // Keeps, for save(), those of `keys` that were inserted into get() and called new.
  void remember(std::span<const Key> keys, std::span<const bool> was_new);
  // Returns whether so much waits to be saved that it is time.
  bool is_save_due() const noexcept { return unsaved_bytes_ > kMostUnsavedBytes; }

  // Writes the state, if there is one: a file in one step, to a server what it does not have yet.
  void save();

  // Removes a file that was made and not saved since. In a server others may have used it: it
  // stays.
  void abandon() noexcept;

 private:
  static constexpr std::size_t kMostUnsavedBytes = 16'000'000;

  void open_live();

  std::optional<FilterEditor> editor_;
  std::optional<AnyFilter> own_;
  PlaceLocation state_;
  std::unique_ptr<FilterPlace> place_;
  std::vector<std::string> unsaved_;  // keys
  std::size_t unsaved_bytes_ = 0;
  bool is_new_ = true;
  bool was_saved_ = false;
};

// How many records will come from these inputs, rather too many than too few: counted or estimated
// for files and databases, and kStreamCapacity for whatever else. Reads no pipe.
inline constexpr std::uint64_t kStreamCapacity = 10'000'000;
// Returns whether the keys of all locations can be counted or estimated.
bool have_known_size(const std::vector<std::string>& locations);
std::uint64_t capacity_for(const std::vector<std::string>& locations, const SourceOptions& options);

}  // namespace bloomery::cli
