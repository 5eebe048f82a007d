// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/table.h"

#include <fmt/core.h>

#include <cstdio>
#include <string>

#include "bloomery/text/human_bytes.h"

namespace bloomery::bench {
namespace {

constexpr int kNameWidth = 53;

// "3.9  62%": nanoseconds, and what share of the memory's speed that is.
std::string speed_cell(const std::optional<Timing>& timing, const LineCost& limit) {
  if (!timing) return "- ";
  const double ns = timing->cpu_ns;
  return fmt::format("{:>6.{}f}{:>5.0f}%{}", ns, ns < 9.95 ? 2 : 0, 100 * limit.timing.cpu_ns / ns,
                     timing->disturbed() ? '~' : ' ');
}

std::string line_cost(const LineCost& cost) {
  return fmt::format("{:.2f} ns{} ({})", cost.timing.cpu_ns, cost.timing.disturbed() ? "~" : "",
                     cost.how);
}

}  // namespace

void print_machine(const Machine& machine, const Settings& settings) {
  fmt::print("{}, {} processors, {}, memory {}\n", machine.processor, machine.processors,
             machine.caches, human_bytes(static_cast<double>(machine.memory_bytes)));
  fmt::print("{}; {}; filter kernel {}; transparent huge pages: {}\n", machine.system,
             machine.compiler, machine.kernel, machine.huge_pages);
  fmt::print(
      "Nanoseconds a key of processor time, one thread, median of {}; in percent, how near that "
      "is\n"
      "to touching one random 64-byte line. ~ marks a wall time more than a tenth longer: the\n"
      "machine was busy with others. Batches are calls of {} keys. In turn: absent keys, each "
      "asked "
      "about\nonce the one before is answered.\n",
      settings.repetitions, settings.batch);
}

void print_size_header(const SizeClass& size, const MemoryLimit& limit) {
  fmt::print("\n== {} keys ({}): {} at 1 % ==\n", size.keys, size.name,
             human_bytes(static_cast<double>(limit.byte_count)));
  fmt::print("a random line, huge pages advised ({:.0f} % had): read {}, change {}\n",
             100 * limit.huge_page_share, line_cost(limit.read), line_cost(limit.write));
  fmt::print("            in pages of 4 KiB: read {}, change {}\n",
             line_cost(limit.read_small_pages), line_cost(limit.write_small_pages));
  fmt::print("{:{}}{:>8}{:>12}  -- a call a key {:->38}  -- batches {:->28}\n", "", kNameWidth,
             "bits", "measured", "", "");
  fmt::print("{:{}}{:>8}{:>12} {:>13}{:>13}{:>13}{:>13}{:>13}{:>13}{:>13}\n", "", kNameWidth,
             "a key", "rate", "insert", "absent", "present", "in turn", "insert", "absent",
             "present");
  std::fflush(stdout);
}

void print_row(const RowResult& result, const MemoryLimit& limit) {
  fmt::print("{:{}}", result.row, kNameWidth);
  if (result.verdict == Verdict::left_out) {
    fmt::print("  {}\n", result.note);
  } else if (result.is_wrong()) {
    fmt::print("{:>8.2f}  WRONG: {}\n", result.bits_per_key, result.fault());
  } else {
    fmt::print("{:>8.2f}{:>12} ", result.bits_per_key,
               result.asked_rate > 0 ? percent(result.measured_rate) : "exact");
    for (std::size_t i = 0; i < kOperationNames.size(); ++i) {
      const bool writes = is_insert(static_cast<Operation>(i));
      fmt::print("{:>13}", speed_cell(result.timings[i], writes ? limit.write : limit.read));
    }
    fmt::print("  {}\n", result.built_with);
  }
  std::fflush(stdout);
}

void print_space(const std::vector<SpaceResult>& results) {
  fmt::print("\n== space: bits a key for 10^6 keys ==\n");
  fmt::print("{:>10}{:>10}{:>10}{:>8}{:>12}{:>10}\n", "rate", "classic", "blocked", "lines",
             "blocked +", "target");
  for (const SpaceResult& result : results) {
    fmt::print("{:>10}{:>10.2f}{:>10.2f}{:>8}{:>11.1f}%{:>9.0f}%{}\n", percent(result.rate),
               result.classic_bits_per_key, result.blocked_bits_per_key, result.lines_per_key,
               100 * result.overhead(), 100 * result.target,
               result.overhead() > result.target ? "  missed" : "");
  }
}

}  // namespace bloomery::bench
