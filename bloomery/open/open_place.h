// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include "bloomery/filter/any_filter.h"
#include "bloomery/open/place_location.h"
#include "bloomery/place/delta_source.h"
#include "bloomery/place/filter_place.h"
#include "bloomery/store/native_file.h"

namespace bloomery {

// Options of open_place().
struct PlaceOptions {
  // shared: a file of our own, which other processes of this machine insert into as well
  // (store/shared_filter.h).
  enum class Access : std::uint8_t { read_only, read_write, shared };
  using enum Access;

  Access access = read_only;  // read_write and shared: keys may be inserted
  // Take also filters that forget keys (windowed) or let them be erased (counting). Their `absent`
  // says "not any more", which a guard must not act on.
  bool allow_forgetting = false;
  // `load_files`: for reading, load a file of our own whole, with all its checksums, before the
  // first answer. (A live file has no checksums.)
  bool load_files = false;
  // `keys_as_said`: the caller reads in head() how the keys are written, and writes them so.
  // Otherwise each key that is written in another way is looked at (filter/key_watch.h): the eight
  // bytes of an integer are refused by a filter of texts, and a text by one of integers, where the
  // filter cannot remember that it has both.
  bool keys_as_said = false;
  // `look`: is shown each filter that is loaded whole.
  std::function<void(const AnyFilter& filter)> look{};
};

// The place that a location names, as it is written on a command line:
//   users.bloom            a file of our own: mapped; for writing changed in place where its kind
//                          can be, else loaded whole and written back by flush(). One that is live
//                          on this machine is asked as it is
//   guava:users.bin        a file of another system's format: loaded whole
//   redisson:f?legacy=1    with what its bytes do not say
//   redisson:redis://h#f   another system's filter where it lives in a server (docs/redis.md)
//   bitmap:redis://h#f     one of our own in a string of a server
//   copy:bitmap:...        one in a server, with a copy in this process (place/local_copy.h)
// A file says `absent` for what it does not hold: that its keys are all there are is for the caller
// to know. Behind a fence it says `unknown`, but for a file of our own whose watermark reaches it.
//
// If another filter has taken the place of an open one, which then says `unknown`, a question
// behind a fence that the new one reaches goes on with that (adopting_place.h).
//
// redis/places/bitmap_place.h and redis/places/native_place.h describe the answers of a filter in a
// server.
//
// Throws std::invalid_argument for a location that is none and a kind that forgets; StoreError and
// FormatError as load() does; StoreError where another process writes the file.
std::unique_ptr<FilterPlace> open_place(std::string_view location,
                                        const PlaceOptions& options = {});
std::unique_ptr<FilterPlace> open_place(const PlaceLocation& location,
                                        const PlaceOptions& options = {});

// Options of save() to a place.
struct PlaceSaveOptions {
  SaveOptions file{};  // of a file; `replace` is for servers too
  // A filter in a server that is replaced is thrown away, and what others add to it meanwhile is
  // lost. Otherwise the new one also has what the old one has, which must be of the same size.
  bool discard = false;
  // Replaces no string that may be no filter at all.
  bool spares_strangers = false;
  std::function<void(std::uint64_t done, std::uint64_t all)> progress{};  // in bytes, of servers
};

// Returns whether anything is at the location.
bool is_taken(const PlaceLocation& location);

// Throws std::invalid_argument for a kind of filter that cannot be saved there, and StoreError
// where a file has no folder that takes it. Before the keys of a long load are read.
void require_may_be_there(FilterKind kind, const PlaceLocation& location);

// Throws std::invalid_argument for a filter that is too large to be put there.
void require_fits(const FilterContents& contents, const PlaceLocation& location);

// Throws std::invalid_argument where a filter that is replaced can only be thrown away: by servers
// that have filters themselves.
void require_may_be_kept(const PlaceLocation& location);

// Puts a filter there, whole, in one step. Throws as save() of files, redis/places/bulk_load.h and
// redis/places/push_filter.h (bloom:) do, and std::invalid_argument for bf:, which takes keys.
void save(const FilterContents& contents, const PlaceLocation& location,
          const PlaceSaveOptions& options);

// An empty filter in a server that has filters itself: for so many keys (bf:), or as `empty` is
// (bloom:). Throws StoreError where one is there.
void create_in_server(const PlaceLocation& location, std::uint64_t capacity, double rate);
void create_in_server(const PlaceLocation& location, const FilterContents& empty);

// Removes it for good. Throws StoreError where there is none, and FormatError where a file never
// was a filter of ours.
void destroy(const PlaceLocation& location);

// Makes it an empty one of the same size and settings, in one step, but for partitions; in a server
// its time to live stays. It is another filter then, where that can be told: with an identity of
// its own and no watermark. What others insert until then is gone with the rest.
//
// Throws std::invalid_argument for one that is built of all its keys at once, and where a server
// makes its filters itself; StoreError where none is there, or what may be none: of a system
// without a configuration, a bitmap that is shorter than the location says, unless that has
// trust=bits. And as FilterEditor and redis/places/bulk_load.h do.
void clear(const PlaceLocation& location);

// Opens what reads the filter whole, and says what came into it since: of ours in a server. Returns
// null for other locations. Throws as open_place() does.
std::shared_ptr<DeltaSource> open_deltas(const PlaceLocation& location);

// Reads a file that bloomery pull wrote, as a copy to begin from; its `chain` is empty where it has
// none. Throws as load_noted() does.
DeltaSource::Kept load_pulled(const std::filesystem::path& file, std::uint64_t most_bytes);

// The whole filter, out of a file or a server. Throws as load() of files and FilterPlace::copy()
// do.
AnyFilter load(const PlaceLocation& location);

}  // namespace bloomery
