#include "bloomery/source/open_changes.h"

#include <stdexcept>
#include <string>

#include "bloomery/source/printable.h"
#include "bloomery/source/source_location.h"
#include "bloomery/source/sqlite/sqlite_changes.h"
#include "bloomery/source/sqlite/sqlite_fence.h"

namespace bloomery {
namespace {

[[noreturn]] void refuse_to_follow(std::string_view location, const std::string& why) {
  throw std::invalid_argument(printable(location, 200) + ": " + why +
                              "; allowed: sqlite:FILE?table=TABLE&column=COLUMN");
}

// Where there are rows that come and go.
SourceLocation parse_followed(std::string_view location) {
  SourceLocation parsed = parse_source_location(location);
  if (parsed.kind != SourceLocation::Kind::sqlite) {
    refuse_to_follow(location, "a text does not say what changes in it");
  }
  if (!parsed.selection.query.empty()) {
    refuse_to_follow(location, "a query does not say which rows come and go; name the column");
  }
  return parsed;
}

}  // namespace

std::unique_ptr<ChangeSource> open_change_source(std::string_view location,
                                                 const ChangeOptions& options) {
  const SourceLocation parsed = parse_followed(location);
  return std::make_unique<SqliteChanges>(parsed.path, parsed.selection, options);
}

std::unique_ptr<FenceSource> open_fence(std::string_view location, const ChangeOptions& options) {
  const SourceLocation parsed = parse_followed(location);
  return std::make_unique<SqliteFence>(parsed.path, parsed.selection, options);
}

}  // namespace bloomery
