// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bloomery/filter/filter_contents.h"
#include "bloomery/redis/client/client.h"
#include "bloomery/redis/client/location.h"
#include "bloomery/redis/places/bulk_load.h"

namespace bloomery::redis {

// Puts a filter of ours into a string, as the bytes of a native file, in the way of bulk_load():
// pieces into a key beside it, and one exchange. A new filter has a new identity, but for
// OldFilter::keep: then it also gets all that the old one has at the exchange, and keeps its
// identity, its watermark and its note.
//
// Above 32 MiB, or where the location says partitions=N, it is several strings (partition_keys.h),
// of which nobody reads any before all are there: the index comes last. What is there keeps its
// number of partitions.
//
// Throws as bulk_load() does.
void load_native(Client& client, const FilterContents& contents, const BulkOptions& options);

// Throws std::invalid_argument where load_native() would, with OldFilter::drop, whatever the server
// has.
void require_fits(const FilterContents& contents, Location location);

}  // namespace bloomery::redis
