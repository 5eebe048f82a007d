// SPDX-License-Identifier: Apache-2.0
// No command says a secret of a location that it is given, wherever in that it stands.
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "tests/cli/shell.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"
#include "tests/support/unused_port.h"

namespace bloomery {
namespace {

using testing::Outcome;
using testing::Shell;

// Every command with $L in each place that takes a location. The secret is $M.
constexpr const char* kCommands = R"(
say() { echo ==; timeout 60 bloomery "$@" </dev/null || status=$?; } 2>&1
say create "$L" -n 100
say insert "$L"
say insert own.bloom --input "$L"
say check "$L" --json
say check own.bloom --input "$L"
say info "$L" --json
say explain "$L" key
say load "$L" out.bloom --json
say load keys "$L" -n 10
say push "$L" bloom:redis://127.0.0.1:1#k
say push own.bloom "$L"
say convert "$L" other
say convert own.bloom "$L"
say merge own.bloom "$L" -o both
say clear "$L"
say destroy "$L"
say seal "$L"
say delta own.bloom "$L"
say delta "$L" own.bloom
say patch "$L" keys
say patch own.bloom "$L"
say erase "$L"
say dedup -n 10 "$L"
say dedup --state "$L" keys
say measure "$L"
say calc "$L"
say rdb list "$L"
say rebuild "$L"
say follow "$L" own.bloom --once
say follow 'postgres://127.0.0.1:1/db?table=t&column=c' "$L" --once --json
)";

TEST(SecretsOfLocations, AreInNoMessage) {
  const Shell shell;
  shell.write("commands", kCommands);
  const Outcome outcome = shell.run(R"(
seq 9 >keys; bloomery create own.bloom -n 100 >made; bloomery create guava:g -n 9 >made
set -f; M=MaRkEdSeCrEt
for L in "bf:redis://u:$M@127.0.0.1:1#k" "redis+sentinel://u:$M@127.0.0.1:1/p" \
    "bitmap:redis://127.0.0.1:1?auth-token=$M#k" "gozero:redis://127.0.0.1:1?pass_word=$M#k" \
    "redisson:redis://127.0.0.1:1#k?password=$M" "bitmap:valkey://u:$M@127.0.0.1:1#k" \
    "guava:redis:/u:$M@127.0.0.1:1#k" "https://h/f?token=$M" "guava:g?token=$M" \
    "postgres://u:$M@127.0.0.1:1/db?table=t&column=c" "postgres://u:$M@127.0.0.1:1/db" \
    "mariadb://u@127.0.0.1:1/db?table=t&column=c&token=$M" "sqlite:x.db?table=t&key=$M"; do
  . ./commands
done >all 2>&1
grep -c '^==' all
grep -F $M all | head -5 >&2
exit 0)");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, std::to_string(13 * 30) + "\n");
}

// A secret that is read from elsewhere is not printed either, whether or not it is right.
TEST(SecretsOfLocations, AreInNoMessageWhereTheyAreReadFromElsewhere) {
  const Shell shell;
  const Outcome outcome = shell.run(R"(
M=MaRkEdSeCrEt; echo $M >file; export WORD=$M PGPASSWORD=$M MYSQL_PWD=$M
for L in "bitmap:redis://u@127.0.0.1:1?password_file=file#k" \
    "bf:redis://u@127.0.0.1:1?password_env=WORD#k" \
    "bf:redis+sentinel://127.0.0.1:1/p?sentinel_password_env=WORD#k"; do
  bloomery info "$L" --json; bloomery check "$L" </dev/null; bloomery create "$L" -n 10
done >all 2>&1
for L in postgres mariadb; do
  bloomery load "$L://u@127.0.0.1:1/db?table=t&column=c" out.bloom; done >>all 2>&1
grep -F $M all >&2
wc -l <all)");
  EXPECT_EQ(outcome.err, "");
  EXPECT_GE(std::stoi("0" + outcome.out), 11);
}

// A user who lists the running processes does not see the secrets either.
TEST(SecretsOfLocations, AreHiddenInTheListOfProcesses) {
  const Shell shell;
  const Outcome outcome = shell.run(R"(
bloomery create own.bloom -n 100 >made; mkfifo 'wait?token=MaRkEdSeCrEt'
bloomery check own.bloom --input 'wait?token=MaRkEdSeCrEt' >made & P=$!
exec 3>'wait?token=MaRkEdSeCrEt'
tr '\0' ' ' </proc/$P/cmdline
exec 3>&-
wait $P
exit 0)");
  EXPECT_EQ(outcome.out, "bloomery check own.bloom --input wait?token=************ ")
      << outcome.err;
}

// A follower that runs says none in its log, over HTTP, and in the list of processes: also while
// its server is away, and when it ends.
TEST(SecretsOfLocations, AreNowhereOfAFollowerThatRuns) {
  if (!testing::RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
  testing::ScratchFolder folder;
  const std::string port = std::to_string(testing::unused_port());
  auto server = std::make_unique<testing::RedisServer>(folder.path().string(),
                                                       std::vector<std::string>{"--port", port});
  server->ask("ACL SETUSER u on >MaRkEdSeCrEt ~* &* +@all");
  const Shell shell;
  shell.write("location", "bitmap:redis://u:MaRkEdSeCrEt@127.0.0.1:" + port + "#users");
  auto outcome = std::async(std::launch::async, [&] {
    return shell.run(R"sh(
sqlite3 shop.db 'PRAGMA journal_mode = wal; CREATE TABLE users(id INTEGER PRIMARY KEY);
  INSERT INTO users SELECT value FROM generate_series(1, 100)' >made
: >log
env --default-signal=INT bloomery follow 'sqlite:shop.db?table=users&column=id' "$(cat location)" \
  --metrics 0 --every 0.05 2>log & P=$!
until_log() { for i in $(seq 400); do grep -q "$1" log && return; sleep 0.05; done; echo "no $1"; }
until_log 'following: 100 keys'
U=$(sed -n 's,.*\(http.*\)/metrics,\1,p' log)
look() {
  for path in /metrics /healthz / '/?password' /debug/vars; do
    python3 -c 'import sys, urllib.request as r, urllib.error as e
try: print(r.urlopen(sys.argv[1]).read().decode())
except e.HTTPError as error: print(error, error.headers, error.read().decode())' "$U$path"
  done
  tr '\0' ' ' </proc/$P/cmdline; cat /proc/$P/task/*/comm
}
look >seen
touch followed; until_log 'failing:'
look >>seen
kill -INT $P; wait $P
cat log >>seen
grep -c '^bloomery_follow_up ' seen; grep -F MaRkEdSeCrEt seen >&2; grep -c '\*\*\*\*' seen
exit 0)sh");
  });
  while (!shell.has("followed") &&
         outcome.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready) {
  }
  server.reset();
  const Outcome said = outcome.get();
  EXPECT_EQ(said.err, "") << shell.read("log");
  EXPECT_EQ(said.out, "2\n2\n") << shell.read("seen");
}

}  // namespace
}  // namespace bloomery
