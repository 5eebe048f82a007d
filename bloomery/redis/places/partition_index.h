// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bloomery/redis/client/client.h"
#include "bloomery/redis/places/native_bitmap.h"

// The steps of a load that deal with the index of a filter in partitions, and with the partitions,
// while it puts another filter in the place of one. `of` and `header` are the header of an index,
// which says how many partitions there are.
namespace bloomery::redis {

struct Dropped {
  std::string said{};     // "done", or why not
  std::string expires{};  // when it would have, in milliseconds since 1970; empty: never
  std::string begin{};    // its first bytes
};

// Removes the index, or whatever is at the key, if it begins with `begin`.
Dropped drop_string(Client& client, const std::string& key, std::string_view begin,
                    bool must_be_there = false);

// Throws StoreError where anything is at the index's key.
void require_no_index(Client& client, const std::string& key, const std::string& name);
// Puts an index where nothing is. Throws StoreError where something is there.
void put_index(Client& client, const std::string& key, const FileHeader& header,
               const std::string& name, std::string_view expires = {});
// The end of one of several loads that may run at the same time: looks which index is there, makes
// sure that all partitions are those of `header`, puts the new index in the place of that one, and
// removes the partitions that only the old one had. Throws StoreError where a partition is of
// another load.
void put_index_over_others(Client& client, const std::string& key, const FileHeader& header,
                           const std::string& name, std::string_view expires);

// Throw StoreError where one partition, or any of them, is not of the filter with that index.
void require_part(Client& client, const std::string& key, const FileHeader& of, std::uint32_t index,
                  const std::string& name);
void require_parts(Client& client, const std::string& key, const FileHeader& of,
                   const std::string& name);
// Throws StoreError where that index is not there, at the end of a load of all partitions.
void require_index(Client& client, const std::string& key, const FileHeader& of,
                   const std::string& name);

// Removes the partitions of the old filter that are not those of the new one.
void remove_old_parts(Client& client, const std::string& key, const FileHeader& old,
                      std::uint32_t new_count);
// Removes the partitions, as remove_old_parts() does, of the filter whose index began with the
// bytes `index`; none if they are not those of an index.
void remove_parts_of(Client& client, const std::string& key, std::string_view index,
                     std::uint32_t new_count);

}  // namespace bloomery::redis
