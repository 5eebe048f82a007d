#pragma once

#include <cstddef>
#include <cstdint>

namespace bloomery::module {

// What of ours a key may hold, each a type of values that the server knows by a name of its own.
enum class ValueType : std::uint8_t { chain, native, upload, cuckoo };

inline constexpr std::size_t kValueTypeCount = 4;

}  // namespace bloomery::module
