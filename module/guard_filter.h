// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "module/guard_arguments.h"
#include "module/guard_server.h"

namespace bloomery::module {

// The word of the guard's filter about a key; `none` where no filter is asked.
enum class GuardPresence : std::uint8_t { none, absent, maybe, unknown };
const char* name_of(GuardPresence presence) noexcept;

// Returns whether the commands of a family are BLOOM.*, also behind a prefix; the others are BF.*.
bool is_bloom(std::string_view family) noexcept;

// Asks the filter, if it proves to be the one, about `count` items from argument `first` on.
// Arguments 0 to 3 are family, identity, source and position.
std::vector<GuardPresence> ask_guard_filter(GuardServer& server, const GuardArguments& arguments,
                                            std::size_t first, std::size_t count);

// Inserts `count` items from argument `first` on; argument 0 is the family. Throws Refusal where
// the filter is not there, or not all were inserted.
void insert_into_guard_filter(GuardServer& server, const GuardArguments& arguments,
                              std::size_t first, std::size_t count);

// The identity of a filter that a guard may ask. Throws Refusal, naming why, for others.
std::string identity_of_guard_filter(GuardServer& server, const GuardArguments& arguments);

}  // namespace bloomery::module
