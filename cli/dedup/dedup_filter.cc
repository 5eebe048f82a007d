#include "cli/dedup/dedup_filter.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "bloomery/source/open_source.h"
#include "bloomery/source/source_location.h"
#include "bloomery/store/native_file.h"
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

}  // namespace

DedupFilter::DedupFilter(const NewFilter& wanted) : own_(make(wanted)) {}

DedupFilter::DedupFilter(const PlaceLocation& state, const Patience& patience,
                         const std::function<NewFilter()>& wanted)
    : file_(state.need_file("the state of dedup is a file")) {
  is_new_ = !std::filesystem::exists(std::filesystem::status(file_.path));
  if (is_new_) bloomery::save(make(wanted(), state).contents(), file_, {.replace = false});
  try {
    retry_while_busy(file_.text(), patience, [&] { editor_.emplace(file_); });
  } catch (...) {
    abandon();
    throw;
  }
}

void DedupFilter::save() {
  if (!editor_) return;
  editor_->commit();
  was_saved_ = true;
}

void DedupFilter::abandon() noexcept {
  if (file_.path.empty() || !is_new_ || was_saved_) return;
  std::error_code ignored;
  std::filesystem::remove(file_.path, ignored);
  const bool has_config = file_.format != nullptr && file_.format->settings_of != nullptr;
  if (has_config) std::filesystem::remove(file_.config_path(), ignored);
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
