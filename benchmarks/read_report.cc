#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "benchmarks/json_report.h"

namespace bloomery::bench {
namespace {

using nlohmann::json;

Timing timing_of(const json& from) {
  return {from.at("cpu_ns"), from.at("wall_ns")};
}

LineCost cost_of(const json& from) {
  return {timing_of(from), from.at("how")};
}

MemoryLimit limit_of(const json& from) {
  MemoryLimit limit;
  limit.byte_count = from.at("byte_count");
  limit.huge_page_share = from.at("huge_page_share");
  limit.read = cost_of(from.at("read"));
  limit.write = cost_of(from.at("write"));
  limit.read_small_pages = cost_of(from.at("read_small_pages"));
  limit.write_small_pages = cost_of(from.at("write_small_pages"));
  return limit;
}

Verdict verdict_of(const std::string& name) {
  const auto found = std::ranges::find(kVerdictNames, name);
  if (found == kVerdictNames.end()) throw std::runtime_error("no such verdict: " + name);
  return static_cast<Verdict>(found - kVerdictNames.begin());
}

RowResult row_of(const json& from) {
  RowResult row;
  row.row = from.at("row");
  row.ours = from.at("ours");
  row.threads = from.at("threads");
  row.verdict = verdict_of(from.at("verdict"));
  if (row.verdict == Verdict::left_out) {
    row.note = from.at("reason");
    return row;
  }
  row.asked_rate = from.at("false_positive_rate");
  row.measured_rate = from.at("measured_rate");
  row.trials = from.at("trials");
  row.bits_per_key = from.at("bits_per_key");
  row.huge_page_share = from.at("huge_page_share");
  const json& operations = from.at("operations");
  for (std::size_t i = 0; i < kOperationNames.size(); ++i) {
    const auto timing = operations.find(kOperationNames[i]);
    if (timing != operations.end()) row.timings[i] = timing_of(*timing);
  }
  return row;
}

SizeReport size_of(const json& from) {
  SizeReport size{{from.at("name"), from.at("keys")}, limit_of(from.at("memory_limit")), {}};
  for (const json& row : from.at("rows")) size.rows.push_back(row_of(row));
  return size;
}

Machine machine_of(const json& from) {
  Machine machine;
  machine.processor = from.at("processor");
  machine.processors = from.at("processors");
  machine.caches = from.at("caches");
  machine.memory_bytes = from.at("memory_bytes");
  machine.system = from.at("system");
  machine.huge_pages = from.at("transparent_huge_pages");
  machine.compiler = from.at("compiler");
  machine.kernel = from.at("filter_kernel");
  return machine;
}

}  // namespace

Report from_json(const std::string& text) {
  try {
    const json all = json::parse(text);
    Report report;
    report.machine = machine_of(all.at("machine"));
    report.measured_on = all.at("measured_on");
    report.repetitions = all.at("repetitions");
    report.batch = all.at("batch_keys");
    for (const json& size : all.at("speed")) report.sizes.push_back(size_of(size));
    return report;
  } catch (const json::exception& error) {
    throw std::runtime_error(std::string("not what --json writes: ") + error.what());
  }
}

}  // namespace bloomery::bench
