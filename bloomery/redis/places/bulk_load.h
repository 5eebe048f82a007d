// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "bloomery/filter/filter_contents.h"
#include "bloomery/format/format.h"
#include "bloomery/place/watermark.h"
#include "bloomery/redis/client/client.h"

namespace bloomery::redis {

// `OldFilter`: what a load does with a filter that is already there.
enum class OldFilter : std::uint8_t {
  refuse,  // it stays, and nothing is loaded
  // The new one has its bits too, and what others add to it until the exchange. Both must have the
  // same geometry.
  keep,
  drop,            // it goes, with what others add to it until the exchange
  drop_if_filter,  // so it does, but nothing goes that may be no filter at all
  // `clear`: the filter must be there and have the same geometry. It goes, but not its
  // configuration, nor the number of its partitions.
  clear,
};

constexpr bool is_dropped(OldFilter old) noexcept {
  return old == OldFilter::drop || old == OldFilter::drop_if_filter;
}

struct BulkOptions {
  OldFilter old = OldFilter::refuse;
  // `progress`: is told how many bytes are done, of how many.
  std::function<void(std::uint64_t done, std::uint64_t all)> progress{};
  // The position up to which a new filter has the keys of its source; only for a filter of our own,
  // or one with a trailer.
  std::optional<Watermark> watermark{};
};

// Returns whether anything is under the names that a filter of the format has there.
bool is_taken(Client& client, const Format& format);

// Removes them; whether anything was there.
bool destroy(Client& client, const Format& format);

// Puts a filter's bits where the client's location says, with its configuration, as the format's
// system has them; the bitmap has its whole length from the start. The bits travel in pieces of at
// most 1 MiB into a key beside it, which lives for an hour if nobody goes on; a script then makes
// sure that every bit has come, puts it in the place of the old one, whose time to live it takes
// over, and writes the configuration. Whoever asks meanwhile sees the one or the other, whole.
//
// The script stops the server for some 2 ms a MiB where there was a filter, 1 ms where not.
//
// Throws std::invalid_argument for contents that do not live there, StoreError where what is there
// does not allow it (OldFilter), where the key beside it was lost, and as Client::run does. If the
// connection is cut at the very end, the filter is the old or the new one; before that the old one.
void bulk_load(Client& client, const Format& format, const FilterContents& contents,
               const BulkOptions& options);

}  // namespace bloomery::redis
