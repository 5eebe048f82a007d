// SPDX-License-Identifier: Apache-2.0
// bloomery seal: a file that processes shared becomes whole again.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bloomery/store/mapped_filter.h"
#include "bloomery/store/native_file.h"
#include "bloomery/store/shared_filter.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/filter_report.h"
#include "cli/patience.h"
#include "cli/report.h"

namespace bloomery::cli {
namespace {

constexpr const char* kSealExamples =
    R"(Processes that share a filter (open_shared) leave its file live if the last of them was killed: the
file has all that they inserted, but no checksums, and only processes that share it open it. seal writes
the checksums. A whole file stays as it is, and the command waits for a file that a process has open.

If the machine was started anew since, keys that were inserted after the last flush may be missing, and
the file is refused: build it anew, or take what is there with --recover and insert again what came
last.

Examples:
  bloomery seal users.bloom
  bloomery seal users.bloom --recover

Exit status: 2 a file cannot be made whole.)";

struct SealArguments {
  std::vector<PlaceLocation> files;
  Patience patience;
  bool recovers = false;
  bool json = false;
};

int seal_all(const SealArguments& arguments) {
  for (const PlaceLocation& location : arguments.files) {
    const std::string file =
        location.need_own_file("processes share files of our own, and only those are sealed")
            .path.string();
    const bool was_live = inspect(file).is_live;
    retry_while_busy(file, arguments.patience,
                     [&] { arguments.recovers ? recover(file) : seal(file); });
    Report report;
    report.add("file", file);
    report.add("was_live", was_live);
    const std::uint64_t inserted = inspect(file).contents.inserted;
    report.add("inserted", inserted, count_text(inserted));
    print_done(report, arguments.json);
  }
  return kSome;
}

}  // namespace

void add_seal(Command app, int& status) {
  const auto arguments = std::make_shared<SealArguments>();
  const Command command =
      app.add_subcommand("seal", "Write the checksums of files that processes shared");
  add_filters(command, "FILE", "files of our own", arguments->files).required();
  command.add_flag(
      "--recover", arguments->recovers,
      "also seal a file whose bits may be older than what was inserted, or whose writer died");
  add_patience(command, arguments->patience);
  add_json(command, arguments->json);
  command.footer(kSealExamples);
  command.callback([arguments, &status] { status = seal_all(*arguments); });
}

}  // namespace bloomery::cli
