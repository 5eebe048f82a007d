// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bloomery/source/server_location.h"
#include "tests/source/temporary_folder.h"
#include "tests/support/postgres_server.h"

namespace bloomery {

// The one server of the test program; each test has tables of its own in it.
inline testing::PostgresServer& server() {
  static const TemporaryFolder folder;
  static testing::PostgresServer only(folder.path(""));
  return only;
}

inline std::string location_of(const std::string& selection) {
  return server().location(selection);
}
inline std::string location_of(const std::string& table, const std::string& column) {
  return location_of("table=" + table + "&column=" + column);
}

}  // namespace bloomery
