// SPDX-License-Identifier: Apache-2.0
// bloomery pull: a filter in a server becomes a file here, and stays in step.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/open/open_place.h"
#include "bloomery/place/apply_hashes.h"
#include "bloomery/place/catch_up.h"
#include "bloomery/place/delta_source.h"
#include "bloomery/store/native_file.h"
#include "bloomery/text/human_number.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/ending_signals.h"
#include "cli/filter_report.h"
#include "cli/messages.h"
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

If FILE is there already and is of the same filter, pull goes on from it: it reads what came since, or, if
the server does not have all of that any more, the whole filter. copy:LOCATION begins from FILE in the same
way, with from=FILE.

FILE knows what the server's filter knew when it was read. Where "absent" must hold for rows that came
since, ask behind a fence: bloomery check FILE --behind SOURCE.

Examples:
  bloomery pull 'bitmap:redis://127.0.0.1#users' users.bloom
  bloomery pull 'bloom:redis://127.0.0.1#users' users.bloom --every 1s

Exit status: 0 FILE is there, or pull was stopped (INT, TERM, HUP); 2 it cannot begin.)";

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
// Many programs lose their chain at once, and read the whole filter one after the other.
constexpr std::chrono::milliseconds kLongestTurn{1000};

struct PullArguments {
  PlaceLocation from;
  PlaceLocation to;
  std::optional<std::uint64_t> every_ms{};
  bool replace = false;
  bool json = false;
};

// The filter here, and where it stands among all that came into the one in the server.
class Pulled {
 public:
  explicit Pulled(const PullArguments& arguments)
      : arguments_(arguments), source_(open_deltas(arguments.from)) {
    if (source_ != nullptr) return;
    throw std::invalid_argument(arguments.from.text() +
                                ": no filter of ours in a server (bitmap: and bloom: are); "
                                "bloomery convert copies it once");
  }

  // Goes on from FILE, if an earlier pull left it and the server has all that came since. Returns
  // whether it did; not if FILE is damaged or anything else.
  bool go_on_with_file(const CallContext& context) {
    if (!is_taken(arguments_.to)) return false;
    CaughtUp caught;
    try {
      caught = catch_up(*source_, load_pulled(arguments_.to.file.path, kMostBytes), context);
    } catch (const StoreError&) {
      return false;
    } catch (const FormatError&) {
      return false;
    }
    if (!caught.whole) return false;
    written_ = caught.whole->identity;
    take(std::move(*caught.whole));
    added_ = caught.added;
    write();
    return true;
  }
  // Reads the whole filter and writes it. Throws StoreError where FILE is another filter's, and
  // may not be replaced.
  void read_whole(const CallContext& context) {
    if (written_) require_replaceable();
    take(source_->read_whole(kMostBytes, context));
    write();
  }
  // Takes over what came, and writes it if anything did. False: there is no chain that leads there.
  bool go_on(const CallContext& context) {
    for (bool is_last = false; !is_last;) {
      const auto delta = source_->since(position_, std::chrono::milliseconds(1), context);
      if (!delta || (delta->is_last && delta->identity != identity_)) return false;
      added_ += apply_hashes(*filter_, delta->hashes);
      position_ = delta->position;
      is_last = delta->is_last;
      const bool is_further = is_last && delta->reached != reached_;
      if (is_last) reached_ = delta->reached;
      is_written_ = is_written_ && delta->hashes.empty() && !is_further;
    }
    if (!is_written_) write();
    return true;
  }

  const AnyFilter& filter() const noexcept { return *filter_; }
  FilterContents contents() const {
    FilterContents contents = std::as_const(*filter_).contents();
    contents.inserted += added_;
    if (!contents.layers.empty()) contents.layers.back().inserted += added_;
    return contents;
  }

 private:
  void take(DeltaSource::Whole whole) {
    filter_.emplace(std::move(whole.filter));
    identity_ = whole.identity;
    reached_ = whole.reached;
    beat_ = whole.beat;
    position_ = whole.position;
    added_ = 0;
  }
  void require_replaceable() const {
    if (!is_taken(arguments_.to)) return;
    const std::string& file = arguments_.to.text();
    if (!is_native(arguments_.to.file.path)) {
      throw StoreError(file + ": no filter of ours, and left alone");
    }
    if (arguments_.replace) return;
    if ((written_ || identity_.is_set()) &&
        inspect(arguments_.to.file.path).notes.identity == written_.value_or(identity_)) {
      return;
    }
    throw StoreError(file + ": already exists, and is another filter; --replace puts " +
                     arguments_.from.text() + " in its place");
  }
  // Somebody may have put another file where this one was written before.
  void write() {
    is_written_ = false;
    require_replaceable();
    SaveOptions options;
    options.notes.identity = identity_;
    options.notes.beat = ++beat_;
    if (reached_) {
      options.notes.source = reached_->source;
      options.notes.watermark = reached_->position;
    }
    options.chain = source_->chain_at(position_);
    if (options.chain.size() > kMaxChainBytes) options.chain.clear();
    bloomery::save(contents(), arguments_.to.file.path, options);
    written_ = identity_;
    is_written_ = true;
  }

  const PullArguments& arguments_;
  const std::shared_ptr<DeltaSource> source_;
  std::optional<AnyFilter> filter_{};
  Identity identity_{};
  std::optional<Watermark> reached_{};
  std::uint64_t beat_ = 0;
  DeltaPosition position_{};
  std::uint64_t added_ = 0;            // keys that came since it was read
  std::optional<Identity> written_{};  // of the file that was written last
  bool is_written_ = false;
};

void print_pulled(const PullArguments& arguments, const Pulled& pulled) {
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
  Keeper(Pulled& pulled, std::chrono::milliseconds every)
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

  Pulled& pulled_;
  const std::chrono::milliseconds every_;
  std::mutex mutex_{};
  std::condition_variable_any over_{};
  std::atomic<bool> is_over_ = false;
  std::jthread thread_;  // the last: it uses all of these
};

int pull(const PullArguments& arguments) {
  arguments.to.need_own_file("pull writes a file of our own");
  Pulled pulled(arguments);
  if (!pulled.go_on_with_file({})) pulled.read_whole({});
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
  command.add_flag("--replace", arguments->replace,
                   "also where FILE is another filter than the one in the server");
  add_json(command, arguments->json);
  command.everyday(std::array{"--every", "--replace"});
  command.footer(kPullExamples);
  command.callback([arguments, &status] { status = pull(*arguments); });
}

}  // namespace bloomery::cli
