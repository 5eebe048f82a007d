// SPDX-License-Identifier: Apache-2.0
// bloomery check: which keys may be in a filter, as grep would tell it.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/open/open_place.h"
#include "bloomery/source/in_order.h"
#include "bloomery/store/native_file.h"
#include "bloomery/text/canonical_url.h"
#include "cli/arguments.h"
#include "cli/behind.h"
#include "cli/bool_per_key.h"
#include "cli/commands.h"
#include "cli/filter_report.h"
#include "cli/given_keys.h"
#include "cli/key_choice.h"
#include "cli/messages.h"
#include "cli/patience.h"
#include "cli/read_keys.h"
#include "cli/report.h"
#include "cli/write_selected.h"

namespace bloomery::cli {
namespace {

constexpr const char* kCheckExamples =
    R"(Prints the records whose keys may be present in any of the files.

Examples:
  bloomery check users.bloom -e alice -e bob
  bloomery check users.bloom --input keys.txt
  bloomery check users.bloom -v <asked.txt              the surely absent
  bloomery check monday.bloom tuesday.bloom -c <keys.txt
  bloomery check guava:users.bin --as i32 <ids.txt      a filter of Guava's, of integers
  bloomery check users.bloom --wait 10s <keys.txt       while another process inserts --in-place
  bloomery check -q users.bloom -e alice && echo maybe

A filter in a server may not know a key. A record whose key is unknown may be present: it is printed
without -v, and not printed with -v. Standard error says why, once.
  bloomery check 'redisson:redis://127.0.0.1?trust=bits#users' <ids.txt

Rows of a database that bloomery follow brings into the filter: --behind says "absent" only of what
the database had not when the record was read. A filter that is not so far makes its keys unknown.
  bloomery follow 'sqlite:shop.db?table=users&column=id' rows.bloom --once && bloomery check rows.bloom --behind 'sqlite:shop.db?table=users&column=id' -v <ids.txt

Exit status: 0 some records were selected, 1 none was, 2 also if any key was unknown.)";

struct CheckArguments {
  std::vector<PlaceLocation> files;
  KeyInputs inputs;
  Patience patience = kNoPatience;
  SourceOptions source;
  KeyChoice keys;
  std::string behind{};  // empty: nothing was said
  ChangeOptions followed{};
  unsigned threads = 1;
  bool absent = false;
  bool count = false;
  bool quiet = false;
  bool json = false;
};

// A key, or a file of keys, stands easily where a filter should.
// `is_followed`: somebody writes into it meanwhile.
std::unique_ptr<FilterPlace> open_or_explain(const PlaceLocation& location,
                                             const Patience& patience, bool is_followed) {
  std::unique_ptr<FilterPlace> place;
  try {
    retry_while_changed(location, patience, [&] {
      place = open_place(
          location, {.allow_forgetting = true,
                     .load_files = !is_followed,
                     .keys_as_said = true,
                     .look = [&](const AnyFilter& filter) { warn_of_gaps(location, filter); }});
    });
    return place;
  } catch (const StoreError& error) {
    if (location.is_live() || !is_missing_text(location.text())) throw;
    throw StoreError(std::string(error.what()) + "; if it is the key to ask for, say -e " +
                     location.text());
  } catch (const FormatError& error) {
    if (location.is_live() || location.format != nullptr || is_native(location.file.path)) throw;
    throw FormatError(std::string(error.what()) +
                      "; if it holds the keys to ask for, say --input " + location.text());
  }
}

// Combines the answers of two filters about a key, which may be in either of them.
Presence either(Presence a, Presence b) noexcept {
  if (a == Presence::maybe || b == Presence::maybe) return Presence::maybe;
  return a == Presence::unknown || b == Presence::unknown ? Presence::unknown : Presence::absent;
}

// Returns the bytes of the integer that a text spells: it may be there as those where the form of
// the filter's keys is unknown.
std::optional<std::string> bytes_of_integer(Key text) {
  const auto integer = integer_spelt(text);
  if (!integer) return std::nullopt;
  return std::string(as_key(*integer));
}

// Answers of several filters about the keys of a batch. Several threads may ask.
class AnyOf {
 public:
  struct Answers {
    std::vector<Presence> all;
    std::vector<Presence> one;  // those of one filter
  };

  // `answers` has what was said of the keys as texts. `other(text)` has the other bytes that a text
  // may be there in, if any.
  void ask_others(std::span<const Key> texts, const auto& other, Answers& answers) {
    std::vector<std::string> others;
    std::vector<std::size_t> of;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (answers.all[i] == Presence::maybe) continue;
      std::optional<std::string> bytes = other(texts[i]);
      if (!bytes) continue;
      others.push_back(*std::move(bytes));
      of.push_back(i);
    }
    if (of.empty()) return;
    const std::vector<Key> keys(others.begin(), others.end());
    Answers said;
    presence_of_many(keys, said);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      answers.all[of[i]] = either(answers.all[of[i]], said.all[i]);
    }
  }

  explicit AnyOf(const CheckArguments& arguments) : locations_(arguments.files) {
    if (!arguments.behind.empty()) behind_.emplace(arguments.behind, arguments.followed);
    for (const PlaceLocation& each : locations_) {
      places_.push_back(open_or_explain(each, arguments.patience, behind_.has_value()));
      if (behind_) fenced_.push_back(behind_->in_front_of(*places_.back()));
    }
  }

  std::vector<PlaceHead> heads() {
    std::vector<PlaceHead> heads(places_.size());
    for (std::size_t i = 0; i < places_.size(); ++i) {
      // A filter in a server that cannot say its form of keys gets its format's usual form without
      // a request, as the server may be away.
      heads[i].parameters.keys = form_of_new({}, locations_[i]);
      if (says_keys(locations_[i])) heads[i] = places_[i]->head();
    }
    return heads;
  }

  void presence_of_many(std::span<const Key> keys, Answers& answers) {
    ask(0, keys, answers.all);
    for (std::size_t i = 1; i < places_.size(); ++i) {
      ask(i, keys, answers.one);
      std::ranges::transform(answers.all, answers.one, answers.all.begin(), either);
    }
  }

 private:
  // Asks a place. If it throws StoreError, the keys without an answer stay `unknown`. The first
  // reason why a key is unknown goes to standard error.
  void ask(std::size_t number, std::span<const Key> keys, std::vector<Presence>& answers) {
    FilterPlace& place = behind_ ? *fenced_[number] : *places_[number];
    answers.assign(keys.size(), Presence::unknown);
    try {
      place.presence_of_many(keys, answers);
      if (!told_ && std::ranges::find(answers, Presence::unknown) != answers.end()) {
        tell(place.name() + ": " + why_unknown(place));
      }
    } catch (const StoreError& error) {
      tell(error.what());
    }
  }
  std::string why_unknown(FilterPlace& place) {
    const std::string_view reason = why(place.head().no_absent);
    if (!reason.empty()) return std::string(reason);
    return behind_ ? behind_->why_unknown(place) : "some of its servers do not answer";
  }
  void tell(const std::string& why) {
    if (!told_.exchange(true)) {
      complain("of some keys it is unknown whether they are there: " + why);
    }
  }

  const std::vector<PlaceLocation>& locations_;
  std::optional<Behind> behind_;
  std::vector<std::unique_ptr<FilterPlace>> places_;
  std::vector<std::unique_ptr<FilterPlace>> fenced_;  // in front of them, with --behind
  std::atomic<bool> told_ = false;
};

struct Counts {
  std::uint64_t keys = 0;
  std::uint64_t maybe = 0;
  std::uint64_t unknown = 0;

  void add(const std::vector<Presence>& answers) {
    keys += answers.size();
    maybe += static_cast<std::uint64_t>(std::ranges::count(answers, Presence::maybe));
    unknown += static_cast<std::uint64_t>(std::ranges::count(answers, Presence::unknown));
  }
  std::uint64_t absent() const noexcept { return keys - maybe - unknown; }
};

void print_counts(const CheckArguments& arguments, const Counts& counts, Output& output) {
  if (arguments.json) {
    Report report;
    report.add("key_count", counts.keys);
    report.add("maybe_count", counts.maybe);
    report.add("absent_count", counts.absent());
    if (counts.unknown > 0) report.add("unknown_count", counts.unknown);
    print(report, true, output);
  } else if (arguments.count) {
    const std::uint64_t selected =
        arguments.absent ? counts.absent() : counts.maybe + counts.unknown;
    output.write(std::to_string(selected) + "\n");
    output.flush();
  }
}

int check(const CheckArguments& arguments) {
  if (arguments.behind.empty() && !arguments.followed.slot.empty()) {
    throw std::invalid_argument("--slot is that of the follower of --behind SOURCE");
  }
  AnyOf filters(arguments);
  const KeyForm form = form_for_all(arguments.keys, arguments.files, filters.heads());
  const SourceOptions source = with_form(arguments.source, form);
  const bool prints = !arguments.count && !arguments.quiet && !arguments.json;
  Output output;
  if (prints && arguments.threads > 1) output.write_beside();
  BoolPerKey selections;
  Counts counts;
  // `selected` counts the keys that are selected for sure, without `unknown` ones.
  const auto selected = [&] { return arguments.absent ? counts.absent() : counts.maybe; };

  // A server answers a batch after the other; files are asked by every thread.
  const bool asks_servers = std::ranges::any_of(arguments.files, &PlaceLocation::is_live);
  std::vector<AnyOf::Answers> answers_of(slot_count(arguments.threads));
  const auto ask = [&](const Batch& batch) {
    filters.presence_of_many(batch.keys, answers_of[batch.slot]);
    if (!form.is_known()) {
      filters.ask_others(batch.keys, bytes_of_integer, answers_of[batch.slot]);
    } else if (form.encoding == KeyEncoding::text && has(form.normalise, Normalise::url)) {
      filters.ask_others(batch.keys, other_spelling, answers_of[batch.slot]);
    }
  };
  Preparation preparation{arguments.threads, {}};
  if (!asks_servers) preparation.work = ask;

  // Records and progress would overwrite each other on one terminal.
  const bool shares_terminal = prints && isatty(STDOUT_FILENO) != 0;
  const auto take = [&](const Batch& batch) {
    if (asks_servers) ask(batch);
    const std::vector<Presence>& answers = answers_of[batch.slot].all;
    counts.add(answers);
    if (prints) {
      const std::span<bool> is_selected = selections.room_for(answers.size());
      std::ranges::transform(answers, is_selected.begin(), [&](Presence answer) {
        return (answer == Presence::absent) == arguments.absent;
      });
      write_selected(output, batch.lines, is_selected, arguments.source.separator);
      output.hand_on();
    }
    return !(arguments.quiet && selected() > 0);
  };
  read_keys(arguments.inputs, source, shares_terminal ? "" : "check", take, preparation);
  output.flush();

  if (counts.absent() > 0) complain_of_usual_forms(arguments.keys, arguments.files);
  if (!arguments.quiet) print_counts(arguments, counts, output);
  // -q succeeds as grep's does: one selected key is enough, whatever else went wrong.
  if (counts.unknown > 0 && !(arguments.quiet && selected() > 0)) return kFault;
  return selected() > 0 ? kSome : kNone;
}

}  // namespace

void add_check(Command app, int& status) {
  const auto arguments = std::make_shared<CheckArguments>();
  const Command command = app.add_subcommand("check", "Print the keys that may be in a filter");
  add_filters(command, "FILE", kWhereAFilterIs, arguments->files).required();
  command
      .add_option(
          "--input",
          [arguments](const std::string& input) { arguments->inputs.locations = {input}; },
          "where keys come from, one a line; standard input by default")
      .type_name("INPUT");
  add_given_keys(command, arguments->inputs.given);
  add_record_options(command, arguments->source);
  add_form_options_to_ask(command, arguments->keys);
  add_wait(command, arguments->patience);
  command
      .add_option("--behind", arguments->behind,
                  "the database whose rows a follower brings into the filters: absent is only what "
                  "it had not when the record was read")
      .type_name("SOURCE");
  command.add_option("--slot", arguments->followed.slot, "the follower's --slot, with --behind")
      .type_name("NAME");
  add_threads(command, arguments->threads);
  command.add_flag("-v,--absent", arguments->absent,
                   "select the keys that are surely absent from all FILEs");
  command.add_flag("-c,--count", arguments->count, "print only how many records were selected");
  command.add_flag("-q,--quiet", arguments->quiet,
                   "print nothing, and stop at the first selected record");
  command.add_flag("--json", arguments->json, "print only the counts, as one JSON object");
  command.everyday(std::array{"--input", "--key", "--absent", "--count", "--quiet", "--as"});
  command.footer(kCheckExamples);
  command.callback([arguments, &status] { status = check(*arguments); });
}

}  // namespace bloomery::cli
