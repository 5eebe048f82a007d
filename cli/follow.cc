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
    R"(Makes the filter if there is none, of all rows, and then carries every change of the table into it,
until it is stopped. Who asks the filter behind a fence (docs/following.md) is told "absent" only of
rows that were not there when he asked. Whatever fails is tried again; a line now and then says
how it goes.

In the database it leaves what tells it of changes. --remove takes that away, once no follower runs
that would make it again. Meanwhile it grows up to a bound, and then the next one reads the whole
table again.

Examples:
  bloomery follow 'sqlite:shop.db?table=users&column=id' ids.bloom --once
  bloomery follow 'sqlite:shop.db?table=users&column=id' --remove
  bloomery follow 'sqlite:shop.db?table=users&column=id' 'bitmap:redis://127.0.0.1#users' -p 0.001
  bloomery follow 'sqlite:shop.db?table=users&column=id' 'bitmap:redis://127.0.0.1#users' --metrics 9090

The signal USR1 (kill -USR1 PID) makes it build the filter again while it follows, as --rebuild does
at the beginning.

Exit status: 0 when it was stopped (INT, TERM, HUP) or has loaded --once, 2 where it cannot begin, or
cannot write the last changes. --once that is stopped before it has all rows ends by the signal.)";

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
  command.add_flag("--once", arguments->once, "end when the filter has what is there now");
  command
      .add_option("--rebuild-at", arguments->follower.rebuild_at,
                  "build it again, larger, at this share of its capacity")
      .range(0.01, 1.0)
      .shows_default();
  command.add_flag("--rebuild", arguments->rebuilds,
                   "build it again first, beside the old one, whose place it takes in one step");
  command.add_option(
      "--audit",
      [arguments](const std::string& text) {
        arguments->follower.audit_one_in = parse_audit(text);
      },
      "1/N: ask the filter back for that share of the rows that are read, again and again; one "
      "that "
      "denies a row is built anew");
  command.add_option(
      "--cache",
      [arguments](const std::string& text) {
        arguments->cache = std::make_unique<SharedStrings>(text);
        arguments->changes.tells_touched = true;
      },
      "redis://SERVER#NAME: what that cache of guards knows of a row that comes, changes or goes "
      "is "
      "erased there");
  command.add_option(
      "--metrics", arguments->metrics,
      "HOST:PORT or PORT: answer GET /metrics (Prometheus), /healthz and /fence there");
  command
      .add_option("--healthy", arguments->healthy_seconds,
                  "/healthz says 503 when the filter is so many seconds behind")
      .range(0.001, 86400.0)
      .shows_default();
  command
      .add_option("--every", arguments->every_seconds,
                  "seconds between two lines about how it goes")
      .range(0.01, 86400.0)
      .shows_default();
  command.add_flag("--remove", arguments->removes,
                   "take away what following has left in the database, and end");
  command.footer(kFollowExamples);
  command.callback([arguments, &status] { status = run_follower(*arguments); });
}

}  // namespace bloomery::cli
