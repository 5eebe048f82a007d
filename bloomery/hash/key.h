#pragma once

#include <string_view>

namespace bloomery {

// What a filter is asked about: bytes, not text. They are hashed at once and never kept, so a view
// is enough. An integer key is its eight little-endian bytes; the overloads that take integers give
// the same bits.
using Key = std::string_view;

}  // namespace bloomery
