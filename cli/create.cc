// SPDX-License-Identifier: Apache-2.0
// bloomery create: an empty filter in a new file.
#include <memory>
#include <stdexcept>
#include <string>

#include "bloomery/format/kinds.h"
#include "bloomery/open/open_place.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/filter_report.h"
#include "cli/key_choice.h"
#include "cli/patience.h"
#include "cli/report.h"

namespace bloomery::cli {
namespace {

constexpr const char* kCreateExamples = R"(Examples:
  bloomery create users.bloom -n 10M                     wrong of one key in a hundred
  bloomery create small.bloom -n 250000 -p 0.1% --kind classic
  bloomery create public.bloom -n 1M -p 0.001 --secret   against keys chosen by strangers
  bloomery create seen.bloom -n 1M -p 0.01 --kind windowed --window 24h   forgets after a day
  bloomery create last.bloom -n 1M -p 0.01 --kind windowed   remembers the last million
  bloomery create ids.bloom -n 1M -p 0.01 --as i64       its keys are numbers, and it says so
  bloomery create guava:users.bin -n 1M -p 0.03          for a Java service to read
  bloomery create redisson:redis://127.0.0.1#users -n 1M -p 0.03   where it lives
  bloomery create bitmap:redis://127.0.0.1#users -n 1M -p 0.01     ours, where no module can be
  bloomery create bloom:redis://127.0.0.1#users -n 1M -p 0.01      ours, of the module)";

struct CreateArguments {
  PlaceLocation file;
  NewFilter filter;
  KeyChoice keys;
  bool json = false;
};

// A file takes the form of its first keys; a server's filter does not.
void add_new_keys(Report& report, const PlaceLocation& file, const KeyForm& form) {
  if (form.is_known() || file.is_live()) return add_keys(report, file, form);
  report.add("keys", form_text(form), form_text(form) + " until the first come; --as says it now");
}

// Has the filter made by a server that makes them itself.
int create_served(const CreateArguments& arguments) {
  const NewFilter& wanted = arguments.filter;
  require_no_kind(wanted, arguments.file);
  create_in_server(arguments.file, wanted.capacity.value(), wanted.rate.value());
  Report report;
  report.add("file", arguments.file.text());
  add_new_keys(report, arguments.file, form_of_empty(arguments.keys, arguments.file));
  report.add("capacity", *wanted.capacity, count_text(*wanted.capacity));
  report.add("false_positive_rate", *wanted.rate, rate_text(*wanted.rate) + " at capacity");
  print_done(report, arguments.json);
  return kSome;
}

int create(const CreateArguments& arguments) {
  if (arguments.file.takes_keys_alone()) return create_served(arguments);
  require_may_be_there(arguments.filter.kind_or_default(), arguments.file);
  AnyFilter filter = empty_filter(arguments.filter, arguments.file);
  filter.set_keys(form_of_empty(arguments.keys, arguments.file));
  if (arguments.file.dialect) {
    create_in_server(arguments.file, filter.contents());
  } else {
    save(filter.contents(), arguments.file, {.replace = false}, {});
  }
  const double rate = kind_of(filter.parameters().kind)
                          .rate(filter.parameters(), static_cast<double>(filter.capacity()));
  Report report;
  report.add("file", arguments.file.text());
  add_new_keys(report, arguments.file, filter.keys());
  add_live_settings(report, arguments.file, filter.contents());
  add_parameters(report, filter.contents());
  report.add("predicted_rate", rate, rate_text(rate) + " at capacity");
  advise(arguments.file, filter);
  print_done(report, arguments.json);
  return kSome;
}

}  // namespace

void add_create(Command app, int& status) {
  const auto arguments = std::make_shared<CreateArguments>();
  const Command command = app.add_subcommand("create", "Make an empty filter");
  add_filter(command, "FILE", kWhereANewFilterIs, arguments->file).required();
  add_capacity(command, arguments->filter.capacity).required();
  add_rate(command, arguments->filter.rate)
      .description("false positive rate at capacity; 0.01 by default");
  add_new_filter_options(command, arguments->filter);
  add_form_options(command, arguments->keys);
  add_json(command, arguments->json);
  command.everyday(std::array{"--capacity", "--rate", "--kind", "--as"});
  command.footer(kCreateExamples);
  command.callback([arguments, &status] {
    if (!arguments->filter.rate) arguments->filter.rate = kDefaultRate;
    status = create(*arguments);
  });
}

}  // namespace bloomery::cli
