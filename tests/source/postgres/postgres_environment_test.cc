// SPDX-License-Identifier: Apache-2.0
// What libpq takes from the environment never changes what a location says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/source/open_source.h"
#include "tests/source/postgres/postgres_fixture.h"
#include "tests/source/source_helpers.h"

namespace bloomery {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PostgresEnvironment : public ::testing::Test {
 protected:
  void SetUp() override {
    testing::PostgresSession session(server());
    session.run("DROP TABLE IF EXISTS env; CREATE TABLE env (t timestamptz, i interval)");
    session.run("INSERT INTO env VALUES ('2026-02-03 04:05:06+00', '1 day 2 hours')");
  }
  void TearDown() override {
    for (const auto& [name, value] : set_) unsetenv(name.c_str());
  }
  void set(const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), 1);
    set_[name] = value;
  }
  static std::vector<std::string> read(const std::string& column) {
    return keys_of(*open_source(location_of("env", column), {}));
  }

  TemporaryFolder folder_{};

 private:
  std::map<std::string, std::string> set_{};
};

TEST_F(PostgresEnvironment, LeavesKeysAsTheyAre) {
  const auto times = read("t");
  const auto intervals = read("i");
  EXPECT_THAT(times, ElementsAre("2026-02-03 04:05:06+00"));
  set("PGDATESTYLE", "German");
  set("PGTZ", "Asia/Tokyo");
  set("PGOPTIONS", "-c IntervalStyle=iso_8601 -c TimeZone=Asia/Tokyo");
  set("PGCLIENTENCODING", "LATIN1");
  EXPECT_EQ(read("t"), times);
  EXPECT_EQ(read("i"), intervals);
}

TEST_F(PostgresEnvironment, LeavesTheHostThatWasNamed) {
  set("PGHOST", "nowhere.invalid");
  set("PGUSER", "nobody");
  set("PGDATABASE", "nowhere");
  EXPECT_EQ(read("t").size(), 1U) << "it is named";
  const auto refusal = [] { return message_of<std::invalid_argument>([] { read("t"); }); };
  set("PGHOSTADDR", "127.0.0.9");
  EXPECT_THAT(refusal(), HasSubstr("PGHOSTADDR"));
  unsetenv("PGHOSTADDR");
  set("PGSERVICEFILE", folder_.write("services", "[other]\nhostaddr=127.0.0.9\n"));
  set("PGSERVICE", "other");
  EXPECT_THAT(refusal(), HasSubstr("127.0.0.9"));
  EXPECT_THROW(open_source("postgres://postgres@localhost/postgres?host=" + server().folder() +
                               "&table=env&column=t",
                           {}),
               std::invalid_argument)
      << "named twice";
}

}  // namespace
}  // namespace bloomery
