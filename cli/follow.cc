// SPDX-License-Identifier: Apache-2.0
// bloomery follow: a filter that is kept in step with a table.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "bloomery/text/printable.h"
#include "cli/commands.h"
#include "cli/follow/run_follower.h"

namespace bloomery::cli {
namespace {

constexpr const char* kFollowExamples =
    R"(Makes the filter of all rows if there is none, and then carries every change of the table into it,
until you stop it. A question behind a fence (docs/following.md) gets "absent" only for rows that were
not there when it was asked. Whatever fails is tried again; a line now and then says how it goes.

The follower leaves in the database what tells it of changes, such as triggers or a slot. --remove
removes that, once no follower runs that would make it again. While no follower runs, what it left grows
up to a bound; beyond the bound the next follower reads the whole table again.

Examples:
  bloomery follow 'sqlite:shop.db?table=users&column=id' ids.bloom --once
  bloomery follow 'sqlite:shop.db?table=users&column=id' --remove
  bloomery follow 'sqlite:shop.db?table=users&column=id' 'bitmap:redis://127.0.0.1#users' -p 0.001
  bloomery follow 'sqlite:shop.db?table=users&column=id' 'bitmap:redis://127.0.0.1#users' --metrics 9090

The signal USR1 (kill -USR1 PID) makes a follower build its filter again while it follows, as --rebuild
does at the beginning.

Exit status: 0 it was stopped (INT, TERM, HUP), or --once has all rows; 2 it cannot begin, or cannot write
the last changes. If --once is stopped before it has all rows, it ends by the signal.)";

// 1/10000 is 10000.
std::uint64_t parse_audit(const std::string& text) {
  std::uint64_t one_in = 0;
  const std::string_view all(text);
  const std::string_view number = all.substr(std::min<std::size_t>(2, all.size()));
  const auto read = std::from_chars(number.data(), number.data() + number.size(), one_in);
  const bool is_whole = read.ec == std::errc() && read.ptr == number.data() + number.size();
  if (!all.starts_with("1/") || !is_whole || one_in == 0) {
    throw std::invalid_argument("--audit " + printable(text) +
                                ": no share of the rows; allowed: 1/N, as in 1/10000");
  }
  return one_in;
}

}  // namespace

void add_follow(Command app, int& status) {
  const auto arguments = std::make_shared<FollowArguments>();
  const Command command = app.add_subcommand("follow", "Keep a filter in step with a table");
  add_followed(command, *arguments);
  command.add_flag("--once", arguments->once, "end when the filter has all rows of now");
  command
      .add_option(
          "--rebuild-at", arguments->follower.rebuild_at,
          "build the filter again, larger, when it holds this share of its capacity, 0.01 to 1")
      .type_name("SHARE")
      .range(0.01, 1.0)
      .shows_default();
  command.add_flag(
      "--rebuild", arguments->rebuilds,
      "first build the filter again; the new one takes the old one's place in one step");
  command
      .add_option(
          "--audit",
          [arguments](const std::string& text) {
            arguments->follower.audit_one_in = parse_audit(text);
          },
          "ask the filter again and again for this share of the rows that are read; a filter that "
          "denies a row is built anew")
      .type_name("1/N");
  command
      .add_option(
          "--cache",
          [arguments](const std::string& text) {
            arguments->cache = std::make_unique<SharedStrings>(text);
            arguments->changes.tells_touched = true;
          },
          "a cache of guards: the follower erases there the entry of each row that comes, changes "
          "or goes")
      .type_name("redis://SERVER#NAME");
  command
      .add_option("--metrics", arguments->metrics,
                  "answer GET /metrics (Prometheus), /healthz and /fence at this address")
      .type_name("[HOST:]PORT");
  command
      .add_option("--healthy", arguments->healthy_seconds,
                  "/healthz answers 503 when the filter is more than so many seconds behind, 0.001 "
                  "to 86400")
      .type_name("SECONDS")
      .range(0.001, 86400.0)
      .shows_default();
  command
      .add_option("--every", arguments->every_seconds,
                  "how often a line says how it goes, 0.01 to 86400")
      .type_name("SECONDS")
      .range(0.01, 86400.0)
      .shows_default();
  command.add_flag("--remove", arguments->removes,
                   "remove what following has left in the database, and end");
  command.everyday(std::array{"--rate", "--once", "--slot", "--metrics", "--audit", "--remove"});
  command.footer(kFollowExamples);
  command.callback([arguments, &status] { status = run_follower(*arguments); });
}

}  // namespace bloomery::cli
