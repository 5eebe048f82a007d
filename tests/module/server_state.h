// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "tests/module/server_client.h"
#include "tests/support/unused_port.h"

// Questions to a server that does things in its own time.
namespace bloomery::testing {

// A port that nobody has now.
inline std::string free_port() {
  return std::to_string(unused_port());
}

// The field of INFO, such as "role"; empty where there is none.
inline std::string info(Client& client, const std::string& field) {
  const std::string text = client.call({"INFO", "everything"}).text;
  const std::size_t at = text.find("\n" + field + ":");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + field.size() + 2;
  return text.substr(begin, text.find('\r', begin) - begin);
}

// Returns whether `test` comes true within ten seconds.
template <class Test>
bool comes_true(Test test) {
  for (int i = 0; i < 500; ++i) {
    if (test()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

// Lines of a shell that wait until it has so many keys; a load has one of its own.
inline std::string until_keys(const ModuleServer& server, int count) {
  return "for i in $(seq 400); do test $(redis-cli -s " + server.socket() +
         " DBSIZE) = " + std::to_string(count) + " && break; sleep 0.05; done\n";
}

inline bool has_synced(ModuleServer& replica) {
  return comes_true([&] { return info(replica.client, "master_link_status") == "up"; });
}

}  // namespace bloomery::testing
