// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bloomery/source/change_options.h"
#include "bloomery/source/change_source.h"

namespace bloomery {

// The table that a location names (source_location.h), to be followed. Nothing is written into the
// database before start(). Throws std::invalid_argument for what has no changes to follow, such as
// a text or a query, and otherwise as open_source() does.
std::unique_ptr<ChangeSource> open_change_source(std::string_view location,
                                                 const ChangeOptions& options = {});

// ChangeSource::remove() of it, also of a table that has another name by now, or is gone.
std::string remove_changes(std::string_view location, const ChangeOptions& options = {});

// Opens what asks how far the same table is. Throws as open_change_source() does.
std::unique_ptr<FenceSource> open_fence(std::string_view location,
                                        const ChangeOptions& options = {});

}  // namespace bloomery
