// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/format/native/write_native.h"
#include "tests/module/server_client.h"

namespace bloomery::testing {

inline std::string bytes_of_file(const AnyFilter& filter, const FileNotes& notes = {}) {
  const FilterContents contents = filter.contents();
  std::string all;
  write_native(NativeHead(contents, notes), contents, [&](auto piece) {
    all.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  });
  return all;
}
inline std::string bytes_of_new(AnyFilter filter, const FileNotes& notes = {}) {
  filter.insert("scanned");
  return bytes_of_file(filter, notes);
}
inline std::string bytes_of_new(FilterKind kind, const FileNotes& notes = {}) {
  FilterOptions options{.capacity = 20, .false_positive_rate = 0.001};
  options.window.length_ms = kind == FilterKind::windowed ? 3'600'000 : 0;
  return bytes_of_new(make_filter(kind, options), notes);
}

// Items that are added to a key while a filter for it is on its way.
class LoadAdds : public ModuleTest {
 protected:
  static void bring(ModuleServer& server, const std::string& key, const std::string& bytes,
                    std::size_t from = 0) {
    EXPECT_EQ(
        server.call({"BLOOM.LOAD", key, "AT", std::to_string(from), bytes.substr(from)}).shown(),
        ":" + std::to_string(bytes.size()));
  }
  static void begin(ModuleServer& server, const std::string& key, const std::string& bytes) {
    EXPECT_EQ(server.call({"BLOOM.LOAD", key, "BEGIN", std::to_string(bytes.size())}).shown(),
              "+OK");
  }
  static std::string commit(ModuleServer& server, const std::string& key) {
    return server.ask("BLOOM.LOAD " + key + " COMMIT");
  }
  // Adds by each command that adds; more than the new filter is made for.
  static void add(ModuleServer& server, const std::string& key, const std::string& mark) {
    server.ask("BF.ADD " + key + " bf-add" + mark);
    server.ask("BF.MADD " + key + " bf-madd" + mark + " bf-madd2" + mark);
    server.ask("BF.INSERT " + key + " NOCREATE ITEMS bf-insert" + mark);
    server.ask("BLOOM.ADD " + key + " add" + mark);
    server.ask("BLOOM.MADD " + key + " madd" + mark + " madd2" + mark);
  }
  static void expect_added(ModuleServer& server, const std::string& key, const std::string& mark) {
    for (const char* const each :
         {"bf-add", "bf-madd", "bf-madd2", "bf-insert", "add", "madd", "madd2"}) {
      EXPECT_EQ(server.call({"BLOOM.CHECK", key, each + mark}).shown(), "*1 :1") << each << mark;
    }
  }
};

}  // namespace bloomery::testing
