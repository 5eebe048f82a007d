// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/redis/client/client.h"
#include "bloomery/redis/client/location.h"
#include "bloomery/redis/client/reply.h"

// The keys under which a server keeps a filter that it asks itself, and the server's replies about
// items.
namespace bloomery::redis {

// The key of a filter, and of its markers.
std::vector<std::string> item_keys(const Location& location);

// The items behind what stands at the markers' key.
std::vector<std::string> markers_of(const std::string& token);

// BF.RESERVE at the location's key, and the markers of that token. Where it is not to stay, its
// milliseconds of life are set in the same step.
void reserve_items(Client& client, std::uint64_t capacity, double rate, const std::string& token,
                   std::string_view milliseconds = {});

// Returns whether each of `count` items is in. `is_fenced`: behind a fence that is not reached an
// item that is not there is nil. Throws RefusedError, and ProtocolError for what is no answer.
std::vector<bool> item_flags(const Reply& reply, std::size_t count, const std::string& name,
                             bool is_fenced = false);

// BF.RESERVE, and the markers. Throws StoreError where the key is taken.
void create_items(Client& client, std::uint64_t capacity, double rate);

// Returns whether anything is under the filter's keys.
bool are_items_taken(Client& client);
// Deletes the filter's keys, and returns whether anything was there.
bool destroy_items(Client& client);

}  // namespace bloomery::redis
