// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/measure_row.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>

#include "benchmarks/collect.h"
#include "benchmarks/pages.h"

namespace bloomery::bench {
namespace {

// Keys are made in chunks of this many, in untimed moments before each is used.
constexpr std::uint64_t kChunk = 1'000'000;

class RowRun {
 public:
  RowRun(const Row& row, const SizeClass& size, const Settings& settings)
      : settings_(settings),
        threads_(row.threads),
        keys_(size.keys),
        chunk_(std::min(size.keys, kChunk)),
        iterations_(iterations(row)),
        subject_(row.make(size.keys)),
        maker_(row.keys),
        answers_(new bool[chunk_]) {}

  void measure(RowResult& result) {
    const auto record = [&](Operation operation, auto body, std::uint64_t times) {
      Timing timing = collect([&](benchmark::State& state) { return body(state); }, times,
                              settings_.repetitions);
      // The clock of one thread does not see what its helpers do.
      if (is_insert(operation) && threads_ > 1) timing.cpu_ns = timing.wall_ns;
      result.timing(operation) = timing;
    };
    if (subject_->builds_at_once()) {
      record(
          Operation::insert_batch, [&](auto& state) { return build(state); }, 1);
    } else {
      record(
          Operation::insert_one, [&](auto& state) { return insert(state, false); }, iterations_);
      if (subject_->inserts_batches()) {
        record(
            Operation::insert_batch, [&](auto& state) { return insert(state, true); }, iterations_);
      }
      fill_up();
    }
    record(
        Operation::absent_one, [&](auto& state) { return ask_each(state, false); }, iterations_);
    record(
        Operation::present_one, [&](auto& state) { return ask_each(state, true); }, iterations_);
    if (subject_->answers_dependently()) {
      record(
          Operation::absent_dependent, [&](auto& state) { return ask_dependently(state); },
          iterations_);
    }
    if (subject_->answers_batches()) {
      record(
          Operation::absent_batch, [&](auto& state) { return ask_batches(state, false); },
          iterations_);
      record(
          Operation::present_batch, [&](auto& state) { return ask_batches(state, true); },
          iterations_);
    }
    ask_enough_strangers(result.asked_rate);
    result.bits_per_key =
        8 * static_cast<double>(subject_->byte_count()) / static_cast<double>(keys_);
    result.huge_page_share = huge_page_share(subject_->words());
    result.judge(absent_asked_, absent_found_, present_asked_ - present_found_);
  }

 private:
  std::uint64_t iterations(const Row& row) const {
    if (settings_.smoke) return 1;
    // At least two million keys a repetition: noise of the clocks is then below a percent.
    const std::uint64_t keys = row.slow ? kChunk : 2 * kChunk;
    return std::max<std::uint64_t>(1, keys / chunk_);
  }

  // Members are the keys of the numbers below keys_, strangers those from there on.
  KeyChunk next_members() {
    if (next_member_ == keys_) {
      subject_->clear();
      next_member_ = 0;
    }
    const std::uint64_t first = next_member_;
    next_member_ = std::min(keys_, first + chunk_);
    return maker_.make(first, next_member_ - first);
  }
  KeyChunk some_members() {
    return maker_.make(scramble(++members_drawn_) % (keys_ - chunk_ + 1), chunk_);
  }
  KeyChunk next_strangers() {
    next_stranger_ += chunk_;
    return maker_.make(keys_ + next_stranger_, chunk_);
  }

  std::uint64_t insert(benchmark::State& state, bool in_batches) {
    std::uint64_t count = 0;
    for (auto _ : state) {
      state.PauseTiming();
      const KeyChunk keys = next_members();
      state.ResumeTiming();
      if (in_batches) {
        subject_->insert_batches(keys, settings_.batch);
      } else {
        subject_->insert_each(keys);
      }
      count += keys.size();
    }
    return count;
  }

  void fill_up() {
    while (next_member_ < keys_) subject_->insert_batches(next_members(), settings_.batch);
  }

  std::uint64_t build(benchmark::State& state) {
    for (auto _ : state) {
      state.PauseTiming();
      subject_->clear();
      for (std::uint64_t first = 0; first < keys_; first += chunk_) {
        const KeyChunk keys = maker_.make(first, std::min(chunk_, keys_ - first));
        subject_->collect(keys);
        state.ResumeTiming();
        subject_->insert_each(keys);
        state.PauseTiming();
      }
      state.ResumeTiming();
      subject_->finish();
    }
    return keys_;
  }

  std::uint64_t ask_each(benchmark::State& state, bool members) {
    std::uint64_t count = 0;
    for (auto _ : state) {
      state.PauseTiming();
      const KeyChunk keys = members ? some_members() : next_strangers();
      state.ResumeTiming();
      const std::uint64_t found = subject_->count_each(keys);
      benchmark::DoNotOptimize(found);
      note_answers(members, keys.size(), found);
      count += keys.size();
    }
    return count;
  }

  std::uint64_t ask_dependently(benchmark::State& state) {
    std::uint64_t count = 0;
    for (auto _ : state) {
      state.PauseTiming();
      const KeyChunk keys = next_strangers();
      state.ResumeTiming();
      const std::uint64_t found = subject_->count_dependently(keys);
      benchmark::DoNotOptimize(found);
      count += keys.size();
    }
    return count;
  }

  std::uint64_t ask_batches(benchmark::State& state, bool members) {
    const std::span<bool> answers(answers_.get(), chunk_);
    std::uint64_t count = 0;
    for (auto _ : state) {
      state.PauseTiming();
      const KeyChunk keys = members ? some_members() : next_strangers();
      state.ResumeTiming();
      subject_->answer_batches(keys, settings_.batch, answers);
      benchmark::ClobberMemory();
      state.PauseTiming();
      note_answers(members, keys.size(),
                   static_cast<std::uint64_t>(std::ranges::count(answers, true)));
      state.ResumeTiming();
      count += keys.size();
    }
    return count;
  }

  // Asks so many strangers that a rate five percent too high shows and luck does not; untimed.
  void ask_enough_strangers(double rate) {
    if (settings_.smoke || rate == 0) return;
    const std::span<bool> answers(answers_.get(), chunk_);
    while (static_cast<double>(absent_asked_) * rate < kEnoughPositives) {
      const KeyChunk keys = next_strangers();
      if (subject_->answers_batches()) {
        subject_->answer_batches(keys, settings_.batch, answers);
        note_answers(false, keys.size(),
                     static_cast<std::uint64_t>(std::ranges::count(answers, true)));
      } else {
        note_answers(false, keys.size(), subject_->count_each(keys));
      }
    }
  }

  void note_answers(bool members, std::uint64_t asked, std::uint64_t found) {
    (members ? present_asked_ : absent_asked_) += asked;
    (members ? present_found_ : absent_found_) += found;
  }

  const Settings& settings_;
  int threads_;
  std::uint64_t keys_;
  std::uint64_t chunk_;
  std::uint64_t iterations_;
  SubjectPointer subject_;
  KeyMaker maker_;
  std::unique_ptr<bool[]> answers_;
  std::uint64_t next_member_ = 0;
  std::uint64_t next_stranger_ = 0;
  std::uint64_t members_drawn_ = 0;
  std::uint64_t absent_asked_ = 0;
  std::uint64_t absent_found_ = 0;
  std::uint64_t present_asked_ = 0;
  std::uint64_t present_found_ = 0;
};

}  // namespace

RowResult measure_row(const Row& row, const SizeClass& size, const Settings& settings) {
  RowResult result;
  result.row = row.name;
  result.ours = row.ours;
  result.threads = row.threads;
  if (!row.measure_elsewhere) result.built_with = row.built_with;
  result.asked_rate = row.rate;
  if (!row.missing.empty()) {
    result.leave_out(row.missing);
  } else if (size.keys > row.max_keys) {
    result.leave_out("not at this size: " + row.stops_because);
  } else if (row.measure_elsewhere) {
    row.measure_elsewhere(size, settings, result);
  } else {
    RowRun(row, size, settings).measure(result);
  }
  return result;
}

}  // namespace bloomery::bench
