// bloomery insert: keys into a filter's file, all or none.
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/format/kinds.h"
#include "bloomery/store/filter_editor.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/filter_report.h"
#include "cli/key_choice.h"
#include "cli/patience.h"
#include "cli/read_keys.h"
#include "cli/report.h"

namespace bloomery::cli {
namespace {

constexpr const char* kExamples =
    R"(The file changes in one step at the end: whatever stops the command before leaves it as it was.
One process at a time writes a file: others wait for it.

Examples:
  bloomery insert users.bloom keys.txt
  seq 1000 | bloomery insert codes.bloom --as u64     an empty file remembers it
  bloomery insert users.bloom --field 2 --csv table.csv
  seq 1000 | bloomery insert guava:users.bin --as i32
  bloomery insert users.bloom 'sqlite:shop.db?table=users&column=id'

Exit status: 0 some keys were new, 1 none was.)";

struct Arguments {
  FilterLocation file;
  std::vector<std::string> inputs;
  SourceOptions source;
  KeyChoice keys;
  Patience patience;
  bool json = false;
};

int insert(const Arguments& arguments) {
  FilterEditor editor = edit(arguments.file, arguments.patience);
  if (!editor.filter().can_insert()) {
    throw std::invalid_argument(arguments.file.text() +
                                ": is a static filter, built once; load builds a new one");
  }
  warn_of_gaps(arguments.file, editor.filter());
  const SourceOptions source =
      with_form(arguments.source, form_to_insert(arguments.keys, arguments.file, editor.filter()));
  std::uint64_t new_count = 0;
  bool advised = false;
  const SourceTotals totals =
      read_keys(arguments.inputs, source, "insert", [&](const Batch& batch) {
        if (!std::exchange(advised, true)) {
          advise_of_keys(arguments.file, editor.filter(), batch.keys);
        }
        new_count += editor.filter().insert_many(batch.keys);
        return true;
      });
  // In a windowed filter, keys that are not new stay longer.
  const bool forgets = kind_of(editor.filter().parameters().kind).forgets;
  if (new_count > 0 || (forgets && totals.key_count > 0)) editor.commit();

  Report report;
  report.add("file", arguments.file.text());
  add_keys(report, arguments.file, {source.encoding, source.normalise});
  report.add("key_count", totals.key_count, count_text(totals.key_count));
  report.add("new_count", new_count, count_text(new_count));
  if (totals.null_count > 0) report.add("null_count", totals.null_count);
  report.add("capacity", editor.filter().capacity(), count_text(editor.filter().capacity()));
  const double rate = add_state(report, editor.filter());
  warn_if_overfull(arguments.file.text(), editor.filter(), rate);
  Output output;
  print(report, arguments.json, output);
  return new_count > 0 ? kSome : kNone;
}

}  // namespace

void add_insert(Command app, int& status) {
  const auto arguments = std::make_shared<Arguments>();
  const Command command = app.add_subcommand("insert", "Insert keys into a filter's file");
  add_filter(command, "FILE", "a filter's file, ours or FORMAT:FILE", arguments->file).required();
  command.add_option("INPUT", arguments->inputs,
                     "where keys come from, one a line; standard input by default");
  add_record_options(command, arguments->source);
  add_form_options_to_ask(command, arguments->keys);
  add_patience(command, arguments->patience);
  add_json(command, arguments->json);
  command.footer(kExamples);
  command.callback([arguments, &status] { status = insert(*arguments); });
}

}  // namespace bloomery::cli
