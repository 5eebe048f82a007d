// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/peers/guava.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "benchmarks/child_process.h"

namespace bloomery::bench {
namespace {

using nlohmann::json;
using std::chrono::seconds;

constexpr const char* kGuava = "/usr/share/java/guava.jar";  // Debian's place
constexpr const char* kNotInstalled =
    "not installed: apt install openjdk-17-jre-headless libguava-java";
constexpr seconds kTimeout{600};

// The program's own words, for a row that has no figures.
std::string first_complaint(std::string_view output) {
  std::istringstream lines{std::string(output)};
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.front() != '{') return line.substr(0, 200);
  }
  return "it printed no figures";
}

std::size_t operation_index(const std::string& name) {
  const auto found = std::ranges::find(kOperationNames, name);
  if (found == kOperationNames.end()) throw std::runtime_error("no such operation: " + name);
  return static_cast<std::size_t>(found - kOperationNames.begin());
}

}  // namespace

void read_guava(std::string_view output, std::uint64_t keys, RowResult& result) {
  std::array<std::vector<Timing>, kOperationNames.size()> repetitions;
  bool has_end = false;
  try {
    std::istringstream lines{std::string(output)};
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with('{')) continue;  // the machine warns on the same stream
      const json figures = json::parse(line);
      if (figures.contains("operation")) {
        repetitions[operation_index(figures.at("operation"))].push_back(
            {figures.at("cpu_ns"), figures.at("wall_ns")});
      } else {
        result.bits_per_key =
            8 * figures.at("byte_count").get<double>() / static_cast<double>(keys);
        result.judge(figures.at("strangers"), figures.at("positives"), figures.at("lost"));
        has_end = true;
      }
    }
  } catch (const json::exception& error) {
    throw std::runtime_error(fmt::format("not its figures: {}", error.what()));
  }
  for (std::size_t i = 0; i < repetitions.size(); ++i) {
    if (!repetitions[i].empty()) result.timings[i] = median(repetitions[i]);
  }
  if (!has_end) throw std::runtime_error(first_complaint(output));
}

void measure_guava(const SizeClass& size, const Settings& settings, RowResult& result) {
  if (access(kGuava, R_OK) != 0) return result.leave_out(kNotInstalled);
  // Two filters, for the moment when one takes the place of another, and the chunks of keys.
  const std::uint64_t heap_mib = 4 * (size.keys * 10 / 8 >> 20) + 256;
  const ChildResult child =
      run_child({"java", fmt::format("-Xmx{}m", heap_mib), "-cp", kGuava, GUAVA_BENCH_SOURCE,
                 std::to_string(size.keys), fmt::format("{}", result.asked_rate),
                 std::to_string(settings.repetitions), settings.smoke ? "smoke" : "full"},
                kTimeout);
  if (child.end == ChildResult::End::not_found) return result.leave_out(kNotInstalled);
  if (child.end == ChildResult::End::timed_out) {
    return result.leave_out(fmt::format("not done after {} seconds", kTimeout.count()));
  }
  if (!child.succeeded()) return result.leave_out("failed: " + first_complaint(child.output));
  try {
    read_guava(child.output, size.keys, result);
  } catch (const std::runtime_error& error) {
    result.leave_out(std::string("failed: ") + error.what());
  }
}

}  // namespace bloomery::bench
