// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/push_filter.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "tests/module/server_client.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/test_certificates.h"
#include "tests/support/unused_port.h"

namespace bloomery {
namespace {

using testing::ModuleServer;
using testing::ModuleTest;

class Push : public ModuleTest {
 protected:
  static AnyFilter filter(std::uint64_t capacity) {
    AnyFilter filter = make_filter(FilterKind::blocked, {.capacity = capacity});
    for (int i = 0; i < 1000; ++i) filter.insert("key " + std::to_string(i));
    return filter;
  }
  static std::string at(const std::string& socket, const std::string& more = "#users") {
    return "unix://" + socket + more;
  }
  static std::uint64_t push(const AnyFilter& filter, const std::string& location,
                            const redis::PushOptions& options = {}) {
    redis::Client server(redis::parse_location(location));
    return push_filter(filter.contents(), server, options);
  }
  static std::string refusal(const std::string& location) {
    try {
      push(filter(1000), location);
    } catch (const StoreError& error) {
      return error.what();
    }
    return {};
  }
};

TEST_F(Push, PutsAFilterIntoAServer) {
  ModuleServer server(folder());
  server.ask("BF.ADD users old");
  AnyFilter pushed = filter(5'000'000);
  pushed.set_keys({KeyEncoding::i64});
  std::uint64_t last = 0;
  redis::PushOptions options;
  options.notes.epoch = 9;
  options.progress = [&](std::uint64_t sent, std::uint64_t all) {
    EXPECT_GT(sent, last);
    EXPECT_LE(sent, all);
    last = sent;
  };
  const std::uint64_t sent = push(pushed, at(server.socket()), options);
  EXPECT_EQ(sent, last);
  EXPECT_EQ(server.call({"BLOOM.CHECK", "users", "key 0", "key 999", "old"}).shown(),
            "*3 :1 :1 :0");
  EXPECT_NE(server.ask("BLOOM.INFO users").find("+Epoch :9"), std::string::npos);
  // The form of keys, which callers must send, goes with the filter, also over a restart of the
  // server.
  EXPECT_NE(server.ask("BLOOM.INFO users").find("+Keys $3 i64"), std::string::npos);
  server.ask("DEBUG RELOAD");
  EXPECT_NE(server.ask("BLOOM.INFO users").find("+Keys $3 i64"), std::string::npos);
  EXPECT_EQ(server.ask("DBSIZE"), ":1");
  push(filter(1000), at(server.socket(), "?db=3#users"));
  server.ask("SELECT 3");
  EXPECT_EQ(server.ask("DBSIZE"), ":1");

  ModuleServer other(folder("other"), {"prefix", "my"});
  redis::PushOptions under_prefix;
  under_prefix.prefix = "my";
  push(pushed, at(other.socket()), under_prefix);
  EXPECT_EQ(other.call({"MY.BLOOM.CHECK", "users", "key 0"}).shown(), "*1 :1");
}

TEST_F(Push, SaysWhyItCannot) {
  ModuleServer server(folder("with"), {"bf-max-capacity", "100"});
  EXPECT_NE(refusal(at(server.socket())).find("more keys than bf-max-capacity, 100"),
            std::string::npos);
  EXPECT_EQ(server.ask("DBSIZE"), ":0");
  server.ask("SET users text");
  EXPECT_NE(refusal(at(server.socket())).find("WRONGTYPE"), std::string::npos);
  server.ask("CONFIG SET requirepass secret");
  EXPECT_NE(refusal(at(server.socket())).find("NOAUTH"), std::string::npos);
  setenv("BLOOMERY_TEST_PUSH", "wrong", 1);
  const std::string location = at(server.socket(), "?password_env=BLOOMERY_TEST_PUSH#users");
  EXPECT_NE(refusal(location).find("WRONGPASS"), std::string::npos);
  setenv("BLOOMERY_TEST_PUSH", "secret", 1);
  EXPECT_NE(refusal(location).find("WRONGTYPE"), std::string::npos);
  EXPECT_NE(refusal(at("/nowhere.sock")).find("cannot connect"), std::string::npos);

  testing::RedisServer without(folder("without"));
  EXPECT_NE(refusal(at(without.socket())).find("bloomery.so is not loaded"), std::string::npos);
}

TEST_F(Push, GoesEveryWayThatALocationSays) {
  if (!testing::TestCertificates::is_possible()) GTEST_SKIP() << "no openssl here";
  const std::string files = folder();
  const testing::TestCertificates certificates(files);
  const std::string port = std::to_string(testing::unused_port());
  ModuleServer server(files, {},
                      {"--tls-port", port, "--tls-cert-file", certificates / "server.pem",
                       "--tls-key-file", certificates / "server.key", "--tls-ca-cert-file",
                       certificates / "ca.pem", "--tls-auth-clients", "no"});
  server.ask("ACL SETUSER loader on >hush ~users +bloom.load +client|setname");
  testing::write_file(files + "/password", "hush\n");
  const std::string location = "rediss://localhost:" + port + "?ca=" + certificates / "ca.pem" +
                               "&user=loader&client_name=me&password_file=" + files + "/password";
  push(filter(1000), location + "#users");
  EXPECT_EQ(server.call({"BLOOM.CHECK", "users", "key 0"}).shown(), "*1 :1");
  EXPECT_NE(refusal(location + "#others").find("NOPERM"), std::string::npos);
}

TEST_F(Push, EndsWithAMessageWhereTheServerDies) {
  ModuleServer server(folder());
  redis::PushOptions options;
  options.progress = [&](std::uint64_t sent, std::uint64_t) {
    if (sent > 2'000'000) server.end(SIGKILL);
  };
  EXPECT_THROW(push(filter(20'000'000), at(server.socket()), options), StoreError);
}

}  // namespace
}  // namespace bloomery
