// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "bloomery/source/key_source.h"
#include "bloomery/source/source_options.h"

namespace bloomery {

// Opens the source that a location names (source_location.h). Throws std::invalid_argument,
// StoreError or FormatError, saying what is wrong with it.
std::unique_ptr<KeySource> open_source(std::string_view location, const SourceOptions& options);

}  // namespace bloomery
