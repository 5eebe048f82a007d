// SPDX-License-Identifier: Apache-2.0
// bloomery push: a filter into a server, all at once.
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "bloomery/redis/places/push_filter.h"
#include "bloomery/source/server_location.h"
#include "bloomery/source/source_location.h"
#include "bloomery/store/native_file.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/fill_from.h"
#include "cli/filter_report.h"
#include "cli/key_choice.h"
#include "cli/patience.h"
#include "cli/report.h"
#include "cli/terminal_progress.h"

namespace bloomery::cli {
namespace {

constexpr const char* kPushExamples =
    R"(Puts a filter that was built here into a Redis or Valkey server that has bloomery.so: whole, not key by
key. The key's old filter answers until the new one is whole; then the new one takes its place in one
step.

SERVER is redis://[[user]:password@]host[:port][/database]#key, rediss://... for the same over TLS, or
redis+unix:///path[?db=N]#key, redis+cluster://host[:port],...#key or
redis+sentinel://host[:port],.../primary[/database]#key. Behind a ? come settings, with & between: user=NAME, password_file=FILE,
password_env=VARIABLE, ca=FILE, cert=FILE, cert_key=FILE, server_name=NAME, client_name=NAME,
timeout=MS, wait=N[,MS][,aof]. Keep passwords out of the command line: the variable BLOOMERY_REDIS_PASSWORD holds one, too.

Examples:
  bloomery load 'sqlite:shop.db?table=users&column=id' fresh.bloom
  bloomery push fresh.bloom redis://127.0.0.1:6379#users
  bloomery push bitmap:redis://127.0.0.1#fresh redis://127.0.0.1:6379#users
  redis-cli BLOOM.CHECK users alice

What others add to the key while the filter is on its way is in the new filter, too. If FILE is keys, so
is what others add while they are read, because the server is told before. FILE is taken for keys if it
is a database (see bloomery load --help) or -, or with any of -n, -p and --kind. Without -n the keys are
counted first.

  bloomery push 'sqlite:shop.db?table=users&column=id' redis://127.0.0.1:6379#users -p 0.001
  bloomery push keys.txt redis://127.0.0.1:6379#users -n 1M

In steps, for a filter that something else builds:

  load=$(bloomery push --begin redis://127.0.0.1:6379#users)
  bloomery load 'sqlite:shop.db?table=users&column=id' fresh.bloom --replace
  bloomery push fresh.bloom redis://127.0.0.1:6379#users --load "$load")";

struct PushArguments {
  FillRequest fill;  // .from may be a filter's file as well
  std::string to;
  std::string begin;
  std::string load_id;
  std::string prefix;
  Patience patience;
  bool json = false;
};

redis::Location location_of(const std::string& text) {
  constexpr const char* kPasswordVariable = "BLOOMERY_REDIS_PASSWORD";
  redis::Location to = redis::parse_location(text, {.timeout = redis::kPushTimeout});
  if (to.password.empty() && to.password_file.empty() && to.password_variable.empty()) {
    const char* const password = std::getenv(kPasswordVariable);
    if (password != nullptr) to.password = password;
  }
  if (!to.settings.empty()) {
    throw std::invalid_argument("the location of the server says " + to.settings.begin()->first +
                                ", which is no setting of a connection");
  }
  return to;
}

redis::PushOptions options_of(const PushArguments& arguments) {
  redis::PushOptions options;
  options.prefix = arguments.prefix;
  options.load_id = arguments.load_id;
  return options;
}

// Throws std::invalid_argument for options of these names, which would be read and not heeded.
void refuse_options(Command command, std::span<const char* const> names, const std::string& why) {
  const char* const name = command.first_given(names);
  if (name != nullptr) throw std::invalid_argument(name + (": " + why));
}

int begin(const PushArguments& arguments) {
  redis::Client server(location_of(arguments.begin));
  const std::string id = begin_push(server, options_of(arguments));
  Output output;
  output.write(id + "\n");
  output.flush();
  return kSome;
}

bool is_of_keys(const PushArguments& arguments) {
  const NewFilter& wanted = arguments.fill.filter;
  if (wanted.capacity || wanted.growth || wanted.rate || wanted.kind || arguments.fill.from == "-")
    return true;
  return !is_live_location(arguments.fill.from) &&
         parse_source_location(arguments.fill.from).is_database();
}

void require_heeded(Command command, const PushArguments& arguments) {
  constexpr std::array kOfRecords{"--null", "--field", "--skip-header"};
  constexpr std::array kPatience{"--wait", "--no-wait"};
  if (!arguments.begin.empty()) {
    constexpr std::array kLater{"--load", "--capacity",  "--rate",   "--threads",
                                "--as",   "--normalise", "--insist", "--json"};
    const std::string why = "with --begin nothing is read or sent yet; say it with FILE and SERVER";
    refuse_options(command, kLater, why);
    refuse_options(command, kNewFilterOptions, why);
    refuse_options(command, kOfRecords, why);
    refuse_options(command, kPatience, why);
  } else if (is_of_keys(arguments)) {
    refuse_options(command, kPatience, arguments.fill.from + " is keys; it is for a filter's file");
  } else {
    const std::string why = arguments.fill.from +
                            " is a filter, and pushed as it is; this is for one that is made of "
                            "keys, which -n, -p or --kind say that they are";
    refuse_options(command, kNewFilterOptions, why);
    refuse_options(command, kOfRecords, why);
  }
}

// Builds the filter. begin_push() comes before the first key is read, as the server keeps what is
// added to the key from the beginning of the load on.
Filled build(const PushArguments& arguments, redis::Client& server, redis::PushOptions& options) {
  bool begun = false;
  try {
    return fill_from(arguments.fill, {}, "push", [&] {
      if (!options.load_id.empty()) return;
      options.load_id = begin_push(server, options);
      begun = true;
    });
  } catch (...) {
    if (begun) abort_push(server, options);
    throw;
  }
}

Filled load_whole(const PushArguments& arguments, redis::PushOptions& options) {
  const PlaceLocation file = parse_place_location(arguments.fill.from);
  require_files(arguments.patience, {&file, 1});
  require_absent(file);
  AnyFilter filter = load_when_closed(file, arguments.patience);
  filter.set_keys(form_for(arguments.fill.keys, file, filter));
  if (file.format == nullptr && !file.is_live()) options.notes = inspect(file.file.path).notes;
  const KeyForm form = filter.keys();
  return {std::move(filter), {}, form};
}

std::uint64_t send(const AnyFilter& filter, redis::Client& server, redis::PushOptions& options) {
  std::optional<Progress> progress;
  options.progress = [&](std::uint64_t sent, std::uint64_t all) {
    if (sent <= all && !progress) progress = terminal_progress("push", {{}, all});
    if (progress) progress->update(0, sent);
  };
  try {
    const std::uint64_t sent = push_filter(filter.contents(), server, options);
    if (progress) progress->clear();
    return sent;
  } catch (...) {
    if (progress) progress->clear();
    throw;
  }
}

int push(const PushArguments& arguments) {
  redis::Client server(location_of(arguments.to));
  redis::PushOptions options = options_of(arguments);
  const auto start = std::chrono::steady_clock::now();
  const bool of_keys = is_of_keys(arguments);
  const Filled filled =
      of_keys ? build(arguments, server, options) : load_whole(arguments, options);
  const AnyFilter& filter = filled.filter;
  const std::uint64_t sent = send(filter, server, options);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;

  Report report;
  report.add("from", source_name(arguments.fill.from));
  report.add("server", server.location().server());
  report.add("key", server.location().key);
  report.add("keys", form_text(filter.keys()));
  report.add("callers_send", form_bytes(filter.keys()));
  if (of_keys) {
    report.add("key_count", filled.totals.key_count, count_text(filled.totals.key_count));
    report.add("null_count", filled.totals.null_count);
  }
  add_parameters(report, filter.contents());
  add_growth(report, filled);
  add_state(report, filter);
  report.add("sent_bytes", sent);
  report.add("seconds", took.count());
  if (of_keys) warn_if_overfull(arguments.fill.from, filter, filter.predicted_rate());
  print_done(report, arguments.json);
  return kSome;
}

}  // namespace

void add_push(Command app, int& status) {
  const auto arguments = std::make_shared<PushArguments>();
  const Command command = app.add_subcommand(
      "push", "Put a filter, or a new one of all keys, into a server with the module");
  const Option file = command.add_option(
      "FILE", arguments->fill.from,
      "a filter: a file of ours, FORMAT:FILE or FORMAT:redis://SERVER#KEY; or keys: a file, a "
      "database, or -; see below");
  const Option server =
      command.add_option("SERVER", arguments->to, "the server and the key; see below");
  command
      .add_option("--begin", arguments->begin,
                  "tell SERVER, before the keys are read, that a filter is coming; prints what "
                  "--load takes")
      .excludes(file)
      .excludes(server);
  command.add_option("--load", arguments->load_id, "what --begin printed");
  command.add_option("--prefix", arguments->prefix,
                     "the prefix that the module is loaded with, if any");
  add_capacity_or_growth(command, arguments->fill.filter.capacity, arguments->fill.filter.growth)
      .description(
          "if FILE is keys: how many to size for, or +20% more than there are. By default they are "
          "counted first, and a database's get room for half more, unless the kind grows, forgets "
          "or takes no more");
  add_rate(command, arguments->fill.filter.rate)
      .description("if FILE is keys: false positive rate at capacity; 0.01 by default");
  add_new_filter_options(command, arguments->fill.filter);
  add_record_options(command, arguments->fill.source);
  add_threads(command, arguments->fill.threads);
  add_form_options_to_ask(command, arguments->fill.keys);
  add_patience(command, arguments->patience);
  add_json(command, arguments->json);
  command.everyday(std::array{"--capacity", "--rate", "--kind", "--as"});
  command.footer(kPushExamples);
  command.callback([arguments, command, &status] {
    if (arguments->begin.empty() && arguments->to.empty()) {
      throw std::invalid_argument("FILE and SERVER are required, or --begin SERVER");
    }
    require_heeded(command, *arguments);
    status = arguments->begin.empty() ? push(*arguments) : begin(*arguments);
  });
}

}  // namespace bloomery::cli
