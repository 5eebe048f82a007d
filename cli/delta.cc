// SPDX-License-Identifier: Apache-2.0
// bloomery delta: what changed from one version of a filter's file to the next.
#include <unistd.h>

#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "bloomery/store/file_delta.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/output.h"
#include "cli/patience.h"

namespace bloomery::cli {
namespace {

constexpr const char* kDeltaExamples =
    R"(Writes a delta to standard output: it makes the file OLD into the file NEW, by bloomery patch where OLD
is. Deltas are for filters that are shipped as files: a web server with static files gives the few
bytes that changed in place of the whole filter. A new key takes about 9 bytes at 1 %, and 17 in a
classic filter.

Both files must be versions of one filter. The command refuses, by name: another layout, seed or secret;
new layers (the filter grew); another identity (it was cleared); and kinds that are made anew each time
(static, fuse). For these, send the whole file. It also refuses a NEW that lacks bits of OLD or has a lower
watermark: that is the earlier file. (Counting and windowed filters lose bits.)

The delta of a secret filter has no key in it, but says which bits came: give it only to those who
have the filter.

Examples:
  bloomery delta monday.bloom tuesday.bloom >tuesday.delta
  bloomery patch users.bloom tuesday.delta           where users.bloom is a copy of monday.bloom

Exit status: 2 there is no delta; bloomery patch refuses what was written until then.)";

struct DeltaArguments {
  PlaceLocation from;
  PlaceLocation to;
};

int delta(const DeltaArguments& arguments) {
  constexpr const char* kOwnFiles = "deltas are of files of our own";
  const FileLocation& from = arguments.from.need_own_file(kOwnFiles);
  const FileLocation& to = arguments.to.need_own_file(kOwnFiles);
  if (isatty(STDOUT_FILENO) != 0) {
    throw std::invalid_argument("a delta is no text for a terminal; write it to a file: >FILE");
  }
  Output output;
  retry_while_changed(arguments.from, kNoPatience, [&] {
    retry_while_changed(arguments.to, kNoPatience, [&] {
      write_delta(from.path, to.path, [&](std::span<const std::byte> bytes) {
        output.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      });
    });
  });
  output.flush();
  return kSome;
}

}  // namespace

void add_delta(Command app, int& status) {
  const auto arguments = std::make_shared<DeltaArguments>();
  const Command command = app.add_subcommand(
      "delta", "Write a delta, the changes from one version of a filter's file to the next");
  add_filter(command, "OLD", "the earlier file, of our own", arguments->from).required();
  add_filter(command, "NEW", "the later file, of our own", arguments->to).required();
  command.footer(kDeltaExamples);
  command.callback([arguments, &status] { status = delta(*arguments); });
}

}  // namespace bloomery::cli
