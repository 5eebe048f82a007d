// SPDX-License-Identifier: Apache-2.0
// Of two servers on one machine the one is asked that a location names, whatever the client library
// takes from elsewhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mysql.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/source/mariadb/mariadb_source.h"
#include "one_server.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;

class MariadbAddressTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    other_ = std::make_unique<Other>();
    for (testing::MariadbServer* const each : {&the_server(), &other_->server}) {
      each->run(
          "CREATE DATABASE IF NOT EXISTS shop; CREATE OR REPLACE TABLE shop.m (k VARCHAR(20));"
          "CREATE OR REPLACE USER reader@'%' IDENTIFIED BY ''; GRANT ALL ON *.* TO reader@'%'");
    }
    the_server().run("INSERT INTO shop.m VALUES ('named')");
    other_->server.run("INSERT INTO shop.m VALUES ('other')");
  }
  static void TearDownTestSuite() {
    the_server().run("DROP TABLE shop.m");
    other_.reset();
  }
  // The library's usual server is the other one.
  void SetUp() override {
    setenv("MYSQL_UNIX_PORT", other_->server.socket().c_str(), 1);
    setenv("MYSQL_TCP_PORT", port_of(other_->server).c_str(), 1);
  }
  void TearDown() override {
    unsetenv("MYSQL_UNIX_PORT");
    unsetenv("MYSQL_TCP_PORT");
  }

  static std::string port_of(const testing::MariadbServer& server) {
    return std::to_string(server.port());
  }
  static std::string named_port() { return port_of(the_server()); }
  // Returns the answer of the location's server, or why it is not asked.
  static std::string answer(const std::string& scheme, const std::string& host,
                            const std::string& more = {}) {
    try {
      MariadbSource source(
          parse_server_location(scheme + "://reader@" + host + "/shop?table=m&column=k" + more),
          {});
      return keys_of(source).at(0);
    } catch (const StoreError& error) {
      return error.what();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  }
  static std::string option_file(const std::string& lines) {
    return "&options=" + other_->folder.write("client.cnf", "[client]\n" + lines);
  }

  struct Other {
    TemporaryFolder folder{};
    testing::MariadbServer server{folder.path("")};
  };
  static inline std::unique_ptr<Other> other_{};
};

TEST_F(MariadbAddressTest, IsTheHostAndPortOrTheSocketOfTheLocation) {
  for (const std::string scheme : {"mariadb", "mysql"}) {
    EXPECT_EQ(answer(scheme, "localhost:" + named_port()), "named");
    EXPECT_EQ(answer(scheme, "127.0.0.1:" + named_port()), "named");
    EXPECT_EQ(answer(scheme, ":" + named_port()), "named");
    EXPECT_EQ(answer(scheme, "", "&socket=" + the_server().socket()), "named");
  }
}

// The library reads an option file behind what it was told, and takes that for better.
TEST_F(MariadbAddressTest, IsNotChangedByAnOptionFile) {
  const std::string other_socket = "socket=" + other_->server.socket() + "\n";
  for (const std::string& lines :
       {std::string("protocol=socket\n"), "protocol=socket\n" + other_socket, other_socket,
        "port=" + port_of(other_->server) + "\n",
        "protocol=SOCKET\nport=" + port_of(other_->server) + "\nhost=localhost\n"}) {
    for (const std::string host : {"localhost:", "127.0.0.1:", ":"}) {
      const std::string said = answer("mariadb", host + named_port(), option_file(lines));
      EXPECT_TRUE(said == "named" || said.find("option file") != std::string::npos)
          << lines << host << " says: " << said;
    }
  }
  for (const std::string& lines : {std::string("protocol=tcp\n"), other_socket,
                                   "port=" + port_of(other_->server) + "\nprotocol=tcp\n"}) {
    const std::string said =
        answer("mariadb", "", "&socket=" + the_server().socket() + option_file(lines));
    EXPECT_TRUE(said == "named" || said.find("option file") != std::string::npos)
        << lines << " says: " << said;
  }
  EXPECT_EQ(answer("mariadb", "127.0.0.1:" + named_port(), option_file("host=nowhere.invalid\n")),
            "named");
  EXPECT_EQ(answer("mariadb", "127.0.0.1:" + named_port(), option_file("init-command=USE mysql\n")),
            "named");
  EXPECT_EQ(answer("mariadb", "", option_file("socket=" + the_server().socket() + "\n")), "named")
      << "what the location does not say";
}

// An option file does not change how the server is verified either.
TEST_F(MariadbAddressTest, IsVerifiedThoughAnOptionFileSaysOtherwise) {
  const std::string ca = "&tls=verify&ca=" + (the_certificates() / "ca.pem");
  const std::string other_ca = "&tls=verify&ca=" + (the_certificates() / "stranger.pem");
  EXPECT_EQ(answer("mariadb", "127.0.0.1:" + named_port(), ca), "named");
  const std::string alone = answer("mariadb", "127.0.0.1:" + named_port(), other_ca);
  ASSERT_NE(alone, "named");
  for (const std::string& lines :
       {std::string("ssl-verify-server-cert=0\n"), std::string("disable-ssl-verify-server-cert\n"),
        std::string("skip-ssl\n"), std::string("ssl=0\n"),
        "ssl-ca=" + (the_certificates() / "ca.pem") + "\n"}) {
    const std::string said =
        answer("mariadb", "127.0.0.1:" + named_port(), other_ca + option_file(lines));
    EXPECT_NE(said, "named") << lines;
  }
}

}  // namespace
}  // namespace bloomery
