#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bloomery/redis/client.h"
#include "bloomery/redis/native_bitmap.h"

// The index of a filter in partitions while a load puts another filter in its place, and the
// partitions that it heads. `of` and `header` are that of an index, with its number of partitions.
namespace bloomery::redis {

struct Dropped {
  std::string said{};     // "done", or why not
  std::string expires{};  // when it would have, in milliseconds since 1970; empty: never
  std::string begin{};    // its first bytes
};

// Removes the index, or whatever is at the key, if it begins with `begin`.
Dropped drop_string(Client& client, const std::string& key, std::string_view begin,
                    bool must_be_there = false);

// Into the place of nothing. Throws StoreError where something is there.
void put_index(Client& client, const std::string& key, const FileHeader& header,
               const std::string& name, std::string_view expires = {});
// Who sees that all parts are his puts his index in the place of the one that he saw before that,
// and the parts that it headed go. Throws StoreError where one is another's.
void put_index_over_others(Client& client, const std::string& key, const FileHeader& header,
                           const std::string& name, std::string_view expires);

// Throw StoreError where a part is of another filter.
void require_part(Client& client, const std::string& key, const FileHeader& of, std::uint32_t index,
                  const std::string& name);
void require_parts(Client& client, const std::string& key, const FileHeader& of,
                   const std::string& name);
// Throws StoreError where all parts are there, and what says so is not.
void require_index(Client& client, const std::string& key, const FileHeader& of,
                   const std::string& name);

// Removes the partitions of the old filter that are not those of the new one.
void remove_old_parts(Client& client, const std::string& key, const FileHeader& old,
                      std::uint32_t new_count);
// The same of the filter whose index that was, if it was one.
void remove_parts_of(Client& client, const std::string& key, std::string_view index,
                     std::uint32_t new_count);

}  // namespace bloomery::redis
