// SPDX-License-Identifier: Apache-2.0
// bloomery demo: a real database behind a cache, first without and then with a filter.
#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>

#include "bloomery/filter/blocked_filter.h"
#include "bloomery/place/memory_place.h"
#include "bloomery/source/sqlite_source.h"
#include "bloomery/source/text_source.h"
#include "bloomery/text/human_number.h"
#include "cli/commands.h"
#include "cli/demo/demo_report.h"
#include "cli/demo/key_sample.h"
#include "cli/demo/temporary_database.h"
#include "cli/demo/word_database.h"
#include "cli/demo/word_list.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/terminal_progress.h"

namespace bloomery::cli {
namespace {

constexpr const char* kDemoExamples =
    R"(Shows what cache penetration costs and what a filter saves. Without --db the database is made of
Debian's word list wamerican-huge and removed at the end. With --db your database is only read.

Examples:
  bloomery demo
  bloomery demo --requests 100K -p 0.001 --json
  bloomery demo --db shop.db --table users --column name)";

constexpr std::uint64_t kDefaultRequests = 300'000;
constexpr std::uint64_t kFewestRequests = 100;
constexpr std::size_t kPopularKeys = 100'000;

// How long the run without a filter may take, where the number of requests is not given.
constexpr double kPatienceSeconds = 5;

using Clock = std::chrono::steady_clock;

struct DemoArguments {
  std::string database;
  std::string table;
  std::string column;
  std::optional<double> rate;
  std::optional<std::uint64_t> requests;
  std::uint64_t seed = 1;
  bool json = false;
};

// A line on the terminal while something runs, wiped when it has.
class Task {
 public:
  Task(const std::string& label, std::optional<std::uint64_t> total)
      : progress_(terminal_progress(label, {total, std::nullopt})) {}
  ~Task() {
    if (progress_) progress_->clear();
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  void update(std::uint64_t count) {
    if (progress_) progress_->update(count);
  }
  std::chrono::duration<double> elapsed() const { return Clock::now() - start_; }

 private:
  std::optional<Progress> progress_;
  Clock::time_point start_ = Clock::now();
};

class Demo {
 public:
  explicit Demo(const DemoArguments& arguments) : arguments_(arguments) {}

  int run() {
    if (arguments_.database.empty()) {
      make_database();
      say(database_text(demo_, terminal_));
    } else {
      take_database();
    }
    load_filter();
    run_traffic_twice();
    if (arguments_.json) output_.write(json_line(demo_json(demo_)));
    output_.flush();
    return demo_.every_real_key_answered() ? kSome : kFault;
  }

 private:
  void say(const std::string& text) {
    if (arguments_.json) return;
    output_.write(text);
    output_.flush();
  }

  void take_database() {
    demo_.table = {.path = arguments_.database,
                   .table = arguments_.table,
                   .column = arguments_.column,
                   .value_column = arguments_.column};
    // If the column's collation takes several keys for one, the row found may be another's.
    demo_.traffic.is_value_of = [](Key, const std::string&) { return true; };
  }

  void make_database() {
    const WordList list = find_word_list();
    temporary_.emplace();
    TextSource words(InputFile::open(list.path), {});
    Task task("fill the database", list.word_count);
    demo_.table = fill_word_database(temporary_->path(), words, [&](std::uint64_t rows) {
      task.update(demo_.key_count = rows);
    });
    demo_.word_list = list.path;
    demo_.fill_time = task.elapsed();
    demo_.traffic.is_value_of = [](Key word, const std::string& value) {
      return value == reversed_word(word);
    };
  }

  void load_filter() {
    const DatabaseTable& table = demo_.table;
    SqliteSource source(table.path, {.table = table.table, .column = table.column, .query = {}},
                        {.busy_timeout_ms = table.busy_timeout_ms});
    const std::uint64_t expected = std::max<std::uint64_t>(1, source.expected_count().value_or(1));
    filter_.emplace(
        FilterOptions{.capacity = expected, .false_positive_rate = arguments_.rate.value_or(0.01)});
    KeySample sample(kPopularKeys, arguments_.seed);
    Task task("load the filter", expected);
    std::uint64_t loaded = 0;
    const SourceTotals totals = source.for_each_batch([&](const Batch& batch) {
      filter_->insert_many(batch.keys);
      for (const Key key : batch.keys) sample.add(key);
      task.update(loaded += batch.keys.size());
      return true;
    });
    demo_.load_time = task.elapsed();
    demo_.filter = filter_->parameters();
    demo_.key_count = totals.key_count;
    demo_.null_count = totals.null_count;
    demo_.predicted_rate = filter_->predicted_rate();
    real_keys_ = std::move(sample).take();
    require_keys();
  }

  void require_keys() const {
    if (!real_keys_.empty()) return;
    const std::string where = demo_.table.path + ": column " + demo_.table.column + " of table " +
                              demo_.table.table + " has no key";
    if (demo_.key_count > 0) {
      throw std::invalid_argument(where + " of at most " +
                                  std::to_string(KeySample::kMostKeyBytes) + " bytes");
    }
    throw std::invalid_argument(where + "; " + std::to_string(demo_.null_count) +
                                " rows, all NULL; at least one key is needed");
  }

  void run_traffic_twice() {
    const KeyTypes types = key_types_of(demo_.table);
    const StreamOptions options{.request_count = request_count(types),
                                .seed = arguments_.seed,
                                .integer_keys = types.only_integers()};
    const RequestStream stream(real_keys_, options);
    demo_.seed = arguments_.seed;
    demo_.absent_count = stream.absent_count();
    // A database that the user brings is described only once it is known to be right.
    if (!temporary_) say(database_text(demo_, terminal_));
    say(filter_text(demo_, terminal_) + traffic_text(demo_, options.request_count, terminal_));

    NoFilter none;
    MemoryPlace presence(std::move(*filter_));
    presence.ready();
    demo_.without = run_once("traffic without the filter", none, types, stream);
    demo_.with = run_once("traffic with the filter", presence, types, stream);
    say(result_text(demo_, terminal_));
    if (temporary_) run_scenes(presence, types);
    say(last_text(demo_, terminal_));
  }

  // Runs the scenes, which write into the database.
  void run_scenes(MemoryPlace<BlockedFilter>& presence, KeyTypes types) {
    {
      const Task task("insert rows, take the filter away", std::nullopt);
      demo_.live = run_live_scene(presence, demo_.table, types, real_keys_, demo_.filter);
    }
    say(live_text(*demo_.live, terminal_));
    {
      const Task task("a stampede", std::nullopt);
      demo_.stampede = run_stampede(demo_.table);
    }
    say(stampede_text(*demo_.stampede, terminal_));
  }

  TrafficResult run_once(const std::string& label, FilterPlace& filter, KeyTypes types,
                         const RequestStream& stream) {
    Task task(label, stream.requests().size());
    return run_traffic(filter, demo_.table, types, stream.requests(), demo_.traffic,
                       [&](std::uint64_t done) { task.update(done); });
  }

  // The number that the user asked for, or as many as a slow database allows.
  std::uint64_t request_count(KeyTypes types) {
    RowLookup lookup(demo_.table, types);
    demo_.scans_table = lookup.scans_table();
    if (arguments_.requests) return *arguments_.requests;
    // Absent keys, as most will be: without an index they cost the most.
    const RequestStream trial(
        real_keys_,
        {.request_count = 64, .seed = ~arguments_.seed, .integer_keys = types.only_integers()});
    constexpr std::chrono::duration<double> kLongestTrial(0.5);
    std::uint64_t trials = 0;
    std::chrono::duration<double> spent{};
    const auto start = Clock::now();
    for (const Request& request : trial.requests()) {
      if (request.is_real || spent > kLongestTrial) continue;
      lookup.find(request.key);
      spent = Clock::now() - start;
      ++trials;
    }
    const auto at_once = static_cast<double>(trials * demo_.traffic.thread_count);
    const double affordable = kPatienceSeconds * at_once / std::max(spent.count(), 1e-9);
    return static_cast<std::uint64_t>(std::clamp(affordable, static_cast<double>(kFewestRequests),
                                                 static_cast<double>(kDefaultRequests)));
  }

  const DemoArguments& arguments_;
  Output output_;
  const Terminal terminal_ = Terminal::of_standard_output();
  std::optional<TemporaryDatabase> temporary_;
  std::optional<BlockedFilter> filter_;
  std::vector<std::string> real_keys_;
  DemoResult demo_;
};

}  // namespace

void add_demo(Command app, int& status) {
  const auto arguments = std::make_shared<DemoArguments>();
  const Command command =
      app.add_subcommand("demo", "Guard a real database with a filter and see what it saves");
  const Option database =
      command.add_option("--db", arguments->database, "an SQLite file of yours; only read")
          .type_name("FILE");
  const Option table =
      command.add_option("--table", arguments->table, "the table with the keys").type_name("TABLE");
  const Option column =
      command.add_option("--column", arguments->column, "the column with the keys")
          .type_name("COLUMN");
  database.needs(table).needs(column);
  table.needs(database);
  column.needs(database);
  add_rate(command, arguments->rate)
      .description("false positive rate of the filter; 0.01 by default");
  add_value(command, "--requests", "COUNT",
            "requests in each run; 300K, or fewer to a slow database",
            [arguments](const std::string& text) {
              arguments->requests = parse_count(text);
              if (*arguments->requests < kFewestRequests) {
                throw std::invalid_argument("is " + text + "; at least " +
                                            std::to_string(kFewestRequests));
              }
            });
  add_value(command, "--seed", "N", "of the traffic; 1 by default",
            [arguments](const std::string& text) { arguments->seed = parse_seed(text); });
  add_json(command, arguments->json);
  command.footer(kDemoExamples);
  command.callback([arguments, &status] { status = Demo(*arguments).run(); });
}

}  // namespace bloomery::cli
