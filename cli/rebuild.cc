// SPDX-License-Identifier: Apache-2.0
// bloomery rebuild: a filter that is followed, built again beside itself.
#include <memory>
#include <string>

#include "bloomery/source/source_location.h"
#include "cli/commands.h"
#include "cli/follow/run_follower.h"

namespace bloomery::cli {
namespace {

constexpr const char* kRebuildExamples =
    R"(Reads the whole table, with what changes meanwhile, into a new filter, which takes the old one's
place in one step. Until then the old one goes on, and so does whoever follows it, on whatever
machine: he finds the new one there. Who asks behind a fence is told "absent" of no row before,
meanwhile or after. It is for a filter that holds many rows that are gone, or that is to have
another rate, and ends when the new one has what is there now.

SOURCE, --slot and -n are those that the follower was given. What else is not given is as the old
filter has it; bloom: does not tell --hash, --seed and --secret.

A file is its follower's alone. That one builds it again itself where it is told: kill -USR1 PID.

Examples:
  bloomery rebuild 'sqlite:shop.db?table=users&column=id' 'bitmap:redis://127.0.0.1#users'
  bloomery rebuild 'postgres://ann@db/shop?table=users&column=id' 'bloom:redis://127.0.0.1#users' -p 0.001
  bloomery follow 'sqlite:shop.db?table=users&column=id' f.bloom --once && bloomery rebuild 'sqlite:shop.db?table=users&column=id' f.bloom

Exit status: 0 when the new filter is there, 2 where it cannot be made. One that is stopped before
ends by the signal, and leaves the old filter.)";

}  // namespace

void add_rebuild(Command app, int& status) {
  const auto arguments = std::make_shared<FollowArguments>();
  arguments->once = true;
  arguments->rebuilds = true;
  arguments->needs_filter = true;
  const Command command = app.add_subcommand("rebuild", "Build a followed filter again, in place");
  add_followed(command, *arguments).required();
  command.callback([arguments, &status] {
    // The follower holds the slot of that name. One that ends with this does as well.
    if (parse_source_location(arguments->from).kind == SourceLocation::Kind::postgres) {
      arguments->changes.slot.clear();
    }
    status = run_follower(*arguments);
  });
  command.footer(kRebuildExamples);
}

}  // namespace bloomery::cli
