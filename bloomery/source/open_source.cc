#include "bloomery/source/open_source.h"

#include "bloomery/source/source_location.h"
#include "bloomery/source/sqlite_source.h"
#include "bloomery/source/text_source.h"

namespace bloomery {

std::unique_ptr<KeySource> open_source(std::string_view location, const SourceOptions& options) {
  const SourceLocation parsed = parse_source_location(location);
  switch (parsed.kind) {
    case SourceLocation::Kind::sqlite:
      return std::make_unique<SqliteSource>(parsed.path, parsed.selection, options);
    case SourceLocation::Kind::standard_input:
      return std::make_unique<TextSource>(InputFile::standard_input(), options);
    case SourceLocation::Kind::text:
      break;
  }
  return std::make_unique<TextSource>(InputFile::open(parsed.path), options);
}

}  // namespace bloomery
