// SPDX-License-Identifier: Apache-2.0
// bloomery patch: a filter's file becomes its next version.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/source/input_file.h"
#include "bloomery/store/file_delta.h"
#include "bloomery/store/native_file.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/edit_file.h"
#include "cli/exit_status.h"
#include "cli/report.h"

namespace bloomery::cli {
namespace {

constexpr const char* kPatchExamples =
    R"(Brings FILE to its next version by a delta of bloomery delta. FILE must be the very file that the delta
leads from, to the byte. The new file is written beside it, is the very file that the delta leads to,
and takes the name in one step. Readers see the old file or the new one, whole.

If FILE is the new version already, nothing happens, and the status is 0: a delta may come twice. A file
of another version is refused, and stays: apply the deltas between in their order, or take the whole
file.

Examples:
  bloomery patch users.bloom tuesday.delta
  bloomery patch users.bloom - <tuesday.delta

Exit status: 2 the file stays: it is another version, or the delta is damaged.)";

struct PatchArguments {
  PlaceLocation file;
  std::string delta = "-";
  EditOptions options;
  bool json = false;
};

// Reads all of a delta. No delta is much longer than the file that it leads to.
std::vector<std::byte> read_delta(const std::string& name, std::uint64_t file_bytes) {
  constexpr std::size_t kReadBytes = 1 << 20;
  InputFile input = name == "-" ? InputFile::standard_input() : InputFile::open(name);
  const std::uint64_t most = file_bytes + file_bytes / 8 + kReadBytes;
  std::vector<std::byte> bytes;
  std::vector<char> part(kReadBytes);
  while (const std::size_t count = input.read(part.data(), part.size())) {
    if (count > most - bytes.size()) {
      throw FormatError(input.name() + ": not a delta of this filter: more than " +
                        std::to_string(most) + " bytes");
    }
    const auto read = std::as_bytes(std::span(part)).first(count);
    bytes.insert(bytes.end(), read.begin(), read.end());
  }
  return bytes;
}

int patch(const PatchArguments& arguments) {
  const PlaceLocation& location = arguments.file;
  require_replaceable(location.need_own_file("deltas are of files of our own"), arguments.options);
  const std::vector<std::byte> delta =
      read_delta(arguments.delta, inspect(location.file.path).file_bytes);
  std::optional<Patched> patched;
  retry_while_busy(location.text(), arguments.options.patience,
                   [&] { patched = apply_delta(location.file.path, delta); });
  Report report;
  report.add("file", location.text());
  report.add("changed", *patched == Patched::changed,
             *patched == Patched::changed ? "yes" : "no, it is that version already");
  const std::uint64_t inserted = inspect(location.file.path).contents.inserted;
  report.add("inserted", inserted, count_text(inserted));
  print_done(report, arguments.json);
  return kSome;
}

}  // namespace

void add_patch(Command app, int& status) {
  const auto arguments = std::make_shared<PatchArguments>();
  const Command command =
      app.add_subcommand("patch", "Bring a filter's file to its next version by a delta");
  add_filter(command, "FILE", "the filter's file, of our own", arguments->file).required();
  command.add_option("DELTA", arguments->delta, "what bloomery delta wrote; - is standard input")
      .shows_default();
  add_edit_options(command, arguments->options);
  add_json(command, arguments->json);
  command.footer(kPatchExamples);
  command.callback([arguments, &status] { status = patch(*arguments); });
}

}  // namespace bloomery::cli
