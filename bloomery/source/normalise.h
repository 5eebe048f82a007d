// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "bloomery/text/key_form.h"

namespace bloomery {

// The text of a key as its normalisation leaves it: of all texts that it calls equal the same one.
// It is `text` itself, a part of it, or in `room`, which keeps its memory from one call to the
// next. Throws std::invalid_argument for a text that is no integer where integers are asked for:
// guessing would let keys part that a database calls equal.
std::string_view normalised(Normalise normalise, std::string_view text, std::string& room);

// The most bytes that it may have for a text of `byte_count`.
std::size_t normalised_byte_limit(Normalise normalise, std::size_t byte_count) noexcept;

}  // namespace bloomery
