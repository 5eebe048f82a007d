// SPDX-License-Identifier: Apache-2.0
// bloomery dedup: each key's record the first time it is seen, in the memory of a filter.
#include <memory>
#include <stdexcept>
#include <string>

#include "bloomery/text/human_number.h"
#include "cli/commands.h"
#include "cli/dedup/run_dedup.h"

namespace bloomery::cli {
namespace {

constexpr const char* kDedupExamples =
    R"(Prints records in the order they came, each ended by a newline (-0: a NUL byte), the last one too.
A false positive of the filter drops a new record: standard error tells how many may have been dropped.
--exact drops none: it reads files twice and keeps the keys that may repeat in memory. Without -n the
filter is sized for the records of the files; for a pipe it is one that grows.

A state belongs to one run at a time, is there from the start, and is saved every minute, at the end
and when the run is interrupted or terminated. A state in a server is read as a whole at the start, and
takes keys of several runs; a run does not see keys that others insert after it began.

Strangers who choose keys can make a filter drop new ones; --secret prevents that.

Examples:
  bloomery dedup keys.txt asked.txt >unique.txt
  seq 1000 | bloomery dedup -n 1000 -p 1e-9
  bloomery dedup --field 1 -d , table.csv
  bloomery dedup --normalise url keys.txt              URLs: http://A.com:80/x#top is http://a.com/x
  bloomery dedup --state seen.bloom -n 1M keys.txt     tomorrow drops what was printed today
  bloomery dedup --state bitmap:redis://127.0.0.1#seen -n 1M keys.txt
  bloomery dedup --exact keys.txt

Exit status: 0 some records were printed, 1 none was, 3 a larger share of the new records than -p
may have been dropped.)";

}  // namespace

void add_dedup(Command app, int& status) {
  const auto arguments = std::make_shared<DedupArguments>();
  const Command command =
      app.add_subcommand("dedup", "Print each key's record the first time it comes");
  command.add_option("INPUT", arguments->inputs,
                     "where records come from, one a line; standard input by default");
  add_capacity(command, arguments->filter.capacity)
      .description(
          "different records to size for; by default estimated from files, and as many as come "
          "from a pipe");
  add_rate(command, arguments->filter.rate)
      .description(
          "share of new records that may be dropped once -n have come; 1e-6 by default. With "
          "--exact, which drops none: the share that is kept in memory; 0.001 by default");
  const Option state =
      command
          .add_option(
              "--state",
              [arguments](const std::string& text) {
                arguments->state = parse_place_location(text);
              },
              "a filter's file, or a filter in a server (bitmap:redis://SERVER#KEY), that "
              "remembers what is printed from one run to the next; made, for 10M records or more "
              "without -n, if it does not exist")
          .type_name("FILE");
  command
      .add_flag("--exact", arguments->exact,
                "drop no new record; reads its files twice, and takes no pipe")
      .excludes(state);
  add_value(command, "--save-every", "TIME",
            "how often the state is saved during the run; 1m by default",
            [arguments](const std::string& text) {
              arguments->save_every_ms = parse_duration_ms(text);
              if (arguments->save_every_ms == 0) {
                throw std::invalid_argument("is 0; at least 1ms");
              }
            })
      .needs(state);
  add_patience(command, arguments->patience);
  add_new_filter_options(command, arguments->filter);
  add_record_options(command, arguments->source);
  add_form_options_to_ask(command, arguments->keys);
  add_threads(command, arguments->threads);
  command.add_flag("-q,--quiet", arguments->quiet,
                   "print no report, no progress and no warning of a full filter");
  add_json(command, arguments->json)
      .description("make the report on standard error one JSON object");
  command.everyday(std::array{"--capacity", "--rate", "--state", "--exact", "--field"});
  command.footer(kDedupExamples);
  command.callback([arguments, &status] { status = run_dedup(*arguments); });
}

}  // namespace bloomery::cli
