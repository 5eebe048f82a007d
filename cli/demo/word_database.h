// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "bloomery/source/key_source.h"
#include "cli/demo/database_table.h"

namespace bloomery::cli {

// Makes an SQLite file at `path` with the table
//   words(word TEXT PRIMARY KEY, length INTEGER, reversed TEXT)
// of what `words` gives, in one transaction; a word that comes twice is one row. `done` hears how
// many rows there are by now. Throws StoreError where the file cannot be written.
DatabaseTable fill_word_database(const std::string& path, KeySource& words,
                                 const std::function<void(std::uint64_t)>& done);

// A function that inserts a word into the table of such a file and commits. Those who read the
// table go on meanwhile. Both throw StoreError where the file cannot be written.
std::function<void(std::string_view)> word_inserter(const std::string& path);

// The characters of a UTF-8 word from the last to the first.
std::string reversed_word(std::string_view word);

}  // namespace bloomery::cli
