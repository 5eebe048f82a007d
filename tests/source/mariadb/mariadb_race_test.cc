// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "followed_by_a_thread.h"
#include "one_server.h"

namespace bloomery {
namespace {

TEST_F(MariadbTest, NoRowIsAbsentBehindTheFenceThatAnybodyCanSee) {
  run("CREATE TABLE users (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(50))");
  expect_no_row_absent_behind_the_fence(the_server().location("users", "name"),
                                        [] { return the_server().connect("root", "shop"); });
}

// Each file of the log has a few commits, and each of these begins the next one.
TEST_F(MariadbTest, NoRowIsMissedByWhoBeginsWhileTheLogGoesFromFileToFile) {
  run("CREATE TABLE users (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(50), more TEXT)");
  expect_all_rows_of_who_begins_while_the_log_goes_from_file_to_file(
      the_server().location("users", "name"), [] { return the_server().connect("root", "shop"); });
}

TEST_F(MariadbTest, WhoBeginsWhileTheLogIsPurgedBeginsAgain) {
  run("CREATE TABLE users (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(50), more TEXT)");
  expect_all_rows_of_who_begins_while_the_log_is_purged(
      the_server().location("users", "name"), [] { return the_server().connect("root", "shop"); },
      "SHOW MASTER STATUS");
}

}  // namespace
}  // namespace bloomery
