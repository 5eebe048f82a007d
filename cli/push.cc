// bloomery push: a filter into a server, all at once.
#include <chrono>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "bloomery/store/redis/push_filter.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/filter_report.h"
#include "cli/key_choice.h"
#include "cli/read_keys.h"
#include "cli/report.h"

namespace bloomery::cli {
namespace {

constexpr const char* kExamples =
    R"(Puts a filter that was built here into a Redis or Valkey server that has bloomery.so: as it is, not
key by key. The key's old filter answers until the new one is whole; then that is there, at once.

SERVER is redis://[[user]:password@]host[:port][/database]#key or unix:///path[?db=N]#key. Keep
passwords out of the command line: $BLOOMERY_REDIS_PASSWORD stands for one.

Examples:
  bloomery load 'sqlite:shop.db?table=users&column=id' fresh.bloom
  bloomery push fresh.bloom redis://127.0.0.1:6379#users
  redis-cli BLOOM.CHECK users alice

What is added to the key while the filter is on its way is in the new one too. What is added while
the database is read, is so where the load was begun before:

  load=$(bloomery push --begin redis://127.0.0.1:6379#users)
  bloomery load 'sqlite:shop.db?table=users&column=id' fresh.bloom --replace
  bloomery push fresh.bloom redis://127.0.0.1:6379#users --load "$load")";

struct Arguments {
  FilterLocation from;
  std::string to;
  std::string begin;
  std::string load_id;
  std::string prefix;
  KeyChoice keys;
  double timeout_seconds = 30;
  bool json = false;
};

RedisLocation location_of(const std::string& text) {
  RedisLocation to = parse_redis_location(text);
  if (const char* const password = std::getenv("BLOOMERY_REDIS_PASSWORD");
      password != nullptr && to.password.empty()) {
    to.password = password;
  }
  return to;
}

PushOptions options_of(const Arguments& arguments) {
  PushOptions options;
  options.prefix = arguments.prefix;
  options.timeout =
      std::chrono::milliseconds(static_cast<std::int64_t>(arguments.timeout_seconds * 1000));
  options.load_id = arguments.load_id;
  return options;
}

int begin(const Arguments& arguments) {
  const std::string id = begin_push(location_of(arguments.begin), options_of(arguments));
  Output output;
  output.write(id + "\n");
  output.flush();
  return kSome;
}

int push(const Arguments& arguments) {
  const RedisLocation to = location_of(arguments.to);
  AnyFilter filter = load_for_use(arguments.from);
  filter.set_keys(form_for(arguments.keys, arguments.from, filter));
  PushOptions options = options_of(arguments);
  if (arguments.from.format == nullptr) options.notes = inspect(arguments.from.path).notes;
  std::optional<Progress> progress;
  options.progress = [&](std::uint64_t sent, std::uint64_t all) {
    if (sent <= all && !progress) progress = terminal_progress("push", {{}, all});
    if (progress) progress->update(0, sent);
  };
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t sent = 0;
  try {
    sent = push_filter(filter.contents(), to, options);
  } catch (...) {
    if (progress) progress->clear();
    throw;
  }
  if (progress) progress->clear();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;

  Report report;
  report.add("from", arguments.from.text());
  report.add("server", to.server());
  report.add("key", to.key);
  report.add("keys", form_text(filter.keys()));
  report.add("callers_send", form_bytes(filter.keys()));
  add_parameters(report, filter.contents());
  report.add("sent_bytes", sent);
  report.add("seconds", took.count());
  Output output;
  print(report, arguments.json, output);
  return kSome;
}

}  // namespace

void add_push(Command app, int& status) {
  const auto arguments = std::make_shared<Arguments>();
  const Command command =
      app.add_subcommand("push", "Put a filter into a server with bloomery's module");
  const Option file =
      add_filter(command, "FILE", "a filter's file, ours or FORMAT:FILE", arguments->from);
  const Option server =
      command.add_option("SERVER", arguments->to, "the server and the key; see below");
  command
      .add_option("--begin", arguments->begin,
                  "SERVER: before the keys are read, tell it so; prints what --load takes")
      .excludes(file)
      .excludes(server);
  command.add_option("--load", arguments->load_id, "what --begin printed");
  command.add_option("--prefix", arguments->prefix,
                     "the prefix that the module is loaded with, if any");
  command
      .add_option("--timeout", arguments->timeout_seconds,
                  "seconds to wait for the server at every step")
      .range(0.001, 86400.0)
      .shows_default();
  add_form_options_to_ask(command, arguments->keys);
  add_json(command, arguments->json);
  command.footer(kExamples);
  command.callback([arguments, &status] {
    if (arguments->begin.empty() && arguments->to.empty()) {
      throw std::invalid_argument("FILE and SERVER are required, or --begin SERVER");
    }
    status = arguments->begin.empty() ? push(*arguments) : begin(*arguments);
  });
}

}  // namespace bloomery::cli
