// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/not_a_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "bloomery/text/utf8.h"

namespace bloomery {
namespace {

using namespace std::string_view_literals;

struct OtherFile {
  std::string_view begin;
  const char* what;
  const char* way;
  bool may_be_word = false;  // lines of a text may begin so; bytes that no text has tell
};

constexpr const char* kLinesFirst = "write the column as lines first";
constexpr const char* kSeeRdb = "see `rdb` for the filters in it";
constexpr const char* kFromUtf32 = "iconv -f UTF-32 -t UTF-8 FILE | ... -";

constexpr std::array kOthers{
    OtherFile{"SQLite format 3\0"sv, "a SQLite database",
              "name it sqlite:FILE?table=...&column=..."},
    OtherFile{"\x89"
              "BLOOM"sv,
              "a filter of bloomery", "keys cannot be read out of a filter"},
    OtherFile{"PAR1"sv, "a Parquet file", kLinesFirst, true},
    OtherFile{"PARE"sv, "an encrypted Parquet file", kLinesFirst, true},
    OtherFile{"ARROW1"sv, "an Arrow file", kLinesFirst, true},
    OtherFile{"FEA1"sv, "a Feather file", kLinesFirst, true},
    OtherFile{"ORC"sv, "an ORC file", kLinesFirst, true},
    OtherFile{"Obj\x01"sv, "an Avro file", kLinesFirst},
    OtherFile{"\x93NUMPY"sv, "an array of NumPy", "numpy.savetxt writes lines"},
    OtherFile{"\x89HDF\r\n\x1a\n"sv, "an HDF5 file", kLinesFirst},
    OtherFile{"\x80\x04\x95"sv, "a pickle of Python", "write the keys as lines first"},
    OtherFile{"\x80\x05\x95"sv, "a pickle of Python", "write the keys as lines first"},
    OtherFile{"\x80\x02"sv, "a pickle of Python", "write the keys as lines first"},
    OtherFile{"\x80\x03"sv, "a pickle of Python", "write the keys as lines first"},
    OtherFile{"(lp0\n"sv, "a pickle of Python", "write the keys as lines first"},
    OtherFile{"(dp0\n"sv, "a pickle of Python", "write the keys as lines first"},
    OtherFile{"(lp1\n"sv, "a pickle of Python", "write the keys as lines first"},
    OtherFile{"(dp1\n"sv, "a pickle of Python", "write the keys as lines first"},
    OtherFile{"c__builtin__\n"sv, "a pickle of Python", "write the keys as lines first"},
    OtherFile{"ccopy_reg\n"sv, "a pickle of Python", "write the keys as lines first"},
    OtherFile{"ccollections\n"sv, "a pickle of Python", "write the keys as lines first"},
    OtherFile{"BZh"sv, "compressed by bzip2", "bzip2 -dc FILE | ... -", true},
    OtherFile{"\x04\x22\x4d\x18"sv, "compressed by lz4", "lz4 -dc FILE | ... -"},
    OtherFile{"\x02\x21\x4c\x18"sv, "compressed by lz4", "lz4 -dc FILE | ... -"},
    OtherFile{"\xff\x06\0\0sNaPpY"sv, "compressed by snappy", "unpack it first"},
    OtherFile{"\x89LZO\0"sv, "compressed by lzop", "lzop -dc FILE | ... -"},
    OtherFile{"LZIP"sv, "compressed by lzip", "lzip -dc FILE | ... -", true},
    OtherFile{"LRZI"sv, "compressed by lrzip", "unpack it first", true},
    OtherFile{"\x1f\x9d"sv, "compressed by compress", "zcat FILE | ... -"},
    OtherFile{"\x1f\xa0"sv, "compressed by compress", "unpack it first"},
    OtherFile{"\x1f\x1e"sv, "compressed by pack", "zcat FILE | ... -"},
    OtherFile{"\x1f\x8b"sv, "gzip of another method than deflate", "unpack it first"},
    OtherFile{"\x22\xb5\x2f\xfd"sv, "zstd of before its version 0.8", "zstd -dc FILE | ... -"},
    OtherFile{"\x23\xb5\x2f\xfd"sv, "zstd of before its version 0.8", "zstd -dc FILE | ... -"},
    OtherFile{"\x24\xb5\x2f\xfd"sv, "zstd of before its version 0.8", "zstd -dc FILE | ... -"},
    OtherFile{"\x25\xb5\x2f\xfd"sv, "zstd of before its version 0.8", "zstd -dc FILE | ... -"},
    OtherFile{"\x26\xb5\x2f\xfd"sv, "zstd of before its version 0.8", "zstd -dc FILE | ... -"},
    OtherFile{"\x27\xb5\x2f\xfd"sv, "zstd of before its version 0.8", "zstd -dc FILE | ... -"},
    OtherFile{"x\x01"sv, "compressed by zlib", "zlib-flate -uncompress <FILE | ... -", true},
    OtherFile{"x\x9c"sv, "compressed by zlib", "zlib-flate -uncompress <FILE | ... -", true},
    OtherFile{"x\xda"sv, "compressed by zlib", "zlib-flate -uncompress <FILE | ... -", true},
    OtherFile{"7z\xbc\xaf\x27\x1c"sv, "a 7z archive", "7z x -so FILE | ... -"},
    OtherFile{"PK\x03\x04"sv, "a zip archive, as spreadsheets are too",
              "unzip -p FILE | ... -, or save the sheet as CSV"},
    OtherFile{"PK\x05\x06"sv, "an empty zip archive", "unzip -l FILE shows that"},
    OtherFile{"PK\x07\x08"sv, "a part of a zip archive", "join its parts first"},
    OtherFile{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "an old spreadsheet or document of Office",
              "save the sheet as CSV"},
    OtherFile{"Rar!\x1a\x07"sv, "a rar archive", "unpack it first"},
    OtherFile{"\xff\xfe\0\0"sv, "UTF-32", kFromUtf32},
    OtherFile{"\0\0\xfe\xff"sv, "UTF-32", kFromUtf32},
    OtherFile{"REDIS0"sv, "a dump of Redis", kSeeRdb, true},
    OtherFile{"VALKEY"sv, "a dump of Valkey", kSeeRdb, true},
};

// Bytes that neither texts nor what ends their lines have.
bool is_control(char byte) {
  return (static_cast<unsigned char>(byte) < '\t') || (byte > '\r' && byte < ' ' && byte != '\x1b');
}

bool is_that(std::string_view begin, const OtherFile& other) {
  if (!begin.starts_with(other.begin)) return false;
  if (!other.may_be_word) return true;
  return std::ranges::any_of(begin.substr(0, kTextLookedAt), is_control);
}

// A name at its place in the first block (POSIX, ustar interchange format).
bool is_tar(std::string_view begin) {
  return begin.size() > 262 && begin.substr(257).starts_with("ustar");
}

// The first bytes of xz's older format: settings, the size of a dictionary, and that of the text,
// which is mostly not told.
bool is_lzma(std::string_view begin) {
  constexpr std::string_view kUnknownSize = "\xff\xff\xff\xff\xff\xff\xff\xff";
  return begin.starts_with("\x5d\0\0"sv) && begin.size() >= 13 &&
         (begin.substr(5).starts_with(kUnknownSize) || begin.substr(9).starts_with("\0\0\0\0"sv));
}

// A tuple in Python's protocol 0: a mark, the instruction of its first value, and soon a line that
// remembers the value or the tuple.
bool is_pickled_tuple(std::string_view begin) {
  if (begin.size() < 2 || begin[0] != '(' || "VSIFL("sv.find(begin[1]) == std::string_view::npos) {
    return false;
  }
  constexpr std::array kRemembered{"\np0\n"sv, "\np1\n"sv, "\ntp0\n"sv, "\ntp1\n"sv};
  return std::ranges::any_of(kRemembered,
                             [&](std::string_view line) { return begin.find(line) != begin.npos; });
}

// Bytes as compression without a mark of its own leaves them (brotli): no UTF-8, and one in 32 of
// them a control character; of bytes at random it is one in ten. Few bytes may be keys of any
// bytes.
bool is_noise(std::string_view begin) {
  constexpr std::size_t kFewest = 64;
  constexpr std::size_t kLongestCharacter = 4;
  if (begin.size() < kFewest) return false;
  const auto controls = static_cast<std::size_t>(std::ranges::count_if(begin, is_control));
  if (32 * controls < begin.size()) return false;
  Utf8Characters characters(begin);
  std::size_t bytes = 0;  // of the characters so far; the last one may be cut off
  for (std::uint32_t each = 0; bytes + kLongestCharacter < begin.size() && characters.next(each);) {
    if (each == 0xfffd && !begin.substr(bytes).starts_with("\xef\xbf\xbd")) return true;
    bytes += each < 0x80 ? 1 : each < 0x800 ? 2 : each < 0x10000 ? 3 : 4;
  }
  return false;
}

std::string no_text(const std::string& what, const std::string& way) {
  return "is no text of keys, but " + what + "; " + way;
}

// Every other byte of a text in Latin letters.
const char* utf16_order(std::string_view begin) {
  if (begin.size() < 4) return nullptr;
  const bool first = begin[0] == '\0' && begin[2] == '\0';
  const bool second = begin[1] == '\0' && begin[3] == '\0';
  if (first == second) return nullptr;
  return first ? "BE" : "LE";
}

}  // namespace

std::string why_no_text(std::string_view bytes, char separator, std::uint64_t offset) {
  if (offset >= kTextLookedAt) return {};
  const std::string_view looked_at =
      bytes.substr(0, kTextLookedAt - static_cast<std::size_t>(offset));
  if (offset == 0) {
    const auto other = std::ranges::find_if(
        kOthers, [&](const OtherFile& each) { return is_that(looked_at, each); });
    if (other != kOthers.end()) return no_text(other->what, other->way);
    if (is_tar(looked_at)) return no_text("a tar archive", "tar -xOf FILE | ... -");
    if (is_lzma(looked_at)) return no_text("compressed by lzma", "xz -dc FILE | ... -");
    if (is_pickled_tuple(looked_at)) {
      return no_text("a pickle of Python", "write the keys as lines first");
    }
  }
  const std::size_t nul = looked_at.find('\0');
  if (separator == '\0') return {};
  if (nul == std::string_view::npos) {
    if (offset != 0 || !is_noise(looked_at)) return {};
    return no_text("as it seems bytes of another kind, such as a file compressed by brotli",
                   "unpack it first: brotli -dc FILE | ... -. Keys of such bytes are read with -0 "
                   "if NULs end them, or as hexadecimal digits with --as hex");
  }
  const char* const order = offset == 0 ? utf16_order(looked_at) : nullptr;
  if (order != nullptr) {
    return no_text(std::string("as it seems UTF-16 without a byte order mark"),
                   std::string("iconv -f UTF-16") + order + " -t UTF-8 FILE | ... -");
  }
  return "has a NUL at byte " + std::to_string(offset + nul) +
         ", which lines of text do not; keys that NULs end are read with -0, and keys that hold "
         "one are written in hexadecimal digits and read with --as hex (of a filter that holds "
         "texts with --insist, too)";
}

}  // namespace bloomery
