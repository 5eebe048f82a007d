// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

// Replies of cluster nodes that say only who has their slots.
namespace bloomery::testing {

inline std::string text_reply(const std::string& value) {
  return "$" + std::to_string(value.size()) + "\r\n" + value + "\r\n";
}

// Reply of a node called `id` to CLUSTER SLOTS and CLUSTER MYID: the node has all slots.
inline std::string all_slots_at(const std::string& port, const std::string& id) {
  return "*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n" + text_reply("127.0.0.1") + ":" + port + "\r\n" +
         text_reply("id of " + port) + text_reply(id);
}

}  // namespace bloomery::testing
