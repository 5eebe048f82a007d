// SPDX-License-Identifier: Apache-2.0
#include "cli/dedup/run_dedup.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/format/kinds.h"
#include "bloomery/open/open_place.h"
#include "bloomery/source/open_source.h"
#include "bloomery/text/human_number.h"
#include "cli/arguments.h"
#include "cli/bool_per_key.h"
#include "cli/dedup/dedup_filter.h"
#include "cli/dedup/expected_loss.h"
#include "cli/dedup/loss_record.h"
#include "cli/dedup/repeatable_inputs.h"
#include "cli/dedup/suspect_set.h"
#include "cli/exit_status.h"
#include "cli/filter_report.h"
#include "cli/messages.h"
#include "cli/prepared_hashes.h"
#include "cli/read_keys.h"
#include "cli/report.h"
#include "cli/state_keeper.h"
#include "cli/write_selected.h"

namespace bloomery::cli {
namespace {

constexpr double kDefaultDedupRate = 1e-6;
// With --exact a wrong answer costs a key in memory, not a record.
constexpr double kDefaultExactRate = 1e-3;

// One run of the command.
class Dedup {
 public:
  explicit Dedup(const DedupArguments& arguments)
      : arguments_(arguments),
        source_(arguments.source),
        inputs_(arguments.inputs.empty() ? std::vector<std::string>{"-"} : arguments.inputs) {
    if (arguments.threads > 1) output_.write_beside();
  }

  int run() {
    try {
      if (arguments_.exact) {
        run_exact();
      } else {
        run_once();
      }
    } catch (...) {
      if (filter_) filter_->abandon();
      throw;
    }
    const Loss loss = arguments_.exact ? Loss{} : record_->loss(printed_count_, dropped_count());
    if (!arguments_.quiet) report(loss);
    if (exceeds_what_was_allowed(loss)) return kLossy;
    return printed_count_ > 0 ? kSome : kNone;
  }

 private:
  void run_once();
  void run_exact();
  void open_filter();
  void set_form(const KeyForm& form) {
    form_ = form;
    source_ = with_form(source_, form);
  }
  NewFilter wanted() const;
  void read_all(const char* label, bool prints, const Preparation& preparation,
                const BatchConsumer& consumer);
  void print_selected(const Batch& batch, std::span<const bool> selected);
  void filter_batch(const Batch& batch);
  void save_state();
  void save_state_if_printed();
  std::uint64_t dropped_count() const { return key_count_ - printed_count_; }
  double rate_now() const { return record_->rate(printed_count_); }
  double keys_now() const { return record_->keys_before() + static_cast<double>(printed_count_); }
  bool is_overfull() {
    return record_->has_fixed_size() && keys_now() > static_cast<double>(filter_->get().capacity());
  }
  bool exceeds_what_was_allowed(const Loss& loss);
  void warn_where_overfull();
  void report(const Loss& loss);

  const DedupArguments& arguments_;
  KeyForm form_;
  SourceOptions source_;  // with keys of that form
  std::vector<std::string> inputs_;
  std::optional<DedupFilter> filter_;
  std::optional<PreparedHashes> hashes_;  // as the filter wants them
  std::optional<LossRecord> record_;
  BoolPerKey answers_;
  Output output_;
  std::uint64_t key_count_ = 0;
  std::uint64_t null_count_ = 0;
  std::uint64_t printed_count_ = 0;
  std::uint64_t answered_count_ = 0;  // by the filter
  std::uint64_t saved_count_ = 0;     // of the changes, those that the state's file knows
  std::uint64_t suspect_count_ = 0;   // with --exact
  bool is_halfway_ = false;           // some keys are in the filter, and their records not printed
  double next_warning_ = 0;
};

NewFilter Dedup::wanted() const {
  NewFilter wanted = arguments_.filter;
  wanted.keys = form_;
  if (!wanted.rate) wanted.rate = arguments_.exact ? kDefaultExactRate : kDefaultDedupRate;
  if (!wanted.capacity) {
    // Nobody knows how many will come: a filter that grows keeps its rate whatever it will be.
    const PlaceLocation state = arguments_.state.value_or(PlaceLocation());
    const bool may_grow = !wanted.kind && state.format == nullptr && !state.is_live();
    if (may_grow && !arguments_.exact && !have_known_size(inputs_)) {
      wanted.kind = FilterKind::scalable;
    }
    wanted.capacity = capacity_for(inputs_, source_);
    // Other runs will come.
    if (arguments_.state) wanted.capacity = std::max(*wanted.capacity, kStreamCapacity);
  }
  return wanted;
}

void Dedup::open_filter() {
  const PlaceLocation location = arguments_.state.value_or(PlaceLocation());
  const auto new_filter = [&] {
    set_form(form_of_new(arguments_.keys, location));
    return wanted();
  };
  if (!arguments_.state) {
    filter_.emplace(new_filter());
  } else {
    require_may_be_there(arguments_.filter.kind_or_default(), location);
    filter_.emplace(location, arguments_.patience, new_filter);
  }
  if (!filter_->is_new()) {
    warn_of_gaps(location, filter_->get());
    if (filter_->get().inserted() != 0) {
      require_known(form_for(arguments_.keys, location, filter_->get()), location);
    }
    set_form(location.is_live()
                 ? form_to_insert(arguments_.keys, location,
                                  PlaceHead{.parameters = filter_->get().parameters()})
                 : form_to_insert(arguments_.keys, location, filter_->get()));
    const FilterParameters& made = filter_->get().parameters();
    const bool differs =
        arguments_.filter.capacity.value_or(made.capacity) != made.capacity ||
        arguments_.filter.rate.value_or(made.false_positive_rate) != made.false_positive_rate;
    if (differs && !arguments_.quiet) {
      complain(location.text() + " was made with -n " + std::to_string(made.capacity) + " -p " +
               short_number(made.false_positive_rate) +
               " and stays so; -n and -p are for a new one");
    }
  }
  hashes_.emplace(filter_->get().parameters(), arguments_.threads);
  record_.emplace(filter_->get());
  next_warning_ = static_cast<double>(filter_->get().capacity());
}

void Dedup::read_all(const char* label, bool prints, const Preparation& preparation,
                     const BatchConsumer& consumer) {
  // Records and progress would overwrite each other on one terminal.
  const bool shows = !arguments_.quiet && !(prints && isatty(STDOUT_FILENO) != 0);
  const SourceTotals totals = read_keys(KeyInputs{.locations = inputs_}, source_,
                                        shows ? label : "", consumer, preparation);
  key_count_ = totals.key_count;
  null_count_ = totals.null_count;
  output_.flush();
}

void Dedup::print_selected(const Batch& batch, std::span<const bool> selected) {
  write_selected(output_, batch.lines, selected, arguments_.source.separator);
  output_.hand_on();
}

// Threads cut and hash what comes; one asks and inserts, in the order of the records, so that of
// equal keys the first is the one that is new.
void Dedup::filter_batch(const Batch& batch) {
  const KeyBatch keys = hashes_->of(batch);
  const std::span<bool> was_new = answers_.room_for(batch.keys.size());
  is_halfway_ = true;
  for (std::size_t at = 0; at < batch.keys.size();) {
    const std::size_t count = std::min<std::uint64_t>(batch.keys.size() - at, record_->next_look());
    printed_count_ +=
        filter_->get().insert_many(keys.subbatch(at, count), was_new.subspan(at, count));
    record_->look(count, printed_count_);
    at += count;
  }
  answered_count_ += batch.keys.size();
  print_selected(batch, was_new);
  filter_->remember(batch.keys, was_new);
  is_halfway_ = false;
  if (filter_->is_save_due()) {
    output_.flush();
    save_state();
  }
  if (is_overfull() && keys_now() > next_warning_) warn_where_overfull();
}

// While the run waits. A reader that stands still must not keep a signal from ending it.
void Dedup::save_state_if_printed() {
  constexpr std::chrono::seconds kLongestWrite(2);
  if (output_.is_written_within(kLongestWrite)) save_state();
}

// Saves the state if it has changed. The records of all its keys were written: if printing failed,
// nothing is saved.
void Dedup::save_state() {
  if (is_halfway_) return;
  // In a window, keys that come again stay longer.
  const bool forgets = kind_of(filter_->get().parameters().kind).forgets;
  const std::uint64_t change_count = forgets ? answered_count_ : printed_count_;
  if (saved_count_ == change_count) return;
  filter_->save();
  saved_count_ = change_count;
}

void Dedup::run_once() {
  open_filter();
  if (!arguments_.state) {
    read_all("dedup", true, hashes_->preparation(), [&](const Batch& batch) {
      filter_batch(batch);
      return true;
    });
    return;
  }
  {
    StateKeeper keeper(std::chrono::milliseconds(arguments_.save_every_ms),
                       [this] { save_state_if_printed(); });
    read_all("dedup", true, hashes_->preparation(), [&](const Batch& batch) {
      const StateKeeper::Lock held = keeper.lock();
      filter_batch(batch);
      return true;
    });
    const StateKeeper::Lock held = keeper.lock();
    save_state();
  }
}

// The filter knows whatever came before, so a key that comes twice is called "maybe known" at its
// second time at the latest: all that repeat are among the suspects, and with them a few that do
// not.
void Dedup::run_exact() {
  const RepeatableInputs repeatable(inputs_);
  open_filter();
  SuspectSet suspects;
  read_all("dedup, first pass", false, hashes_->preparation(), [&](const Batch& batch) {
    const std::span<bool> was_new = answers_.room_for(batch.keys.size());
    filter_->get().insert_many(hashes_->of(batch), was_new);
    suspects.insert_many(batch.keys, was_new, false);
    return true;
  });
  repeatable.require_unchanged();
  repeatable.rewind();
  read_all("dedup, second pass", true, {arguments_.threads, {}}, [&](const Batch& batch) {
    const std::span<bool> is_first = answers_.room_for(batch.keys.size());
    suspects.are_first(batch.keys, is_first);
    printed_count_ += static_cast<std::uint64_t>(std::ranges::count(is_first, true));
    print_selected(batch, is_first);
    return true;
  });
  repeatable.require_unchanged();
  suspect_count_ = suspects.size();
}

// At the capacity, and each time that the keys have doubled since.
void Dedup::warn_where_overfull() {
  while (next_warning_ < keys_now()) next_warning_ *= 2;
  if (arguments_.quiet || arguments_.json) return;
  const auto keys = static_cast<std::uint64_t>(keys_now());
  complain("the filter holds " + format_count(keys) + " records, more than the " +
           format_count(filter_->get().capacity()) +
           " it was sized for; it goes on, but the rate of new records that it drops is now " +
           rate_text(rate_now()) + "; a larger -n keeps it low");
}

// Returns whether more is lost than allowed: a share of the new records, which are those printed,
// those lost, and the next.
bool Dedup::exceeds_what_was_allowed(const Loss& loss) {
  const double news = static_cast<double>(printed_count_) + loss.expected + 1;
  return loss.bound > 0 && loss.expected > filter_->get().parameters().false_positive_rate * news;
}

void Dedup::report(const Loss& loss) {
  const AnyFilter& filter = filter_->get();
  const std::uint64_t dropped = dropped_count();
  if (!arguments_.json) {
    std::string line = "dedup: " + std::to_string(key_count_) + " read, " +
                       std::to_string(printed_count_) + " printed, " + std::to_string(dropped) +
                       " dropped as repeated";
    if (arguments_.exact) {
      line += ", none of them new (" + std::to_string(suspect_count_) + " keys looked at twice)";
    } else {
      line += "; of these " + short_number(loss.expected, 2) + " expected to be new, at most " +
              std::to_string(loss.bound) + " (99.9 %)";
    }
    if (null_count_ > 0) line += "; " + std::to_string(null_count_) + " rows without a key skipped";
    std::fprintf(stderr, "%s\n", line.c_str());
    if (arguments_.state && !filter_->is_new() && printed_count_ > 0) {
      complain_of_usual_forms(arguments_.keys, {&*arguments_.state, 1}, "new");
    }
    if (!arguments_.exact && is_overfull()) warn_where_overfull();
    if (exceeds_what_was_allowed(loss)) {
      complain("a larger share of the new records than the " +
               short_number(filter.parameters().false_positive_rate) +
               " allowed may have been dropped");
    }
    return;
  }
  Report report;
  report.add("key_count", key_count_);
  report.add("printed_count", printed_count_);
  report.add("dropped_count", dropped);
  report.add("null_count", null_count_);
  report.add("expected_loss", loss.expected);
  report.add("loss_bound", loss.bound);
  report.add("loss_confidence", arguments_.exact ? 1 : kLossConfidence);
  if (arguments_.exact) report.add("suspect_count", suspect_count_);
  report.add("capacity", filter.capacity());
  report.add("false_positive_rate", filter.parameters().false_positive_rate);
  report.add("byte_count", 8 * filter.contents().word_count());
  report.add("inserted", filter.inserted());
  report.add("predicted_rate", filter.predicted_rate());
  std::fputs(json_line(report.json()).c_str(), stderr);
}

}  // namespace

int run_dedup(const DedupArguments& arguments) {
  return Dedup(arguments).run();
}

}  // namespace bloomery::cli
