// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/demo_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "bloomery/text/grouped.h"
#include "bloomery/text/human_bytes.h"
#include "cli/bar_chart.h"
#include "cli/demo/next_commands.h"
#include "cli/text_table.h"

namespace bloomery::cli {
namespace {

std::string seconds_text(std::chrono::duration<double> time) {
  return fmt::format("{:.2f} s", time.count());
}

std::string percent(double share) {
  return fmt::format("{:.3g} %", 100 * share);
}

std::string file_bytes(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  return error ? "" : human_bytes(static_cast<double>(bytes));
}

std::string table_of_results(const DemoResult& demo) {
  const TrafficResult& without = demo.without;
  const TrafficResult& with = demo.with;
  const auto rate = [](const TrafficResult& run) {
    return grouped(static_cast<std::uint64_t>(run.requests_per_second()));
  };
  const auto cached = [](const TrafficResult& run) {
    return grouped(run.counters.cache_hits + run.counters.negative_hits);
  };
  TextTable table;
  table.add_row({"", "without filter", "with filter"});
  table.add_row({"requests", grouped(without.request_count), grouped(with.request_count)});
  table.add_row({"answered by the filter", "-", grouped(with.counters.filter_absents)});
  table.add_row({"answered by the cache", cached(without), cached(with)});
  table.add_row({"database queries", grouped(without.counters.database_queries),
                 grouped(with.counters.database_queries)});
  table.add_row(
      {"  for absent keys", grouped(without.absent_queries), grouped(with.absent_queries)});
  table.add_row({"requests a second", rate(without), rate(with)});
  table.add_row({"filter bytes", "-", grouped(demo.filter.geometry.bit_count / 8)});
  table.add_row({"false positive rate, promised", "-", percent(demo.filter.false_positive_rate)});
  table.add_row({"false positive rate, measured", "-", percent(demo.measured_rate())});
  const Interval interval = demo.measured_interval();
  table.add_row({"  95 % interval", "-",
                 fmt::format("{:.3g} to {:.3g} %", 100 * interval.low, 100 * interval.high)});
  return table.text(2);
}

std::string charts(const DemoResult& demo, const Terminal& terminal) {
  const auto chart = [&](const char* title, auto value_of) {
    const auto bar = [&](const char* label, const TrafficResult& run, Color color) {
      const auto value = static_cast<double>(value_of(run));
      return Bar{label, value, grouped(static_cast<std::uint64_t>(value)), color};
    };
    return colored(title, Color::bold, terminal) + '\n' +
           bar_chart(
               {bar("without", demo.without, Color::red), bar("with", demo.with, Color::green)},
               terminal);
  };
  return chart("Database queries",
               [](const TrafficResult& run) { return run.counters.database_queries; }) +
         chart("Requests a second",
               [](const TrafficResult& run) { return run.requests_per_second(); });
}

std::string what_happened(const DemoResult& demo) {
  const double gain = demo.with.requests_per_second() / demo.without.requests_per_second();
  const std::string speed =
      gain >= 1 ? fmt::format("was answered {:.1f} times as fast", gain)
                : fmt::format("took {:.1f} times as long, for such cheap queries", 1 / gain);
  return "Without the filter each of the " + grouped(demo.absent_count) +
         " keys that do not exist cost a database query; with it " +
         grouped(demo.with.absent_queries) + " did, and the same traffic " + speed + ".";
}

std::string answered_line(const DemoResult& demo) {
  std::string line = "Every real key was answered: ";
  if (!demo.every_real_key_answered()) {
    return line + "NO: " + grouped(demo.without.denied_count) + " were not without the filter, " +
           grouped(demo.with.denied_count) + " with it. This is a bug; please report it.";
  }
  line += "yes, all " + grouped(demo.real_count()) + " requests for one, in both runs";
  const std::uint64_t gone = std::max(demo.without.gone_count, demo.with.gone_count);
  return gone == 0 ? line + "." : line + " (" + grouped(gone) + " for rows deleted meanwhile).";
}

std::string denied_line(const LiveScene& live) {
  if (live.denied_count == 0) return "All were found.";
  return "NOT FOUND: " + grouped(live.denied_count) + ". This is a bug; please report it.";
}

Report::Value part_json(const LivePart& part) {
  return {{"absent_request_count", part.absent_count},
          {"absent_database_queries", part.absent_queries}};
}

Report::Value live_json(const LiveScene& live) {
  return {{"inserted_count", live.inserted_count}, {"real_request_count", live.asked_count},
          {"denied_count", live.denied_count},     {"rebuild_seconds", live.rebuild_time.count()},
          {"with_filter", part_json(live.before)}, {"filter_away", part_json(live.away)},
          {"filter_back", part_json(live.after)}};
}

Report::Value stampede_json(const Stampede& stampede) {
  const auto run = [](const StampedeRun& of) -> Report::Value {
    return {{"database_queries", of.queries}, {"seconds", of.elapsed.count()}};
  };
  return {{"thread_count", stampede.thread_count},
          {"cache_alone", run(stampede.cache_alone)},
          {"single_flight", run(stampede.single_flight)}};
}

Report::Value run_json(const TrafficResult& run) {
  Report::Value json;
  json["request_count"] = run.request_count;
  json["seconds"] = run.elapsed.count();
  json["requests_per_second"] = run.requests_per_second();
  json["filter_absents"] = run.counters.filter_absents;
  json["cache_hits"] = run.counters.cache_hits;
  json["negative_hits"] = run.counters.negative_hits;
  json["found"] = run.counters.found;
  json["not_found"] = run.counters.not_found;
  json["coalesced"] = run.counters.coalesced;
  json["database_queries"] = run.counters.database_queries;
  json["absent_database_queries"] = run.absent_queries;
  json["denied_count"] = run.denied_count;
  json["gone_count"] = run.gone_count;
  return json;
}

}  // namespace

std::string database_text(const DemoResult& demo, const Terminal& terminal) {
  const std::string size = file_bytes(demo.table.path);
  if (demo.word_list.empty()) {
    return titled("Database",
                  demo.table.path + " (" + size + "), table " + demo.table.table + ", column " +
                      demo.table.column + ". It is only read.",
                  terminal);
  }
  return titled("Database",
                grouped(demo.key_count) + " words of " + demo.word_list +
                    ", a row each in an SQLite file of " + size + ", made in " +
                    seconds_text(demo.fill_time) + ".",
                terminal);
}

std::string filter_text(const DemoResult& demo, const Terminal& terminal) {
  const std::uint64_t bytes = demo.filter.geometry.bit_count / 8;
  std::string text =
      "All " + grouped(demo.key_count) + " keys loaded in " + seconds_text(demo.load_time) +
      " into " + human_bytes(static_cast<double>(bytes)) +
      fmt::format(": {:.1f} bits a key.", static_cast<double>(demo.filter.geometry.bit_count) /
                                              static_cast<double>(demo.filter.capacity));
  if (demo.null_count > 0) text += " " + grouped(demo.null_count) + " rows have no key (NULL).";
  return titled("Filter", text, terminal);
}

std::string traffic_text(const DemoResult& demo, std::uint64_t request_count,
                         const Terminal& terminal) {
  std::string text =
      grouped(request_count) + " requests, twice, by " + std::to_string(demo.traffic.thread_count) +
      " threads through a cache of " + grouped(demo.traffic.cache_capacity) +
      " entries. One in five asks for a key of the table, some far more often than others; the "
      "rest is a flood of keys that do not exist, all different.\n";
  if (demo.scans_table) text += "The column has no index: a query reads the whole table.\n";
  text +=
      "Every query really runs in SQLite, in this process, on one connection a thread; nothing "
      "is delayed or simulated. Behind a network a query takes far longer than here, and each one "
      "saved is worth more.";
  return titled("Traffic", text, terminal);
}

std::string result_text(const DemoResult& demo, const Terminal& terminal) {
  return '\n' + table_of_results(demo) + '\n' + charts(demo, terminal) + '\n' +
         wrapped("", what_happened(demo), terminal) + wrapped("", answered_line(demo), terminal) +
         '\n';
}

std::string live_text(const LiveScene& live, const Terminal& terminal) {
  const auto bar = [](const char* label, const LivePart& part, Color color) {
    return Bar{label, part.share(), percent(part.share()), color};
  };
  return titled("Inserts",
                grouped(live.inserted_count) +
                    " rows were inserted while others asked, each announced to the guard and asked "
                    "for as soon as it was committed. " +
                    denied_line(live),
                terminal) +
         titled("No filter",
                "In the middle of this the filter was taken away. A guard without a filter sends "
                "every request to the database. Another filter was made of the table in " +
                    seconds_text(live.rebuild_time) +
                    ", beside the inserts. Of the requests for keys that do not exist, the "
                    "database got:",
                terminal) +
         bar_chart({bar("before", live.before, Color::green), bar("away", live.away, Color::red),
                    bar("back", live.after, Color::green)},
                   terminal) +
         '\n';
}

std::string stampede_text(const Stampede& stampede, const Terminal& terminal) {
  const auto bar = [](const char* label, const StampedeRun& run, Color color) {
    const std::string queries = run.queries == 1 ? " query, " : " queries, ";
    return Bar{label, static_cast<double>(run.queries),
               grouped(run.queries) + queries + seconds_text(run.elapsed), color};
  };
  return titled("Stampede",
                std::to_string(stampede.thread_count) +
                    " threads ask at once for one key that is not there, where no filter stands "
                    "before the cache and a query reads the whole table:",
                terminal) +
         bar_chart({bar("cache alone", stampede.cache_alone, Color::red),
                    bar("and one query a key", stampede.single_flight, Color::green)},
                   terminal) +
         '\n';
}

std::string last_text(const DemoResult& demo, const Terminal& terminal) {
  std::string text;
  if (demo.live && demo.stampede) {
    text = wrapped("",
                   "In short: the filter keeps away what does not exist, single flight all but one "
                   "of those who ask for the same, and without a filter the guard is slower, "
                   "never wrong.",
                   terminal) +
           '\n';
  }
  return text + colored("Try next", Color::bold, terminal) + '\n' + next_commands(demo);
}

Report::Value demo_json(const DemoResult& demo) {
  Report::Value json;
  Report::Value& database = json["database"];
  if (!demo.word_list.empty()) {
    database["word_list"] = demo.word_list;
    database["seconds"] = demo.fill_time.count();
  } else {
    database["path"] = demo.table.path;
  }
  database["table"] = demo.table.table;
  database["column"] = demo.table.column;
  database["key_count"] = demo.key_count;
  database["null_count"] = demo.null_count;
  Report::Value& filter = json["filter"];
  filter["capacity"] = demo.filter.capacity;
  filter["false_positive_rate"] = demo.filter.false_positive_rate;
  filter["bit_count"] = demo.filter.geometry.bit_count;
  filter["byte_count"] = demo.filter.geometry.bit_count / 8;
  filter["probe_count"] = demo.filter.geometry.probe_count;
  filter["predicted_rate"] = demo.predicted_rate;
  filter["seconds"] = demo.load_time.count();
  json["seed"] = demo.seed;
  json["thread_count"] = demo.traffic.thread_count;
  json["cache_capacity"] = demo.traffic.cache_capacity;
  json["request_count"] = demo.with.request_count;
  json["real_request_count"] = demo.real_count();
  json["absent_request_count"] = demo.absent_count;
  json["without_filter"] = run_json(demo.without);
  json["with_filter"] = run_json(demo.with);
  const Interval interval = demo.measured_interval();
  json["measured_rate"] = demo.measured_rate();
  json["measured_rate_low"] = interval.low;
  json["measured_rate_high"] = interval.high;
  if (demo.live) json["inserts"] = live_json(*demo.live);
  if (demo.stampede) json["stampede"] = stampede_json(*demo.stampede);
  json["every_real_key_answered"] = demo.every_real_key_answered();
  return json;
}

}  // namespace bloomery::cli
