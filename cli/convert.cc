// SPDX-License-Identifier: Apache-2.0
// bloomery convert: the same bits in another format.
#include <memory>

#include "bloomery/open/place_location.h"
#include "bloomery/text/key_form.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/filter_report.h"
#include "cli/key_choice.h"
#include "cli/messages.h"
#include "cli/patience.h"
#include "cli/report.h"

namespace bloomery::cli {
namespace {

constexpr const char* kConvertExamples =
    R"(Puts a filter's bits into another format, exactly: the new file gives the answers of the old one. The
other format must mean the same bits by a key; a file of our own takes every format. For any other
format build a new filter of the keys, by bloomery load.

A file of our own says how its keys are written; a file of another system does not, and --as says it.
--insist with --as says it for a file of ours that says another form, or none (plain text).

Examples:
  bloomery convert guava:users.bin new.bloom
  bloomery convert copy.bloom guava:back.bin
  bloomery convert guava:ids.bin ids.bloom --as i32      from now on they are asked as i32
  bloomery convert 'bloom-filter-helper:bitmap.bin?bits=6400&probes=3' guava:java.bin)";

struct ConvertArguments {
  PlaceLocation from;
  PlaceLocation to;
  KeyChoice keys;
  Replacing replacing;
  Patience patience;
  bool json = false;
};

// A file of ours says from now on what its keys are, which nobody said.
void warn_of_unsaid_keys(const ConvertArguments& arguments, const AnyFilter& filter) {
  const PlaceLocation& from = arguments.from;
  const bool is_said = from.format == nullptr || from.has_trailer || arguments.keys.encoding;
  if (is_said || arguments.to.format != nullptr || filter.cardinality() == 0) return;
  complain(arguments.to.text() + ": its keys are " + form_text(filter.keys()) +
           " from now on, as " + from.text() +
           " cannot say what they are: if that is wrong, convert it anew with --as");
}

int convert(const ConvertArguments& arguments) {
  require_discards(arguments.replacing, arguments.to);
  require_files(arguments.patience, {&arguments.to, 1});
  require_absent(arguments.from);
  AnyFilter filter = load_for_use(arguments.from);
  require_own_settings(arguments.to, filter.contents());
  filter.set_keys(form_for(arguments.keys, arguments.from, filter));
  save(filter.contents(), arguments.to, {.replace = arguments.replacing.replace},
       arguments.patience, arguments.replacing.discard);
  Report report;
  report.add("from", arguments.from.text());
  report.add("file", arguments.to.text());
  add_keys(report, arguments.to, filter.keys());
  add_live_settings(report, arguments.to, filter.contents());
  add_parameters(report, filter.contents());
  add_state(report, filter);
  advise(arguments.to, filter);
  warn_of_unsaid_keys(arguments, filter);
  print_done(report, arguments.json);
  return kSome;
}

}  // namespace

void add_convert(Command app, int& status) {
  const auto arguments = std::make_shared<ConvertArguments>();
  const Command command =
      app.add_subcommand("convert", "Put a filter's bits into another system's format, or back");
  add_filter(command, "SRC", "a filter's file, ours or FORMAT:FILE", arguments->from).required();
  add_filter(command, "DST", "where to put it; what exists is refused", arguments->to).required();
  add_replacing(command, "DST", arguments->replacing);
  add_form_options_to_ask(command, arguments->keys);
  add_patience(command, arguments->patience);
  add_json(command, arguments->json);
  command.footer(kConvertExamples);
  command.callback([arguments, &status] { status = convert(*arguments); });
}

}  // namespace bloomery::cli
