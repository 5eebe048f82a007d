// SPDX-License-Identifier: Apache-2.0
// bloomery load: all keys of a database or a file, in a filter of the right size.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "bloomery/errors.h"
#include "bloomery/open/open_place.h"
#include "bloomery/redis/places/item_load.h"
#include "bloomery/source/server_location.h"
#include "bloomery/store/native_file.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/fill_from.h"
#include "cli/filter_report.h"
#include "cli/messages.h"
#include "cli/patience.h"
#include "cli/report.h"
#include "cli/state_keeper.h"

namespace bloomery::cli {
namespace {

constexpr const char* kLoadExamples =
    R"(FROM is a file of keys, one a line, also packed by gzip, zstd or xz, or a database that is only read:
  sqlite:FILE?table=TABLE&column=COLUMN      sqlite:FILE?query=SELECT ...
  postgres://[USER[:PASSWORD]@][HOST[:PORT]]/DATABASE?table=TABLE&column=COLUMN      ...?query=SELECT ...
  mariadb://[USER[:PASSWORD]@][HOST[:PORT]]/DATABASE?table=TABLE&column=COLUMN       mysql://...

Examples:
  bloomery load keys.txt words.bloom
  bloomery load 'sqlite:shop.db?table=users&column=id' ids.bloom -p 0.001
  bloomery load 'sqlite:shop.db?table=users&column=id' tight.bloom -n +20%
  bloomery load keys.txt words.bloom --kind static
  bloomery load keys.txt redisson:bitmap -p 0.03 --as text
  bloomery load 'sqlite:shop.db?table=users&column=name' low.bloom --normalise lower,trim
  bloomery load 'sqlite:shop.db?query=SELECT name FROM users WHERE id > 10' names.bloom -n 1M
  seq 1000 | bloomery load - numbers.bloom -n 1000
  bloomery load 'sqlite:shop.db?table=users&column=id' 'redisson:redis://127.0.0.1#users' -p 0.03
  bloomery load 'sqlite:shop.db?table=users&column=id' 'bitmap:redis://127.0.0.1#users'
  bloomery load 'sqlite:shop.db?table=users&column=id' 'bf:redis://127.0.0.1#users'

A filter in a server is sent whole into a key beside it, and takes its place in one step; a filter of BF.*
(bf:) is sent as keys. With --replace the new filter also has what the old one holds, because others may be
adding to it. bf: and bloom: cannot do that: they need --discard, too.)";

struct LoadArguments {
  FillRequest fill;
  PlaceLocation file;
  Replacing replacing;
  Patience patience;
  bool json = false;
};

// Returns whether a file of ours would take the place of one that is no filter, such as that of the
// keys.
bool is_other_file(const PlaceLocation& location) {
  if (location.is_live() || location.file.format != nullptr) return false;
  const std::filesystem::path& path = location.file.path;
  std::error_code unknown;
  return std::filesystem::is_regular_file(path, unknown) &&
         !std::filesystem::is_empty(path, unknown) && !is_native(path);
}

// Called before anything is read: a long scan should not end with this refusal.
void refuse_other_file(const PlaceLocation& location) {
  if (!is_other_file(location)) return;
  throw StoreError(location.file.path.string() +
                   ": already exists and is no filter, which --replace does not replace either; "
                   "where the keys come from is named first: bloomery load FROM FILE");
}

void refuse_existing(const PlaceLocation& location) {
  if (!is_taken(location)) return;
  throw StoreError((location.is_live() ? location.text() : location.file.path.string()) +
                   ": already exists; --replace replaces it, in one step");
}

void complain_of_nulls(const SourceTotals& totals) {
  if (totals.null_count == 0) return;
  complain(std::to_string(totals.null_count) + " rows had no key (NULL) and were skipped");
}

// Adds how many more keys a filter takes before its server makes it grow.
void add_room(Report& report, std::uint64_t capacity, std::uint64_t taken) {
  const std::uint64_t room = capacity - std::min(capacity, taken);
  report.add("room_count", room, count_text(room) + " more keys, then it grows");
}

// Adds how many keys the newest link of RedisBloom's chain has room for; nothing of other kinds.
void add_room_of_link(Report& report, const FilterContents& contents) {
  if (contents.layers.empty()) return;
  const Layer& newest = contents.layers.back();
  add_room(report, newest.capacity, newest.inserted);
}

// Keys, not bits, go to a server that has filters of its own kind.
int load_items(const LoadArguments& arguments) {
  require_no_kind(arguments.fill.filter, arguments.file);
  const auto start = std::chrono::steady_clock::now();
  NewFilter made;
  std::optional<redis::ItemLoad> load;
  // A signal that ends the program drops the unfinished load, so that nothing is left beside the
  // filter.
  StateKeeper keeper(std::nullopt, [&] { load.reset(); });
  const SourceTotals totals =
      send_keys(arguments.fill, arguments.file, "load", [&](const NewFilter& wanted) {
        made = wanted;
        const auto held = keeper.lock();
        load.emplace(redis::parse_location(arguments.file.server), *wanted.capacity, *wanted.rate,
                     arguments.replacing.replace);
        return [&](const Batch& batch) {
          const auto during = keeper.lock();
          load->insert_many(batch.keys);
          return true;
        };
      });
  {
    const auto held = keeper.lock();
    load->finish();
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

  Report report;
  report.add("from", source_name(arguments.fill.from));
  report.add("file", arguments.file.text());
  add_keys(report, arguments.file, made.keys);
  report.add("key_count", totals.key_count, count_text(totals.key_count));
  report.add("null_count", totals.null_count);
  report.add("capacity", *made.capacity, count_text(*made.capacity));
  if (made.growth) {
    report.add("growth", *made.growth,
               short_number(*made.growth) + " times the keys that were counted");
  }
  // The server has counted the keys itself, and does not tell: at least so many are free.
  add_room(report, *made.capacity, totals.key_count);
  report.add("false_positive_rate", *made.rate, rate_text(*made.rate) + " at capacity");
  report.add("seconds", seconds.count(), short_number(seconds.count(), 3));
  complain_of_nulls(totals);
  print_done(report, arguments.json);
  return totals.key_count > 0 ? kSome : kNone;
}

int load_keys(const LoadArguments& arguments) {
  const Replacing& replacing = arguments.replacing;
  std::error_code unknown;  // one of them is no file
  if (!arguments.file.is_live() &&
      std::filesystem::equivalent(arguments.fill.from, arguments.file.file.path, unknown)) {
    throw std::invalid_argument(arguments.file.text() + ": the keys are in this file");
  }
  require_discards(replacing, arguments.file);
  require_files(arguments.patience, {&arguments.file, 1});
  if (replacing.replace && !replacing.discard) require_may_be_kept(arguments.file);
  require_may_be_there(arguments.fill.filter.kind_or_default(), arguments.file);
  refuse_other_file(arguments.file);
  if (!replacing.replace) refuse_existing(arguments.file);
  if (arguments.file.takes_keys_alone()) return load_items(arguments);
  const auto start = std::chrono::steady_clock::now();
  const Filled filled = fill_from(arguments.fill, arguments.file, "load");
  const AnyFilter& filter = filled.filter;
  const SourceTotals& totals = filled.totals;
  save(filter.contents(), arguments.file, {.replace = replacing.replace}, arguments.patience,
       replacing.discard);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

  Report report;
  report.add("from", source_name(arguments.fill.from));
  report.add("file", arguments.file.text());
  add_keys(report, arguments.file, filled.form);
  add_live_settings(report, arguments.file, filter.contents());
  report.add("key_count", totals.key_count, count_text(totals.key_count));
  report.add("null_count", totals.null_count);
  add_parameters(report, filter.contents());
  add_growth(report, filled);
  const double rate = add_state(report, filter);
  if (!arguments.file.has_own_kinds()) add_room_of_link(report, filter.contents());
  report.add("seconds", seconds.count(), short_number(seconds.count(), 3));
  complain_of_nulls(totals);
  warn_if_overfull(arguments.file.text(), filter, rate);
  advise(arguments.file, filter);
  print_done(report, arguments.json);
  return totals.key_count > 0 ? kSome : kNone;
}

}  // namespace

void add_load(Command app, int& status) {
  const auto arguments = std::make_shared<LoadArguments>();
  const Command command =
      app.add_subcommand("load", "Make a filter of all keys of a database or file");
  command
      .add_option("FROM", arguments->fill.from,
                  "keys.txt, sqlite:..., postgres://..., mariadb://..., or - for standard input")
      .required();
  add_filter(command, "FILE", kWhereAFilterIs, arguments->file).required();
  add_capacity_or_growth(command, arguments->fill.filter.capacity, arguments->fill.filter.growth)
      .description(
          "keys to size for, such as 250000 or 10M, or +20% more than there are. By default they "
          "are counted first, and a database's get room for half more, unless the kind grows, "
          "forgets or takes no more");
  add_rate(command, arguments->fill.filter.rate)
      .description("false positive rate at capacity; 0.01 by default");
  add_new_filter_options(command, arguments->fill.filter);
  add_record_options(command, arguments->fill.source);
  add_form_options(command, arguments->fill.keys);
  add_threads(command, arguments->fill.threads);
  add_replacing(command, "FILE", arguments->replacing);
  add_patience(command, arguments->patience);
  add_json(command, arguments->json);
  constexpr std::array kEverydayOptions{"--capacity", "--rate",  "--kind",
                                        "--as",       "--field", "--replace"};
  command.everyday(kEverydayOptions);
  command.footer(kLoadExamples);
  command.callback([arguments, &status] { status = load_keys(*arguments); });
}

}  // namespace bloomery::cli
