// SPDX-License-Identifier: Apache-2.0
#include "cli/dedup/dedup_filter.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "bloomery/open/open_place.h"
#include "bloomery/redis/client/location.h"
#include "bloomery/redis/places/live_bitmap.h"
#include "bloomery/source/open_source.h"
#include "bloomery/source/source_location.h"
#include "cli/dedup/record_estimate.h"

namespace bloomery::cli {
namespace {

AnyFilter make(const NewFilter& wanted, const PlaceLocation& file = {}) {
  try {
    return empty_filter(wanted, file);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("a filter for " + std::to_string(wanted.capacity.value()) +
                                " different records: " + error.what() +
                                "; -n says how many there are, -p how sure to be");
  }
}

bool is_regular(const SourceLocation& location) {
  struct stat status {};
  const bool known = location.kind == SourceLocation::Kind::standard_input
                         ? fstat(STDIN_FILENO, &status) == 0
                         : stat(location.path.c_str(), &status) == 0;
  return known && S_ISREG(status.st_mode);
}

std::uint64_t records_of(const std::string& location, const SourceOptions& options) {
  const SourceLocation parsed = parse_source_location(location);
  if (parsed.is_database()) {
    return open_source(location, options)->expected_count().value_or(kStreamCapacity);
  }
  // Only asked for its name: who opened a pipe and went away would end the writer.
  if (!is_regular(parsed)) return kStreamCapacity;
  const InputFile file = parsed.kind == SourceLocation::Kind::standard_input
                             ? InputFile::standard_input()
                             : InputFile::open(parsed.path);
  return estimate_records(file, options.separator);
}

void refuse_doubt(const PlaceLocation& state, NoAbsent reason) {
  const std::string_view doubt = why(reason);
  if (!doubt.empty()) throw std::invalid_argument(state.text() + ": " + std::string(doubt));
}

// Throws std::invalid_argument for a new filter in a server that could say no "absent". This comes
// before the filter is made: what is refused afterwards stays there.
void require_says_absent(const PlaceLocation& state) {
  if (!state.is_live() || state.is_own_bitmap()) return;
  redis::Location server = redis::parse_location(state.server);
  if (!redis::take_trust(server) && !state.has_trailer) refuse_doubt(state, NoAbsent::bits_alone);
}

}  // namespace

DedupFilter::DedupFilter(const NewFilter& wanted) : own_(make(wanted)) {}

DedupFilter::DedupFilter(const PlaceLocation& state, const Patience& patience,
                         const std::function<NewFilter()>& wanted)
    : state_(state) {
  if (state.dialect) {
    throw std::invalid_argument(
        state.text() +
        ": its server does not show the filter's bits, and nobody could say "
        "how many new records were dropped; a state is a file, or a filter "
        "of another kind in a server");
  }
  std::error_code unknown;  // writing it says what is wrong
  is_new_ = state.is_live() ? !is_taken(state) : !std::filesystem::exists(state.file.path, unknown);
  if (is_new_) {
    require_says_absent(state);
    const AnyFilter empty = make(wanted(), state);
    bloomery::save(empty.contents(), state, {.file = {.replace = false}});
  }
  try {
    if (state.is_live()) {
      open_live();
    } else {
      retry_while_busy(state.text(), patience, [&] { editor_.emplace(state.file); });
    }
  } catch (...) {
    abandon();
    throw;
  }
}

void DedupFilter::open_live() {
  place_ = open_place(state_, {.access = PlaceOptions::read_write, .keys_as_said = true});
  refuse_doubt(state_, place_->head().no_absent);
  own_ = place_->copy();
}

void DedupFilter::remember(std::span<const Key> keys, std::span<const bool> was_new) {
  if (!place_) return;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!was_new[i]) continue;
    unsaved_.emplace_back(keys[i]);
    unsaved_bytes_ += sizeof(std::string) + keys[i].size();
  }
}

void DedupFilter::save() {
  if (place_) {
    const std::vector<Key> keys(unsaved_.begin(), unsaved_.end());
    place_->insert_many(keys);
    place_->flush({});
    unsaved_.clear();
    unsaved_bytes_ = 0;
  } else if (editor_) {
    editor_->commit();
  }
  was_saved_ = true;
}

void DedupFilter::abandon() noexcept {
  // Nobody else had the file. One in a server other runs may have filled by now; else it is empty,
  // and the next run takes it.
  const FileLocation& file = state_.file;
  if (!is_new_ || was_saved_ || state_.is_live() || file.path.empty()) return;
  std::error_code ignored;
  std::filesystem::remove(file.path, ignored);
  const bool has_config = file.format != nullptr && file.format->settings_of != nullptr;
  if (has_config) std::filesystem::remove(file.config_path(), ignored);
}

bool have_known_size(const std::vector<std::string>& locations) {
  return std::ranges::all_of(locations, [](const std::string& location) {
    const SourceLocation parsed = parse_source_location(location);
    return parsed.is_database() || is_regular(parsed);
  });
}

std::uint64_t capacity_for(const std::vector<std::string>& locations,
                           const SourceOptions& options) {
  std::uint64_t sum = 0;
  for (const std::string& location : locations) sum += records_of(location, options);
  return std::max<std::uint64_t>(1, sum);
}

}  // namespace bloomery::cli
