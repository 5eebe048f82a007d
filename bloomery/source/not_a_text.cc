// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/not_a_text.h"

#include <array>
#include <cstddef>

namespace bloomery {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kLookedAt = 8 * 1024;

struct OtherFile {
  std::string_view begin;
  const char* what;
  const char* way;
};

// Longer beginnings before those that they begin with.
constexpr std::array kOthers{
    OtherFile{"SQLite format 3\0"sv, "a SQLite database",
              "name it sqlite:FILE?table=...&column=..."},
    OtherFile{"\x89"
              "BLOOM"sv,
              "a filter of bloomery", "keys cannot be read out of a filter"},
    OtherFile{"PAR1"sv, "a Parquet file", "write the column as lines first"},
    OtherFile{"ARROW1"sv, "an Arrow file", "write the column as lines first"},
    OtherFile{"ORC"sv, "an ORC file", "write the column as lines first"},
    OtherFile{"Obj\x01"sv, "an Avro file", "write the column as lines first"},
    OtherFile{"BZh"sv, "compressed by bzip2", "bzip2 -dc FILE | ... -"},
    OtherFile{"\x04\x22\x4d\x18"sv, "compressed by lz4", "lz4 -dc FILE | ... -"},
    OtherFile{"LZIP"sv, "compressed by lzip", "lzip -dc FILE | ... -"},
    OtherFile{"7z\xbc\xaf\x27\x1c"sv, "a 7z archive", "7z x -so FILE | ... -"},
    OtherFile{"PK\x03\x04"sv, "a zip archive", "unzip -p FILE | ... -"},
    OtherFile{"Rar!\x1a\x07"sv, "a rar archive", "unpack it first"},
    OtherFile{"\xff\xfe\0\0"sv, "UTF-32", "iconv -f UTF-32 -t UTF-8 FILE | ... -"},
    OtherFile{"\0\0\xfe\xff"sv, "UTF-32", "iconv -f UTF-32 -t UTF-8 FILE | ... -"},
    OtherFile{"REDIS0"sv, "a dump of Redis", "see `rdb` for the filters in it"},
    OtherFile{"VALKEY"sv, "a dump of Valkey", "see `rdb` for the filters in it"},
};

// Of bzip2 and ORC the first bytes could be a word; what follows could not.
bool is_that(std::string_view begin, const OtherFile& other) {
  if (!begin.starts_with(other.begin)) return false;
  if (other.begin == "BZh") return begin.substr(4).starts_with("1AY&SY") || begin.size() == 14;
  if (other.begin == "ORC" || other.begin == "LZIP" || other.begin == "REDIS0" ||
      other.begin == "VALKEY") {
    return begin.substr(0, kLookedAt).find('\0') != std::string_view::npos;
  }
  return true;
}

}  // namespace

std::string why_no_text(std::string_view begin, char separator) {
  for (const OtherFile& other : kOthers) {
    if (is_that(begin, other)) {
      return std::string("is no text of keys, but ") + other.what + "; " + other.way;
    }
  }
  const std::size_t nul = begin.substr(0, kLookedAt).find('\0');
  if (separator == '\0' || nul == std::string_view::npos) return {};
  return "has a NUL at byte " + std::to_string(nul) +
         ", which lines of text do not; keys that NULs end are read with -0, and keys that hold "
         "one "
         "are written in hexadecimal digits and read with --as hex";
}

}  // namespace bloomery
