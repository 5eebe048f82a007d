// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/filter/parameters.h"
#include "bloomery/redis/client/location.h"

// A filter of ours in several strings, the parts of format/native/file_part.h, so that the nodes of
// a cluster share it. NAME itself has the index: the head of a part that has no line.
namespace bloomery::redis {

// "NAME:{tag}:3": in a cluster, parts that follow each other are as many slots apart. Throws
// std::invalid_argument for a name that has a tag of its own, which would keep them all together.
std::string partition_key(const std::string& name, std::uint32_t index, std::uint32_t count);

// Takes the setting "partitions=N" out of the location and returns N; nothing if it has none.
// Throws std::invalid_argument for a number that is not allowed.
std::optional<std::uint32_t> take_partitions(Location& location);

// How many a filter is put into that is new: of at most 32 MiB each, where there may be as many,
// unless it is said. Throws std::invalid_argument for a kind that has no parts, and for more parts
// than lines.
std::uint32_t partitions_for(const FilterParameters& parameters,
                             std::optional<std::uint32_t> wanted, const std::string& name);

}  // namespace bloomery::redis
