// SPDX-License-Identifier: Apache-2.0
// MySQL is asked by the host and port, or by the socket, that a location names, whatever the
// client library would take from elsewhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/source/mariadb/mariadb_source.h"
#include "tests/source/source_helpers.h"
#include "tests/source/temporary_folder.h"
#include "tests/support/unused_port.h"
#include "the_mysql.h"

namespace bloomery {
namespace {

// The library's usual server is one that is not there: who asks that has no answer.
class MysqlAddressTest : public MysqlTest {
 protected:
  void SetUp() override {
    MysqlTest::SetUp();
    if (IsSkipped()) return;
    run("CREATE TABLE m (k VARCHAR(20)); INSERT INTO m VALUES ('named');"
        "DROP USER IF EXISTS reader@'%'; CREATE USER reader@'%' IDENTIFIED BY '';"
        "GRANT ALL ON shop.* TO reader@'%'");
    setenv("MYSQL_UNIX_PORT", folder_.path("none.sock").c_str(), 1);
    setenv("MYSQL_TCP_PORT", nobodys_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("MYSQL_UNIX_PORT");
    unsetenv("MYSQL_TCP_PORT");
  }

  static std::string answer(const std::string& host, const std::string& more = {}) {
    try {
      MariadbSource source(
          parse_server_location("mysql://reader@" + host + "/shop?table=m&column=k" + more), {});
      return keys_of(source).at(0);
    } catch (const StoreError& error) {
      return error.what();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  }
  static std::string port() { return std::to_string(the_mysql().port()); }
  static std::string socket() { return "&socket=" + the_mysql().socket(); }
  std::string option_file(const std::string& lines) const {
    return "&options=" + folder_.write("client.cnf", "[client]\n" + lines);
  }

  const TemporaryFolder folder_;
  const std::string nobodys_ = std::to_string(testing::unused_port());
};

TEST_F(MysqlAddressTest, IsTheHostAndPortOrTheSocketOfTheLocation) {
  for (const std::string host : {"localhost:", "127.0.0.1:", ":"}) {
    EXPECT_EQ(answer(host + port()), "named") << host;
  }
  EXPECT_EQ(answer("", socket()), "named");
  EXPECT_NE(answer("localhost:" + nobodys_), "named");
  EXPECT_NE(answer("127.0.0.1:" + nobodys_), "named");
}

TEST_F(MysqlAddressTest, IsNotChangedByAnOptionFile) {
  const auto named_or_refused = [](const std::string& said) {
    return said == "named" || said.find("option file") != std::string::npos;
  };
  const std::string none = "socket=" + folder_.path("none.sock") + "\n";
  for (const std::string& lines :
       {std::string("protocol=socket\n"), "protocol=socket\n" + none, none,
        "port=" + nobodys_ + "\n", "port=" + nobodys_ + "\nprotocol=SOCKET\nhost=localhost\n"}) {
    for (const std::string host : {"localhost:", "127.0.0.1:", ":"}) {
      const std::string said = answer(host + port(), option_file(lines));
      EXPECT_TRUE(named_or_refused(said)) << lines << host << " says: " << said;
    }
  }
  for (const std::string& lines :
       {std::string("protocol=tcp\n"), none, "port=" + nobodys_ + "\nprotocol=tcp\n"}) {
    const std::string said = answer("", socket() + option_file(lines));
    EXPECT_TRUE(named_or_refused(said)) << lines << " says: " << said;
  }
}

}  // namespace
}  // namespace bloomery
