// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/open_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "bloomery/errors.h"
#include "sqlite_fixture.h"

namespace bloomery {
namespace {

using testing::ElementsAre;

TEST_F(SqliteTest, IsOpenedByItsLocation) {
  make("CREATE TABLE users(id); INSERT INTO users VALUES ('ann'), ('bob')");
  const auto by_column = open_source("sqlite:" + path_ + "?table=users&column=id", {});
  EXPECT_THAT(keys_of(*by_column), ElementsAre("ann", "bob"));
  const auto by_query = open_source("sqlite:" + path_ + "?query=SELECT id FROM users LIMIT 1", {});
  EXPECT_THAT(keys_of(*by_query), ElementsAre("ann"));
}

TEST(OpenSource, OpensATextWithItsOptions) {
  const TemporaryFolder folder;
  const auto text =
      open_source(folder.write("keys.txt", "1,ann\n2,bob\n"), {.field = 2, .delimiter = ","});
  EXPECT_THAT(keys_of(*text), ElementsAre("ann", "bob"));
  EXPECT_EQ(text->expected_count(), 2U);
}

TEST(OpenSource, ThrowsByMeaning) {
  EXPECT_THROW(open_source("no/such/file", {}), StoreError);
  EXPECT_THROW(open_source("sqlite:no.db", {}), std::invalid_argument);
  EXPECT_THROW(open_source("sqlite:no.db?table=t&column=c", {}), StoreError);
}

}  // namespace
}  // namespace bloomery
