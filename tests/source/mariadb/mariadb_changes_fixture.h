// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>

#include "bloomery/source/open_changes.h"
#include "followed.h"
#include "one_server.h"

namespace bloomery {

class MariadbChangesTest : public MariadbTest {
 protected:
  static constexpr const char* kUsers =
      "CREATE TABLE users (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(50) UNIQUE, more TEXT)";

  static std::string at(const std::string& table = "users", const std::string& column = "name") {
    return the_server().location(table, column);
  }
  // At once, or once it comes to what is not in order; until then the filter stays as it is.
  static void expect_not_gone_on_with(const Watermark& kept) {
    const auto source = open_change_source(at());
    bool has_noticed = !source->start(kept);
    for (int i = 0; i < 500 && !has_noticed; ++i) {
      try {
        source->poll(
            [&](const Changes& changes) { EXPECT_EQ(changes.watermark.value_or(kept), kept); },
            std::chrono::milliseconds(20));
      } catch (const SourceChanged&) {
        has_noticed = true;
        EXPECT_FALSE(source->start(kept));
      }
    }
    EXPECT_TRUE(has_noticed);
  }
  static std::string why_not(const std::string& table, const std::string& column) {
    return message_of<std::invalid_argument>(
        [&] { open_change_source(at(table, column))->start(std::nullopt); });
  }
};

}  // namespace bloomery
