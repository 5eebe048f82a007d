// SPDX-License-Identifier: Apache-2.0
#include "cli/live_demo/live_report.h"

#include <fmt/format.h>

#include "bloomery/text/grouped.h"
#include "cli/demo/demo_report.h"
#include "cli/text_table.h"

namespace bloomery::cli {
namespace {

std::string milliseconds_text(std::chrono::microseconds time) {
  return fmt::format("{:.1f} ms", static_cast<double>(time.count()) / 1000);
}

std::vector<std::string> row_of(const std::string& name, const LiveTally& tally, bool is_fenced) {
  return {name,
          fmt::format("{:.1f} %", 100 * tally.saved()),
          grouped(tally.false_absents),
          fmt::format("{:.2f} %", 100 * tally.denied()),
          is_fenced ? milliseconds_text(tally.wait_p50) : "-",
          is_fenced ? milliseconds_text(tally.wait_p99) : "-"};
}

// The numbers below the table, as sentences.
std::string fenced_text(const LiveTally& tally) {
  return "Of " + grouped(tally.queries_without()) +
         " questions that would be queries without a filter, the database heard " +
         grouped(tally.counters.database_queries) + " queries and was asked " +
         grouped(tally.fence_questions) + " times how far it is. " + grouped(tally.committed) +
         " rows were asked for right after their COMMIT, " + grouped(tally.known) +
         " times older ones: each was found.";
}

std::string trusting_text(const LiveTally& tally) {
  return "Who trusts the filter alone, in the same moments, was told \"no such row\" of " +
         grouped(tally.false_absents) + " rows that were there; " + grouped(tally.committed) +
         " were asked for right after their COMMIT.";
}

Report::Value tally_json(const LiveTally& tally) {
  Report::Value json;
  json["committed"] = tally.committed;
  json["known"] = tally.known;
  json["flood"] = tally.flood;
  json["false_absents"] = tally.false_absents;
  json["failed"] = tally.failed;
  json["database_queries"] = tally.counters.database_queries;
  json["found"] = tally.counters.found;
  json["not_found"] = tally.counters.not_found;
  json["fence_questions"] = tally.fence_questions;
  json["saved_share"] = tally.saved();
  json["denied_share"] = tally.denied();
  json["wait_p50_microseconds"] = tally.wait_p50.count();
  json["wait_p99_microseconds"] = tally.wait_p99.count();
  return json;
}

}  // namespace

std::string event_text(double second, const std::string& what) {
  return fmt::format("{:8.1f} s  {}\n", second, what);
}

std::string live_result_text(const LiveResult& result, const Terminal& terminal) {
  TextTable table;
  table.add_row({"", "queries", "false", "absent ids", "fence", "fence"});
  table.add_row({"", "saved", "absents", "told absent", "p50", "p99"});
  table.add_row(row_of("behind the fence", result.fenced, true));
  table.add_row(row_of("without a fence", result.trusting, false));
  std::string text = "\n" + table.text(2) + "\n";
  if (result.fenced.false_absents > 0) {
    return text + wrapped("", "ROWS WERE DENIED BEHIND THE FENCE: this is a bug; please report it.",
                          terminal);
  }
  return text + wrapped("", fenced_text(result.fenced), terminal) + "\n" +
         wrapped("", trusting_text(result.trusting), terminal);
}

Report::Value live_result_json(const LiveResult& result) {
  Report::Value json;
  json["fenced"] = tally_json(result.fenced);
  json["without_fence"] = tally_json(result.trusting);
  return json;
}

}  // namespace bloomery::cli
