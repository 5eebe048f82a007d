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
place in one step. The old filter answers until then, and its follower goes on, on whatever machine: it
finds the new filter there. A question behind a fence denies no row before, meanwhile or after.
Rebuild a filter that holds many deleted rows, or that is to have another rate. The command ends when
the new filter has all rows of now.

SOURCE, --slot and -n must be those of the follower. Every other option that you leave out is as the old
filter has it; bloom: does not tell --hash, --seed and --secret.

A followed file belongs to its follower, which builds it again itself: kill -USR1 PID.

Examples:
  bloomery rebuild 'sqlite:shop.db?table=users&column=id' 'bitmap:redis://127.0.0.1#users'
  bloomery rebuild 'postgres://ann@db/shop?table=users&column=id' 'bloom:redis://127.0.0.1#users' -p 0.001
  bloomery follow 'sqlite:shop.db?table=users&column=id' f.bloom --once && bloomery rebuild 'sqlite:shop.db?table=users&column=id' f.bloom

Exit status: 0 the new filter is there, 2 it cannot be made. A command that is stopped before ends by
the signal, and leaves the old filter.)";

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
  command.everyday(std::array{"--capacity", "--rate", "--kind"});
  command.footer(kRebuildExamples);
}

}  // namespace bloomery::cli
