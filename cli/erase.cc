// SPDX-License-Identifier: Apache-2.0
// bloomery erase: keys out of a counting filter's file, all or none.
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/format/kinds.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/edit_file.h"
#include "cli/filter_report.h"
#include "cli/given_keys.h"
#include "cli/key_choice.h"
#include "cli/read_keys.h"
#include "cli/report.h"

namespace bloomery::cli {
namespace {

constexpr const char* kEraseExamples =
    R"(Takes out one insert of each key. Keys that are surely absent change nothing and are counted. Erase only
keys that were inserted: erasing a false positive takes bits of other keys. The file changes in one
step at the end, as by insert.

Examples:
  bloomery create open.bloom -n 1M -p 0.01 --kind counting
  bloomery erase sessions.bloom ended.txt
  bloomery erase sessions.bloom -e alice

Exit status: 0 some keys were erased, 1 none was.)";

struct EraseArguments {
  PlaceLocation file;
  KeyInputs inputs;
  SourceOptions source;
  KeyChoice keys;
  EditOptions edit;
  bool json = false;
};

int erase(const EraseArguments& arguments) {
  EditedFile file(arguments.file.need_file("no key can be taken out of a filter in a server; only "
                                           "files of counting filters can erase"),
                  arguments.edit);
  AnyFilter& filter = file.filter();
  if (!filter.can_erase()) {
    throw std::invalid_argument(arguments.file.text() + ": is a " +
                                std::string(kind_of(filter.parameters().kind).name) +
                                " filter; only counting and classic-counting ones can erase");
  }
  warn_of_gaps(arguments.file, filter);
  KeyForm form = form_for(arguments.keys, arguments.file, filter);
  const bool is_empty = filter.inserted() == 0 && filter.cardinality() == 0;
  if (!form.is_known() && is_empty) form = form_of_new(arguments.keys, arguments.file);
  require_known(form, arguments.file);
  const SourceOptions source = with_form(arguments.source, form);
  std::uint64_t erased_count = 0;
  std::uint64_t saturated_count = 0;
  const SourceTotals totals = read_keys(arguments.inputs, source, "erase", [&](const Batch& batch) {
    for (const Key key : batch.keys) {
      const Erase erase = filter.try_erase(key);
      erased_count += erase == Erase::erased ? 1 : 0;
      saturated_count += erase == Erase::saturated ? 1 : 0;
    }
    return true;
  });
  if (erased_count > 0) file.commit();

  const std::uint64_t absent_count = totals.key_count - erased_count - saturated_count;
  Report report;
  report.add("file", arguments.file.text());
  report.add("key_count", totals.key_count, count_text(totals.key_count));
  report.add("erased_count", erased_count, count_text(erased_count));
  report.add("absent_count", absent_count, count_text(absent_count));
  if (saturated_count > 0) {
    report.add("saturated_count", saturated_count,
               count_text(saturated_count) +
                   ", inserted 15 times or more, which is all that is counted: they stay for ever");
  }
  if (totals.null_count > 0) report.add("null_count", totals.null_count);
  add_state(report, filter);
  print_done(report, arguments.json);
  if (absent_count > 0) complain_of_usual_forms(arguments.keys, {&arguments.file, 1});
  return erased_count > 0 ? kSome : kNone;
}

}  // namespace

void add_erase(Command app, int& status) {
  const auto arguments = std::make_shared<EraseArguments>();
  const Command command = app.add_subcommand("erase", "Take keys out of a counting filter's file");
  add_filter(command, "FILE", "a counting filter's file", arguments->file).required();
  command.add_option("INPUT", arguments->inputs.locations,
                     "where keys come from, one a line; standard input by default");
  add_given_keys(command, arguments->inputs.given);
  add_record_options(command, arguments->source);
  add_form_options_to_ask(command, arguments->keys);
  add_edit_options(command, arguments->edit);
  add_json(command, arguments->json);
  command.footer(kEraseExamples);
  command.callback([arguments, &status] { status = erase(*arguments); });
}

}  // namespace bloomery::cli
