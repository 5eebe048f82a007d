// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/json_report.h"

#include <nlohmann/json.hpp>

#include "bloomery/filter/filter_kinds.h"

namespace bloomery::bench {
namespace {

using nlohmann::json;

json timing_json(const Timing& timing) {
  return {
      {"cpu_ns", timing.cpu_ns}, {"wall_ns", timing.wall_ns}, {"disturbed", timing.disturbed()}};
}

json cost_json(const LineCost& cost) {
  json result = timing_json(cost.timing);
  result["how"] = cost.how;
  return result;
}

json limit_json(const MemoryLimit& limit) {
  return {{"byte_count", limit.byte_count},
          {"huge_page_share", limit.huge_page_share},
          {"read", cost_json(limit.read)},
          {"write", cost_json(limit.write)},
          {"read_small_pages", cost_json(limit.read_small_pages)},
          {"write_small_pages", cost_json(limit.write_small_pages)}};
}

json row_json(const RowResult& row) {
  json result{{"row", row.row},
              {"ours", row.ours},
              {"threads", row.threads},
              {"verdict", kVerdictNames[static_cast<std::size_t>(row.verdict)]}};
  if (row.verdict == Verdict::left_out) {
    result["reason"] = row.note;
    return result;
  }
  result["false_positive_rate"] = row.asked_rate;
  result["measured_rate"] = row.measured_rate;
  if (!row.built_with.empty()) result["built_with"] = row.built_with;
  result["trials"] = row.trials;
  result["bits_per_key"] = row.bits_per_key;
  result["huge_page_share"] = row.huge_page_share;
  if (row.is_wrong()) result["fault"] = row.fault();
  for (std::size_t i = 0; i < kOperationNames.size(); ++i) {
    if (row.timings[i]) result["operations"][kOperationNames[i]] = timing_json(*row.timings[i]);
  }
  return result;
}

json size_json(const SizeReport& size) {
  json rows = json::array();
  for (const RowResult& row : size.rows) rows.push_back(row_json(row));
  return {{"name", size.size.name},
          {"keys", size.size.keys},
          {"memory_limit", limit_json(size.limit)},
          {"rows", std::move(rows)}};
}

json space_json(const SpaceResult& space) {
  return {{"false_positive_rate", space.rate},
          {"keys", space.keys},
          {"classic_bits_per_key", space.classic_bits_per_key},
          {"blocked_bits_per_key", space.blocked_bits_per_key},
          {"lines_per_key", space.lines_per_key},
          {"overhead", space.overhead()},
          {"target", space.target}};
}

json rate_json(const RateResult& rate) {
  return {{"kind", kind_name(rate.kind)},
          {"false_positive_rate", rate.asked_rate},
          {"keys", rate.keys},
          {"pattern", pattern_name(rate.pattern)},
          {"trials", rate.trials},
          {"positives", rate.positives},
          {"ratio", rate.ratio()},
          {"standard_deviation", rate.luck()},
          {"exceeds_rate", rate.is_wrong()}};
}

json machine_json(const Machine& machine) {
  return {{"processor", machine.processor},
          {"processors", machine.processors},
          {"caches", machine.caches},
          {"memory_bytes", machine.memory_bytes},
          {"system", machine.system},
          {"transparent_huge_pages", machine.huge_pages},
          {"compiler", machine.compiler},
          {"filter_kernel", machine.kernel},
          {"description", machine.description()}};
}

template <class Items, class ToJson>
json list_json(const Items& items, ToJson to_json) {
  json list = json::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

}  // namespace

std::string to_json(const Report& report) {
  const json all{
      {"machine", machine_json(report.machine)},     {"measured_on", report.measured_on},
      {"repetitions", report.repetitions},           {"batch_keys", report.batch},
      {"speed", list_json(report.sizes, size_json)}, {"space", list_json(report.space, space_json)},
      {"rates", list_json(report.rates, rate_json)}};
  // A program's words, in a row that was left out, need not be UTF-8.
  return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace bloomery::bench
