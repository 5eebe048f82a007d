// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/native_load.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/place/watermark.h"
#include "bloomery/redis/places/key_beside.h"
#include "bloomery/redis/places/native_bitmap.h"
#include "bloomery/redis/places/native_place.h"
#include "bloomery/redis/places/partition_index.h"
#include "bloomery/redis/places/partition_keys.h"
#include "bloomery/redis/places/partitioned_place.h"
#include "bloomery/redis/places/string_load.h"

namespace bloomery::redis {
namespace {

FileHeader new_header(const FilterContents& contents, const std::optional<Watermark>& watermark) {
  FileHeader header;
  header.contents = contents;
  header.notes.identity = Identity::random();
  if (watermark) {
    header.notes.source = watermark->source;
    header.notes.watermark = watermark->position;
  }
  header.is_live = true;
  return header;
}

// Throws unless what is to be empty still is the filter that was seen.
void require_same_filter(const NativeBitmapHead& old, const FileHeader& next,
                         const std::string& name) {
  const bool is_same =
      old.header.part == next.part &&
      incompatibility(old.header.contents.parameters, next.contents.parameters).empty();
  if (!is_same) refuse_exchange("unlike", name);
}

// The filter answers from the moment on that its index is there, the last of all. Of one that is
// kept one part after the other gets what is new, and is at no moment less than it was. Otherwise
// all parts are there, beside, before the index goes and they come; a part that was not there lives
// as long as the index would have.
void load_parts(Client& client, const FilterContents& contents, std::uint32_t count,
                const std::optional<NativeBitmapHead>& old, const std::string& name,
                BulkOptions options) {
  const std::string& key = client.location().key;
  FileHeader header = new_header(contents, options.watermark);
  header.part = {count, count, contents.parameters.geometry.bit_count};
  const bool is_kept = old && options.old == OldFilter::keep;
  const bool is_cleared = options.old == OldFilter::clear;
  if (is_kept) {
    header.notes = old->header.notes;
    header.layout = layout_of(header);
    if (!old->has_bits_of({.header = header})) refuse_exchange("other", name);
  } else if (options.old == OldFilter::keep) {
    options.old = OldFilter::refuse;
  }
  if (options.old == OldFilter::refuse) require_no_index(client, key, name);
  header.layout = layout_of(header);
  std::optional<std::string> cleared;
  if (is_cleared) {
    require_same_filter(*old, header, name);
    require_parts(client, key, old->header, name);
    cleared = naming_bytes(*old);
  }
  const auto load_of = [&](std::uint32_t i) {
    FileHeader of_part = header;
    of_part.part->index = i;
    return std::make_unique<StringLoad>(client, partition_key(key, i, count),
                                        name + " (partition " + std::to_string(i) + ")",
                                        std::move(of_part), options, cleared);
  };
  std::uint64_t done = 0;
  const std::uint64_t all = contents.parameters.geometry.bit_count / 8;
  const auto send = [&](StringLoad& load) {
    std::uint64_t size = 0;
    load.send([&](std::uint64_t sent, std::uint64_t of) {
      size = of;
      if (options.progress) options.progress(std::min(done + sent, all), all);
    });
    done += size;
  };
  if (is_cleared || is_dropped(options.old)) {
    std::vector<std::unique_ptr<StringLoad>> loads;
    for (std::uint32_t i = 0; i < count; ++i) send(*loads.emplace_back(load_of(i)));
    loads.front()->rehearse();
    // An index has the beginning of every filter of ours.
    std::string_view begin = is_cleared ? std::string_view(old->bytes) : std::string_view();
    if (options.old == OldFilter::drop_if_filter) begin = native_magic();
    const Dropped index = drop_string(client, key, begin, is_cleared);
    if (index.said == "stranger" && is_cleared) refuse_exchange("unlike", name);
    if (index.said != "done") refuse_exchange(index.said, name);
    remove_parts_of(client, key, index.begin, count);
    // If several loads run at the same time, the one that took the first partition last gets all:
    // it takes the partitions that the others still put, and they stop when they see that the first
    // is not theirs.
    loads.front()->exchange(index.expires);
    for (const auto& each : std::span(loads).subspan(1)) {
      each->exchange(index.expires, [&] { require_part(client, key, header, 0, name); });
    }
    if (!is_cleared) {
      return put_index_over_others(client, key, header, name, index.expires);
    }
    require_parts(client, key, header, name);
    return put_index(client, key, header, name, index.expires);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto load = load_of(i);
    send(*load);
    load->exchange();
  }
  if (is_kept) return require_index(client, key, header, name);
  put_index(client, key, header, name);
}

}  // namespace

void require_fits(const FilterContents& contents, Location location) {
  const std::string name = "bitmap:" + location.text();
  const auto wanted = take_native_settings(location).partitions;
  require_lives_in_string(contents, partitions_for(contents.parameters, wanted, name), name);
}

void load_native(Client& client, const FilterContents& contents, const BulkOptions& options) {
  Location location = client.location();
  const std::string name = "bitmap:" + location.text();
  const auto wanted = take_native_settings(location).partitions;
  std::optional<NativeBitmapHead> old;
  const bool is_cleared = options.old == OldFilter::clear;
  const bool may_be_there = options.old != OldFilter::refuse;
  if (is_cleared || (may_be_there && native_exists(client, location.key))) {
    try {
      old = read_native_head(client, location.key, name);
    } catch (const StoreError&) {
      if (!is_dropped(options.old)) throw;
    }
  }
  std::uint32_t count = partitions_for(contents.parameters, wanted, name);
  // The number of partitions stays, unless the location says one or the old filter is dropped.
  if (old && !wanted && !is_dropped(options.old)) {
    count = old->header.part ? old->header.part->count : 1;
  }
  require_lives_in_string(contents, count, name);
  if (count > 1) return load_parts(client, contents, count, old, name, options);
  FileHeader header = new_header(contents, options.watermark);
  std::optional<std::string> cleared;
  if (is_cleared) {
    require_same_filter(*old, header, name);
    cleared = naming_bytes(*old);
  }
  StringLoad load(client, location.key, name, std::move(header), options, std::move(cleared));
  load.send(options.progress);
  load.exchange();
  if (const auto& discarded = load.discarded()) {
    remove_old_parts(client, location.key, discarded->header, 1);
  }
}

}  // namespace bloomery::redis
