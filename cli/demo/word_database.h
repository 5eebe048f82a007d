#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "bloomery/source/key_source.h"
#include "cli/demo/database_table.h"

namespace bloomery::cli {

// Makes an SQLite file at `path` with the table
//   words(word TEXT PRIMARY KEY, length INTEGER, reversed TEXT)
// of what `words` gives, in one transaction; a word that comes twice is one row. `done` hears how
// many rows there are by now. Throws StoreError where the file cannot be written.
DatabaseTable fill_word_database(const std::string& path, KeySource& words,
                                 const std::function<void(std::uint64_t)>& done);

// The characters of a UTF-8 word from the last to the first.
std::string reversed_word(std::string_view word);

}  // namespace bloomery::cli
