// SPDX-License-Identifier: Apache-2.0
// bloomery merge: one filter that holds the keys of several.
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/store/native_file.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/filter_report.h"
#include "cli/key_choice.h"
#include "cli/patience.h"
#include "cli/report.h"

namespace bloomery::cli {
namespace {

constexpr const char* kMergeExamples =
    R"(The filters must have been made alike: one kind, size, rate and seed, and keys written alike. A secret
filter merges only with copies of its file, which have its secret key.

Examples:
  bloomery merge week.bloom monday.bloom tuesday.bloom
  bloomery merge bitmap:redis://127.0.0.1#week monday.bloom tuesday.bloom)";

struct MergeArguments {
  PlaceLocation out;
  std::vector<PlaceLocation> files;
  KeyChoice keys;
  Patience patience;
  bool json = false;
};

AnyFilter load_part(const PlaceLocation& file, const MergeArguments& arguments) {
  require_absent(file);
  AnyFilter filter = load_when_closed(file, arguments.patience);
  filter.set_keys(form_for(arguments.keys, file, filter));
  return filter;
}

int merge(const MergeArguments& arguments) {
  if (arguments.files.size() < 2) {
    throw std::invalid_argument("merge needs two filters or more after the file to make");
  }
  std::vector<PlaceLocation> all = arguments.files;
  all.push_back(arguments.out);
  require_files(arguments.patience, all);
  AnyFilter merged = load_part(arguments.files.front(), arguments);
  for (std::size_t i = 1; i < arguments.files.size(); ++i) {
    try {
      merged.merge(load_part(arguments.files[i], arguments));
    } catch (const IncompatibleError& error) {
      throw IncompatibleError(arguments.files.front().text() + " and " + arguments.files[i].text() +
                              ": " + error.what());
    }
  }
  require_own_settings(arguments.out, merged.contents());
  save(merged.contents(), arguments.out, {.replace = false}, arguments.patience);
  Report report;
  report.add("file", arguments.out.text());
  add_keys(report, arguments.out, merged.keys());
  add_live_settings(report, arguments.out, merged.contents());
  report.add("merged_count", arguments.files.size());
  add_parameters(report, merged.contents());
  const double rate = add_state(report, merged);
  warn_if_overfull(arguments.out.text(), merged, rate);
  print_done(report, arguments.json);
  return kSome;
}

}  // namespace

void add_merge(Command app, int& status) {
  const auto arguments = std::make_shared<MergeArguments>();
  const Command command =
      app.add_subcommand("merge", "Make one filter that holds the keys of several");
  add_filter(command, "OUT", kWhereANewFilterIs, arguments->out).required();
  add_filters(command, "FILE", "two filters' files or more", arguments->files).required();
  add_form_options_to_ask(command, arguments->keys);
  add_patience(command, arguments->patience);
  add_json(command, arguments->json);
  command.footer(kMergeExamples);
  command.callback([arguments, &status] { status = merge(*arguments); });
}

}  // namespace bloomery::cli
