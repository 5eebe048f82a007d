// SPDX-License-Identifier: Apache-2.0
// bloomery insert: keys into a filter's file, all or none.
#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/format/kinds.h"
#include "bloomery/open/open_place.h"
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

constexpr const char* kInsertExamples =
    R"(The file changes in one step at the end: whatever stops the command before leaves the file as it was.
That needs room for a second copy beside it. One process at a time writes a file: others wait for it.

With --in-place the file itself changes, and nobody else opens it until the command has ended. If a line
spells no key, or SIGINT, SIGTERM or SIGHUP ends the command, the keys before stay in. A crash leaves a
file that says so, and every command refuses it: give the same keys again, with --recover, and all are
in.

A filter in a server takes keys a batch at a time, and so does a file that processes share and have open
(open_shared); the keys before a failure stay in.

Examples:
  bloomery insert users.bloom keys.txt
  bloomery insert users.bloom -e alice -e bob
  bloomery insert redisson:redis://127.0.0.1#users keys.txt --as text
  seq 1000 | bloomery insert codes.bloom --as u64     an empty file remembers it
  bloomery insert users.bloom --field 2 --csv table.csv
  seq 1000 | bloomery insert guava:users.bin --as i32
  bloomery insert users.bloom 'sqlite:shop.db?table=users&column=id'
  bloomery insert users.bloom keys.txt --in-place --recover

Exit status: 0 some keys were new, 1 none was.)";

struct InsertArguments {
  PlaceLocation file;
  KeyInputs inputs;
  SourceOptions source;
  KeyChoice keys;
  EditOptions edit;
  bool json = false;
};

// Keeps the file's form of keys with --in-place, which cannot change it. An unknown form stays if
// keys go in as they will be asked for then; any other change throws std::invalid_argument.
void keep_form(const InsertArguments& arguments, const KeyForm& before, AnyFilter& filter) {
  const KeyForm now = filter.keys();
  if (!arguments.edit.in_place || before == now) return;
  if (!before.is_known() && is_asked_of_unknown(now)) return filter.set_keys(before);
  throw std::invalid_argument(arguments.file.text() + ": does not say that its keys are " +
                              form_text(now) + ", which --in-place cannot add: create it --as " +
                              form_text(now) + ", or insert the first keys without --in-place");
}

Report report_of(const InsertArguments& arguments, const SourceOptions& source,
                 const SourceTotals& totals, std::uint64_t new_count, std::uint64_t maybe_new_count,
                 const KeyForm& own) {
  Report report;
  report.add("file", arguments.file.text());
  const KeyForm said{source.encoding, source.normalise};
  // A filter of unknown form stays so, whatever form these keys have.
  if (own.is_known() || !arguments.file.has_own_kinds()) {
    add_keys(report, arguments.file, said);
  } else {
    report.add("keys", form_text(own),
               form_text(own) + ", as before; these are " + form_text(said));
  }
  report.add("key_count", totals.key_count, count_text(totals.key_count));
  report.add("new_count", new_count, count_text(new_count));
  if (maybe_new_count > 0) {
    report.add("maybe_new_count", maybe_new_count,
               count_text(maybe_new_count) + ", sent again after a cut: new, or there before");
  }
  if (totals.null_count > 0) report.add("null_count", totals.null_count);
  return report;
}

// A filter in a server, or one that is shared, has each key at once: a command that fails leaves
// those in that came before.
int insert_live(const InsertArguments& arguments, PlaceOptions::Access access) {
  const EditOptions& edit = arguments.edit;
  if (edit.in_place || edit.parts_links) {
    throw std::invalid_argument(arguments.file.text() +
                                ": --in-place, --recover and --part-links are for files that one "
                                "process writes alone");
  }
  const auto place = open_place(arguments.file, {.access = access, .keys_as_said = true});
  const bool says = says_keys(arguments.file);
  const PlaceHead head = says ? place->head() : PlaceHead{};
  const KeyForm form = says ? form_to_insert(arguments.keys, arguments.file, head)
                            : form_of_new(arguments.keys, arguments.file);
  const SourceOptions source = with_form(arguments.source, form);
  std::vector<Inserted> outcomes;
  std::uint64_t new_count = 0;
  std::uint64_t unknown_count = 0;
  const SourceTotals totals =
      read_keys(arguments.inputs, source, "insert", [&](const Batch& batch) {
        outcomes.assign(batch.keys.size(), Inserted::unknown);
        place->insert_many(batch.keys, outcomes);
        new_count += static_cast<std::uint64_t>(std::ranges::count(outcomes, Inserted::added));
        unknown_count +=
            static_cast<std::uint64_t>(std::ranges::count(outcomes, Inserted::unknown));
        return true;
      });
  place->flush({});
  const Report report = report_of(arguments, source, totals, new_count, unknown_count,
                                  says ? head.parameters.keys : form);
  print_done(report, arguments.json);
  return new_count + unknown_count > 0 ? kSome : kNone;
}

// Returns whether others insert into the file as well, or did and were killed: this joins them.
bool is_shared(const PlaceLocation& location) {
  return !location.is_live() && location.file.format == nullptr && is_taken(location) &&
         inspect(location.file.path).is_live_here;
}

// A key stands easily where a file of keys should.
void require_inputs(const std::vector<std::string>& locations) {
  for (const std::string& location : locations) {
    if (!is_missing_text(location)) continue;
    throw StoreError(location +
                     ": cannot be opened: No such file or directory; if it is a key, say -e " +
                     location);
  }
}

int insert(const InsertArguments& arguments) {
  require_inputs(arguments.inputs.locations);
  if (arguments.file.is_live()) return insert_live(arguments, PlaceOptions::read_write);
  if (is_shared(arguments.file)) return insert_live(arguments, PlaceOptions::shared);
  std::optional<EditedFile> edited;
  try {
    edited.emplace(arguments.file.file, arguments.edit);
  } catch (const FormatError&) {
    // A file that others began to share while this waited is joined.
    if (!is_shared(arguments.file)) throw;
    return insert_live(arguments, PlaceOptions::shared);
  }
  EditedFile& file = *edited;
  StateKeeper::Lock held = file.hold();
  AnyFilter& filter = file.filter();
  if (!filter.can_insert()) {
    throw std::invalid_argument(arguments.file.text() +
                                ": is a static filter, built once; load builds a new one");
  }
  warn_of_gaps(arguments.file, filter);
  const KeyForm form_before = filter.keys();
  const SourceOptions source =
      with_form(arguments.source, form_to_insert(arguments.keys, arguments.file, filter));
  keep_form(arguments, form_before, filter);
  std::uint64_t new_count = 0;
  bool advised = false;
  held = {};
  const SourceTotals totals =
      read_keys(arguments.inputs, source, "insert", [&](const Batch& batch) {
        const StateKeeper::Lock step = file.hold();
        if (!std::exchange(advised, true))
          advise_of_keys(arguments.file, filter.geometry().bit_count, batch.keys);
        new_count += filter.insert_many(batch.keys);
        return true;
      });

  held = file.hold();
  Report report = report_of(arguments, source, totals, new_count, 0, filter.keys());
  report.add("capacity", filter.capacity(), count_text(filter.capacity()));
  const double rate = add_state(report, filter);
  warn_if_overfull(arguments.file.text(), filter, rate);
  // In a windowed filter, keys that are not new stay longer.
  const bool forgets = kind_of(filter.parameters().kind).forgets;
  if (file.is_in_place() || new_count > 0 || (forgets && totals.key_count > 0)) file.commit();
  print_done(report, arguments.json);
  return new_count > 0 ? kSome : kNone;
}

}  // namespace

void add_insert(Command app, int& status) {
  const auto arguments = std::make_shared<InsertArguments>();
  const Command command = app.add_subcommand("insert", "Insert keys into a filter");
  add_filter(command, "FILE", kWhereAFilterIs, arguments->file).required();
  command.add_option("INPUT", arguments->inputs.locations,
                     "where keys come from, one a line; standard input by default");
  add_given_keys(command, arguments->inputs.given);
  add_record_options(command, arguments->source);
  add_form_options_to_ask(command, arguments->keys);
  add_edit_options(command, arguments->edit);
  add_in_place_options(command, arguments->edit);
  add_json(command, arguments->json);
  command.everyday(std::array{"--key", "--field", "--as"});
  command.footer(kInsertExamples);
  command.callback([arguments, &status] { status = insert(*arguments); });
}

}  // namespace bloomery::cli
