// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bloomery::cli {

// The name that was probably meant: it begins with the word, or at most a third of its letters,
// and no more than two, were left out, added, changed or exchanged with their neighbour. Nothing
// where no name is as near, or two are.
std::optional<std::string> nearest_name(std::string_view word, std::span<const std::string> names);

// "; did you mean NAME?" of the name that other programs have that word for, or of the nearest one;
// or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> names);

}  // namespace bloomery::cli
