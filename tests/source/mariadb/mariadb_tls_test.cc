// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mysql.h>

#include <string>

#include "bloomery/errors.h"
#include "bloomery/source/mariadb/mariadb_source.h"
#include "bloomery/source/open_changes.h"
#include "one_server.h"

namespace bloomery {
namespace {

class MariadbTlsTest : public MariadbTest {
 protected:
  void SetUp() override {
    run("CREATE TABLE users (id INT PRIMARY KEY); INSERT INTO users VALUES (1), (2);"
        "CREATE OR REPLACE USER guarded@'%' REQUIRE SSL; CREATE OR REPLACE USER known@'%' REQUIRE "
        "X509;"
        "GRANT SELECT ON shop.* TO guarded@'%', known@'%'");
  }
  static std::string at(const std::string& host, const std::string& settings,
                        const std::string& user = "guarded") {
    return "mariadb://" + user + "@" + host + ":" + std::to_string(the_server().port()) +
           "/shop?table=users&column=id" + settings;
  }
  static std::string file(const std::string& name) { return the_certificates() / name; }
  static std::uint64_t count(const std::string& location) {
    return MariadbSource(parse_server_location(location), {}).expected_count().value();
  }
};

TEST_F(MariadbTlsTest, TheServersCertificateIsVerified) {
  EXPECT_EQ(count(at("127.0.0.1", "&tls=verify&ca=" + file("ca.pem"))), 2U);
  EXPECT_EQ(count(at("127.0.0.1", "&ca=" + file("ca.pem"))), 2U) << "to verify goes without saying";
  EXPECT_THROW(count(at("127.0.0.1", "&ca=" + file("stranger.pem"))), StoreError);
  // Nobody whom the system knows has signed the certificate. From version 3.4 on MariaDB's library
  // believes a server of this very machine all the same, unless there is a `ca`.
  if (MARIADB_PACKAGE_VERSION_ID < 30'400) {
    EXPECT_THROW(count(at("127.0.0.1", "&tls=verify")), StoreError);
  }
  // The server's name 127.1 is not in its certificate.
  EXPECT_THROW(count(at("127.1", "&ca=" + file("ca.pem"))), StoreError);
  EXPECT_THROW(open_fence(at("127.1", "&ca=" + file("ca.pem")))->ask(), StoreError);
  EXPECT_EQ(count(at("127.1", "&tls=trust")), 2U);
}

TEST_F(MariadbTlsTest, AServerThatWantsACertificateGetsIt) {
  const std::string mine =
      "&ca=" + file("ca.pem") + "&cert=" + file("client.pem") + "&key=" + file("client.key");
  EXPECT_EQ(count(at("127.0.0.1", mine, "known")), 2U);
  EXPECT_THROW(count(at("127.0.0.1", "&ca=" + file("ca.pem"), "known")), StoreError);
  EXPECT_THROW(count(at("127.0.0.1", "")), StoreError) << "without TLS";
}

}  // namespace
}  // namespace bloomery
