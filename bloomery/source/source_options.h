// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/bits/memory_limit.h"
#include "bloomery/source/key_encoding.h"

namespace bloomery {

// How to read keys. The first two are for every source, the next for texts, the last two for
// databases.
struct SourceOptions {
  KeyEncoding encoding = KeyEncoding::text;
  Normalise normalise = Normalise::none;  // of the text, before its encoding

  char separator = '\n';         // ends a record: newline, or NUL
  std::uint32_t field = 0;       // which field of a record is the key, from 1; 0: the whole record
  std::string delimiter = "\t";  // stands between fields; one byte or several
  bool csv = false;              // fields may be quoted (csv_field.h), and then hold line ends
  bool skip_header = false;      // the first record names the fields and is no key
  std::uint64_t record_byte_limit = memory_limit();
  unsigned counting_threads = 1;  // how many may count the records beforehand

  std::uint32_t busy_timeout_ms = 5000;  // how long to wait for a locked database
};

}  // namespace bloomery
