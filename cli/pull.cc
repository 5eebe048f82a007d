// SPDX-License-Identifier: Apache-2.0
// bloomery pull: a filter in a server becomes a file here, and stays in step.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include "bloomery/place/call_context.h"
#include "bloomery/text/human_number.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/ending_signals.h"
#include "cli/filter_report.h"
#include "cli/messages.h"
#include "cli/pulled_file.h"
#include "cli/report.h"

namespace bloomery::cli {
namespace {

constexpr const char* kPullExamples =
    R"(Reads a filter of ours in a server into FILE, with its identity and its watermark. The new file is
written beside FILE and takes the name in one step: readers have the old filter or the new one, whole,
and programs that have FILE open as a filter go on with the new one.

With --every, pull stays, and brings FILE up to what came: it reads the hashes of new keys, and the
whole filter only where their chain is broken (docs/redis.md, "A copy in this process"). Whatever fails
is told and tried again, and FILE stays what it was. Keys that are inserted into FILE itself are lost
with its next version.

With --in-place pull writes FILE once, and what comes goes into FILE itself, however large it is:
programs that have opened it since see it, with its watermark. FILE is live meanwhile: bloomery and programs
that use the library read it, other programs and copies of it (cp, rsync) do not. It is made whole when
the last who has it open ends. Only blocked and classic filters can be changed so.

If FILE is there already and is of the same filter, pull goes on from it: it reads what came since, or, if
the server does not have all of that any more, the whole filter. copy:LOCATION begins from FILE in the same
way, with from=FILE.

FILE knows what the server's filter knew when it was read. Where "absent" must hold for rows that came
since, ask behind a fence: bloomery check FILE --behind SOURCE.

Examples:
  bloomery pull 'bitmap:redis://127.0.0.1#users' users.bloom
  bloomery pull 'bloom:redis://127.0.0.1#users' users.bloom --every 1s
  bloomery pull 'bitmap:redis://127.0.0.1#users' users.bloom --every 100ms --in-place

Exit status: 0 FILE is there, and pull --every was stopped (INT, TERM, HUP); 2 it cannot begin.)";

// Many programs lose their chain at once, and read the whole filter one after the other.
constexpr std::chrono::milliseconds kLongestTurn{1000};
constexpr int kMostBeginnings = 5;

void print_pulled(const PullArguments& arguments, const PulledFile& pulled) {
  Report report;
  report.add("from", arguments.from.text());
  report.add("file", arguments.to.text());
  add_parameters(report, pulled.contents());
  add_state(report, pulled.filter());
  print_done(report, arguments.json);
}

// Reads and writes in a thread of its own, so that a signal ends it at once.
class Keeper {
 public:
  Keeper(PulledFile& pulled, std::chrono::milliseconds every)
      : pulled_(pulled),
        every_(every),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}

  bool is_over() const noexcept { return is_over_; }

 private:
  // Tells why a pull fails, once for each reason in turn.
  void run(const std::stop_token& stop) {
    const CallContext context{.stop = stop};
    std::minstd_rand random(std::random_device{}());
    std::string told;
    bool has_chain = true;
    auto pause = every_;
    while (wait(pause, stop)) {
      pause = every_;
      try {
        if (has_chain && !pulled_.go_on(context)) {
          has_chain = false;
          pause = std::chrono::milliseconds(random() % kLongestTurn.count());
          continue;
        }
        if (!has_chain) pulled_.read_whole(context);
        has_chain = true;
        told.clear();
      } catch (const std::exception& error) {
        if (!stop.stop_requested() && told != error.what()) complain(told = error.what());
      }
    }
    is_over_ = true;
  }
  bool wait(std::chrono::milliseconds pause, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    over_.wait_for(lock, stop, pause, [] { return false; });
    return !stop.stop_requested();
  }

  PulledFile& pulled_;
  const std::chrono::milliseconds every_;
  std::mutex mutex_{};
  std::condition_variable_any over_{};
  std::atomic<bool> is_over_ = false;
  std::jthread thread_;  // the last: it uses all of these
};

// A file that another pull wrote meanwhile is gone on from: it may be newer.
void begin(PulledFile& pulled) {
  for (int attempt = 1;; ++attempt) {
    try {
      if (!pulled.go_on_with_file({})) pulled.read_whole({});
      return;
    } catch (const ChangedError&) {
      if (attempt == kMostBeginnings) throw;
    }
  }
}

int pull(const PullArguments& arguments) {
  arguments.to.need_own_file("pull writes a file of our own");
  PulledFile pulled(arguments);
  begin(pulled);
  print_pulled(arguments, pulled);
  if (!arguments.every_ms) return kSome;
  const EndingSignals signals;  // before any thread begins
  const Keeper keeper(pulled, std::chrono::milliseconds(*arguments.every_ms));
  while (!keeper.is_over() && !signals.wait(std::chrono::milliseconds(1000))) {
  }
  return kSome;
}

}  // namespace

void add_pull(Command app, int& status) {
  const auto arguments = std::make_shared<PullArguments>();
  const Command command =
      app.add_subcommand("pull", "Read a filter in a server into a file, and keep it in step");
  add_filter(command, "LOCATION", "the filter in a server: bitmap:redis://... or bloom:redis://...",
             arguments->from)
      .required();
  add_filter(command, "FILE", "the file, of our own, that it is written to", arguments->to)
      .required();
  command
      .add_option(
          "--every",
          [arguments](const std::string& text) {
            arguments->every_ms = parse_duration_ms(text);
            if (*arguments->every_ms >= 10 && *arguments->every_ms <= 86'400'000) return;
            throw std::invalid_argument("--every " + text + ": allowed: 10ms to 1d");
          },
          "stay, and bring FILE up to what came each time that so much has passed, such as 1s")
      .type_name("TIME");
  command.add_flag("--in-place", arguments->in_place,
                   "bring what comes into FILE itself, where programs have it open");
  command.add_flag("--replace", arguments->replace,
                   "also where FILE is another filter than the one in the server");
  add_json(command, arguments->json);
  command.everyday(std::array{"--every", "--in-place", "--replace"});
  command.footer(kPullExamples);
  command.callback([arguments, &status] { status = pull(*arguments); });
}

}  // namespace bloomery::cli
