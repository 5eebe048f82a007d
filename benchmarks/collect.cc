// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/collect.h"

#include <stdexcept>
#include <vector>

namespace bloomery::bench {
namespace {

constexpr const char* kKeys = "keys";

// Keeps the repetitions instead of printing them.
class Collector final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      if (run.error_occurred) throw std::runtime_error(run.error_message);
      const double keys = run.counters.at(kKeys);
      timings_.push_back(
          {1e9 * run.cpu_accumulated_time / keys, 1e9 * run.real_accumulated_time / keys});
    }
  }
  const std::vector<Timing>& timings() const { return timings_; }

 private:
  std::vector<Timing> timings_;
};

}  // namespace

Timing collect(const std::function<std::uint64_t(benchmark::State&)>& body,
               std::uint64_t iterations, int repetitions) {
  benchmark::RegisterBenchmark(
      "operation",
      [&](benchmark::State& state) { state.counters[kKeys] = static_cast<double>(body(state)); })
      ->Iterations(static_cast<benchmark::IterationCount>(iterations))
      ->Repetitions(repetitions);
  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector, ".*");
  benchmark::ClearRegisteredBenchmarks();
  return median(collector.timings());
}

}  // namespace bloomery::bench
