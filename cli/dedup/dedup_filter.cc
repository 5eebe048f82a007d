#include "cli/dedup/dedup_filter.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/source/open_source.h"
#include "bloomery/source/source_location.h"
#include "bloomery/store/native_file.h"
#include "bloomery/store/replacement_file.h"
#include "cli/dedup/record_estimate.h"

namespace bloomery::cli {
namespace {

AnyFilter make(const NewFilter& wanted, const FilterLocation& file = {}) {
  try {
    return empty_filter(wanted, file);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("a filter for " + std::to_string(wanted.capacity.value()) +
                                " different records: " + error.what() +
                                "; -n says how many there are, -p how sure to be");
  }
}

void require_room_for_file(const std::string& path) {
  std::filesystem::path folder = follow_links(path).parent_path();
  if (folder.empty()) folder = ".";
  if (access(folder.c_str(), W_OK | X_OK) == 0) return;
  throw StoreError(path + ": cannot be made in this folder: " + std::strerror(errno));
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
  if (parsed.kind == SourceLocation::Kind::sqlite) {
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

DedupFilter::DedupFilter(FilterEditor state)
    : editor_(std::move(state)), keys_before_(editor_->filter().cardinality()) {}

DedupFilter::DedupFilter(const NewFilter& wanted, FilterLocation new_state_file)
    : new_file_(std::move(new_state_file)) {
  require_room_for_file(new_file_->path);
  own_ = make(wanted, *new_file_);
}

void DedupFilter::save(bool changed) {
  if (editor_) {
    if (changed) editor_->commit();
  } else if (new_file_) {
    bloomery::save(own_->contents(), *new_file_, {.replace = false});
  }
}

std::uint64_t capacity_for(const std::vector<std::string>& locations,
                           const SourceOptions& options) {
  std::uint64_t sum = 0;
  for (const std::string& location : locations) sum += records_of(location, options);
  return std::max<std::uint64_t>(1, sum);
}

}  // namespace bloomery::cli
