// SPDX-License-Identifier: Apache-2.0
#include "cli/follow/run_follower.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/follow/followed_place.h"
#include "bloomery/open/open_place.h"
#include "bloomery/place/call_context.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/source/open_changes.h"
#include "bloomery/source/open_source.h"
#include "bloomery/store/writer_lock.h"
#include "bloomery/text/key_form.h"
#include "bloomery/text/printable.h"
#include "cli/ending_signals.h"
#include "cli/exit_status.h"
#include "cli/follow/fence_answer.h"
#include "cli/follow/file_follower.h"
#include "cli/follow/status_server.h"
#include "cli/follow/status_text.h"
#include "cli/messages.h"
#include "cli/read_keys.h"

namespace bloomery::cli {
namespace {

// SIGUSR1 asks for a rebuild. One that comes before anybody waits for it is kept here, and one that
// comes when nobody waits any more does no harm.
volatile sig_atomic_t g_is_rebuild_asked = 0;

void keep_rebuild_signal() {
  struct sigaction action {};
  action.sa_handler = [](int) { g_is_rebuild_asked = 1; };
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
}

// Gives a new filter the hash of the old one, unless the arguments choose one. Of a secret hash it
// takes only that it is secret: the new filter has a secret of its own.
void keep_hash(NewFilter& wanted, const NativeHash& hash) {
  if (wanted.hash || wanted.secret || wanted.seed != 0) return;
  wanted.secret = hash.id() == HashId::secret;
  if (!wanted.secret) wanted.hash = hash.id();
  wanted.seed = hash.seed();
}

// A filter that exists decides what the arguments leave open.
KeyForm settle_filter(FollowArguments& arguments) {
  NewFilter& wanted = arguments.filter;
  const PlaceLocation& to = *arguments.to;
  KeyForm form = form_of_new(arguments.keys, to);
  if (arguments.needs_filter && !is_taken(to)) {
    throw std::invalid_argument(to.text() +
                                ": no filter is there that could be built again; bloomery follow "
                                "makes one");
  }
  if (const auto there = head_to_follow(to)) {
    const PlaceHead& head = *there;
    if (says_keys(to)) {
      form = form_for(arguments.keys, to, head);
      // One that nobody has followed is filled anew, with keys of this form.
      if (!form.is_known() && !head.watermark) form = form_of_new(arguments.keys, to);
      require_known(form, to);
    }
    const bool keeps_form = !to.is_foreign() || (to.has_trailer && head.identity.is_set());
    if (says_keys(to) && keeps_form && head.parameters.keys.is_known() &&
        form != head.parameters.keys) {
      throw std::invalid_argument(to.text() + ": its keys are written as " +
                                  form_text(head.parameters.keys) + ", not as " + form_text(form) +
                                  "; a filter is followed in one form: bloomery destroy it first");
    }
    if (!wanted.rate && head.parameters.false_positive_rate > 0) {
      wanted.rate = head.parameters.false_positive_rate;
    }
    const bool is_ours = !is_foreign(head.parameters.kind);
    if (is_ours && !to.dialect) keep_hash(wanted, head.parameters.hash);
    if (!wanted.kind && is_ours) wanted.kind = head.parameters.kind;
  }
  if (!wanted.rate) wanted.rate = 0.01;
  wanted.keys = form;
  return form;
}

FilterMaker maker_of(const FollowArguments& arguments) {
  return [&arguments](const FilterOptions& options) {
    NewFilter wanted = arguments.filter;
    wanted.capacity = options.capacity;
    return empty_filter(wanted, *arguments.to);
  };
}

// A server that may come, or has not read its data yet.
bool is_away(const StoreError& error) {
  if (dynamic_cast<const redis::ConnectionError*>(&error) != nullptr) return true;
  using enum redis::Refusal;
  const auto* const refused = dynamic_cast<const redis::RefusedError*>(&error);
  if (refused == nullptr) return false;
  return std::ranges::count(std::array{loading, master_down, cluster_down, try_again, busy},
                            refused->refusal) > 0;
}

struct Followed {
  std::unique_ptr<ChangeSource> source;
  std::unique_ptr<FollowedPlace> place;
};

Followed open_followed(FollowArguments& arguments) {
  const KeyForm form = settle_filter(arguments);
  arguments.changes.keys = with_form(arguments.changes.keys, form);
  arguments.follower.filter.capacity = arguments.filter.capacity.value_or(0);
  Followed opened{.source = open_change_source(arguments.from, arguments.changes), .place = {}};
  opened.place = std::make_unique<FollowedPlace>(*arguments.to, maker_of(arguments));
  return opened;
}

// Waits for a server that is away, as a follower does later, until a signal ends that.
std::optional<Followed> wait_for_followed(FollowArguments& arguments) {
  using namespace std::chrono_literals;
  constexpr std::chrono::milliseconds kLongestPause = 10s;
  const NewFilter asked_for = arguments.filter;
  std::optional<EndingSignals> signals;  // once it waits
  for (std::chrono::milliseconds pause = 100ms;; pause = std::min(2 * pause, kLongestPause)) {
    try {
      return open_followed(arguments);
    } catch (const StoreError& error) {
      if (arguments.once || !is_away(error)) throw;
      if (!signals) signals.emplace();
      complain(std::string(error.what()) + "; it is tried again");
    }
    arguments.filter = asked_for;
    if (signals->wait(pause)) return std::nullopt;
  }
}

// Tells how it goes until it ends, by itself or by a signal: which one.
std::optional<int> watch(const FollowArguments& arguments, Follower& follower,
                         const EndingSignals& signals, std::jthread& thread,
                         const std::atomic<bool>& is_over) {
  using std::chrono::milliseconds;
  constexpr milliseconds kTick{50};
  const milliseconds every(static_cast<std::int64_t>(arguments.every_seconds * 1000));
  auto next = Follower::Clock::now() + every;
  std::uint64_t carried = 0;
  std::uint64_t failures = 0;
  auto told = Follower::Clock::now();
  std::optional<int> signal;
  bool has_told_full = false;
  auto tell_why_anew = [&, anew = std::uint64_t{0}](const FollowerStatus& status) mutable {
    if (std::exchange(anew, status.anew) == status.anew) return;
    complain(arguments.to->text() +
             ": the table is read again: " + without_controls(status.scan_reason));
  };
  while (!is_over) {
    if (const auto came = signals.wait(std::min(kTick, every))) {
      if (*came == SIGUSR1) {
        complain(arguments.to->text() + ": it is built again, as USR1 asks");
        follower.rebuild();
      } else {
        signal = came;
        thread.request_stop();
      }
    }
    const FollowerStatus status = follower.status();
    const auto now = Follower::Clock::now();
    if (is_full_for_good(status) && !std::exchange(has_told_full, true)) {
      complain(arguments.to->text() + ": the filter is full: its settings make it for " +
               std::to_string(status.capacity) + " keys, and the table has about " +
               std::to_string(status.key_count) +
               ". It is followed all the same; more and more keys seem to be there that are not. "
               "Give it more bits, or a filter that grows (bitmap:, bloom:)");
    }
    tell_why_anew(status);
    // The first failure of a row of them is told at once.
    if (now < next && (failures > 0 || status.failures == failures)) continue;
    const double seconds = std::chrono::duration<double>(now - told).count();
    complain(status_line(status, static_cast<double>(status.carried - carried) / seconds));
    carried = status.carried;
    failures = now < next ? status.failures : 0;
    if (now >= next && status.state != FollowerStatus::State::failing) failures = 0;
    told = now;
    next = now + every;
  }
  tell_why_anew(follower.status());
  return signal;
}

// Warns of nothing if the database is away now: the follower says so.
void warn_of_unequal_bytes_in(const std::string& location) {
  try {
    warn_of_unequal_bytes(*open_source(location, {}));
  } catch (const std::exception&) {
  }
}

// Says what a place cannot promise that says nowhere how far it is.
void judge_watermark_of(const FollowedPlace& place, const FollowArguments& arguments) {
  if (!place.has_watermark()) {
    complain(place.name() +
             " says nowhere how far it is, so that no fence is ever reached: \"absent\" may be "
             "said of rows that were committed a moment ago; bitmap: and bloom: can do better");
  }
  if (arguments.follower.audit_one_in != 0 && (arguments.once || !place.has_watermark())) {
    throw std::invalid_argument(
        arguments.once ? "--audit asks while it follows, which --once does not"
                       : place.name() + ": --audit takes a filter that says how far it is");
  }
}

// Gives the signal that ended it, where that came too early.
std::optional<int> follow_until_ended(FollowArguments& arguments) {
  if (arguments.removes) {
    const std::string stays = remove_changes(arguments.from, arguments.changes);
    if (!stays.empty()) complain(stays);
    return std::nullopt;
  }
  if (!arguments.to) {
    throw std::invalid_argument("where the filter is to be is not said; or is it --remove?");
  }
  FollowedPlace::require_followable(*arguments.to);
  keep_rebuild_signal();
  const auto followed = wait_for_followed(arguments);
  if (!followed) return std::nullopt;
  FollowedPlace& place = *followed->place;
  warn_of_unequal_bytes_in(arguments.from);
  judge_watermark_of(place, arguments);
  arguments.follower.entries = arguments.cache.get();
  Follower follower(*followed->source, place, arguments.follower);

  const EndingSignals signals({SIGUSR1});  // before any thread begins
  if (arguments.rebuilds || g_is_rebuild_asked != 0) follower.rebuild();
  FenceAnswer fence([&arguments] { return open_fence(arguments.from, arguments.changes); });
  std::optional<StatusServer> server;
  if (!arguments.metrics.empty()) {
    server.emplace(arguments.metrics, [&](std::string_view path) {
      if (path == "/fence") return fence.answer(follower.status().watermark);
      return answer_status(path, follower.status(),
                           std::chrono::duration<double>(arguments.healthy_seconds));
    });
    complain("status at http://" + server->address() + "/metrics");
  }
  std::exception_ptr fault;
  std::atomic<bool> is_over = false;
  bool is_unfinished = false;
  std::jthread thread([&](std::stop_token stop) {
    try {
      if (arguments.once) {
        follower.run_once(stop, *open_fence(arguments.from, arguments.changes));
      } else {
        follower.run(stop);
      }
    } catch (const CallAborted&) {
      if (!stop.stop_requested()) fault = std::current_exception();
      is_unfinished = true;
    } catch (...) {
      fault = std::current_exception();
    }
    is_over = true;
  });
  const std::optional<int> signal = watch(arguments, follower, signals, thread, is_over);
  thread.join();
  if (fault) std::rethrow_exception(fault);
  if (is_unfinished) {
    complain(place.name() + ": stopped before the filter had what was there");
    return signal;
  }
  complain(status_line(follower.status(), 0));
  return std::nullopt;
}

}  // namespace

Option add_followed(Command command, FollowArguments& arguments) {
  command
      .add_option("SOURCE", arguments.from,
                  "the table and its column: sqlite:FILE?table=TABLE&column=COLUMN, or "
                  "postgres://[USER[:PASSWORD]@][HOST[:PORT]]/DATABASE?table=TABLE&column=COLUMN, "
                  "or mariadb:// or mysql:// in place of postgres://")
      .required();
  const Option location = command.add_option(
      "LOCATION",
      [&arguments](const std::string& text) { arguments.to = parse_place_location(text); },
      "where the filter is, or will be: a file of ours, FORMAT:FILE of another system, or "
      "FORMAT:redis://SERVER#KEY in a server (bitmap: and bloom: are ours)");
  add_capacity(command, arguments.filter.capacity)
      .description("keys to make room for, at least; by default half more than there are");
  add_rate(command, arguments.filter.rate)
      .description(
          "false positive rate at capacity; by default that of the filter that is there, or 0.01");
  add_new_filter_options(command, arguments.filter);
  add_form_options_to_ask(command, arguments.keys);
  command.add_option(
      "--slot", arguments.changes.slot,
      "the name of what the follower leaves in the database; two filters of one table need "
      "two names");
  return location;
}

int run_follower(FollowArguments& arguments) {
  try {
    if (const std::optional<int> signal = follow_until_ended(arguments)) die_of(*signal);
  } catch (const BusyError& error) {
    if (!arguments.rebuilds) throw;
    const auto follower = follower_of(arguments.to->file.path);
    throw BusyError(std::string(error.what()) +
                    "; a follower builds it again itself when it is told: kill -USR1 " +
                    (follower ? std::to_string(*follower) : "PID"));
  }
  return kSome;
}

}  // namespace bloomery::cli
