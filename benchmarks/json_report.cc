#include "benchmarks/json_report.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

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

std::string verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kept:
      return "kept";
    case Verdict::exceeds_rate:
      return "exceeds_rate";
    case Verdict::loses_keys:
      return "loses_keys";
    case Verdict::left_out:
      break;
  }
  return "left_out";
}

json row_json(const RowResult& row) {
  json result{{"row", row.row}, {"verdict", verdict_name(row.verdict)}};
  if (row.verdict == Verdict::left_out) {
    result["reason"] = row.note;
    return result;
  }
  result["false_positive_rate"] = row.asked_rate;
  result["measured_rate"] = row.measured_rate;
  result["trials"] = row.trials;
  result["bits_per_key"] = row.bits_per_key;
  result["huge_page_share"] = row.huge_page_share;
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
  return {{"processor", machine.processor}, {"processors", machine.processors},
          {"caches", machine.caches},       {"transparent_huge_pages", machine.huge_pages},
          {"compiler", machine.compiler},   {"kernel", machine.kernel}};
}

template <class Items, class ToJson>
json list_json(const Items& items, ToJson to_json) {
  json list = json::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

}  // namespace

bool Report::has_wrong_rows() const {
  return std::ranges::any_of(rates, &RateResult::is_wrong) ||
         std::ranges::any_of(sizes, [](const SizeReport& size) {
           return std::ranges::any_of(size.rows, &RowResult::is_wrong);
         });
}

void write_json(const Report& report, const Settings& settings, const std::string& file) {
  const json all{{"machine", machine_json(report.machine)},
                 {"repetitions", settings.repetitions},
                 {"batch_keys", settings.batch},
                 {"speed", list_json(report.sizes, size_json)},
                 {"space", list_json(report.space, space_json)},
                 {"rates", list_json(report.rates, rate_json)}};
  std::ofstream out(file);
  out << all.dump(2) << '\n';
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file + ": " + std::strerror(errno));
}

}  // namespace bloomery::bench
