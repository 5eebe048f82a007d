// SPDX-License-Identifier: Apache-2.0
// bloomery explain: the bits behind an answer.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bloomery/filter/blocked_shape.h"
#include "bloomery/format/kinds.h"
#include "bloomery/store/native_file.h"
#include "bloomery/text/printable.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/filter_report.h"
#include "cli/key_choice.h"
#include "cli/report.h"
#include "cli/text_table.h"

namespace bloomery::cli {
namespace {

constexpr const char* kExplainExamples = R"(Examples:
  bloomery explain users.bloom alice
  bloomery explain codes.bloom 42 --json       the file says how its keys are written
  bloomery explain users.bloom -- --help       a key that looks like an option

Exit status: 0 the key may be present, 1 it is surely absent, 2 also if that is unknown.)";

struct ExplainArguments {
  PlaceLocation file;
  std::string key;
  KeyChoice keys;
  bool json = false;
};

bool is_layered(const std::vector<Probe>& probes) {
  return !probes.empty() && probes.back().layer > 0;
}

std::string reason(const AnyFilter& filter, bool found, std::size_t clear_count,
                   const std::vector<Probe>& probes) {
  const bool layered = is_layered(probes);
  if (probes.empty()) return "surely absent: the filter was built of no keys";
  if (kind_of(filter.parameters().kind).compares) {
    if (!found) return "surely absent: its three places do not make its fingerprint";
    return fmt::format(
        "maybe present: its three places make its fingerprint; those of a key that was never "
        "inserted do by chance with {}",
        rate_text(filter.predicted_rate()));
  }
  if (!found && layered) {
    return fmt::format("surely absent: in each of {} layers some of its bits are clear",
                       probes.back().layer + 1);
  }
  if (!found) {
    return fmt::format(
        "surely absent: {} of its {} bits {} clear, and inserting it would have set them all",
        clear_count, probes.size(), clear_count == 1 ? "is" : "are");
  }
  return fmt::format(
      "maybe present: all of its {} are set; a key that was never inserted finds that by "
      "chance with {}",
      layered ? "bits in one layer" : std::to_string(probes.size()) + " bits",
      rate_text(filter.predicted_rate()));
}

std::string reason_in_generations(const AnyFilter& filter, const std::vector<Probe>& probes) {
  const std::uint32_t generations = filter.parameters().window.generations + 1;
  for (std::uint32_t age = 0; age < generations; ++age) {
    const bool all_set = std::ranges::all_of(
        probes, [&](const Probe& probe) { return probe.layer != age || probe.set; });
    if (!all_set) continue;
    return fmt::format(
        "maybe present: all of its bits are set in generation {} (0 is the newest); a key that was "
        "not inserted finds that in one of {} by chance with {}",
        age, generations, rate_text(filter.predicted_rate()));
  }
  return fmt::format(
      "surely absent: some of its bits are clear in each of {} generations, and inserting it would "
      "have set them all in one",
      generations);
}

// Says the line, lane and bit of each position, where the filter knows lines; and its layer or
// generation, where it has several.
std::string probes_text(const std::vector<Probe>& probes, const Geometry& geometry,
                        const Kind& kind) {
  const bool has_lines = geometry.lines_per_key != 0;
  const bool layered = is_layered(probes);
  const std::uint64_t lane_bits = geometry.line_bits / kLaneCount;
  TextTable table;
  std::vector<std::string> head;
  if (layered) head.emplace_back(kind.forgets ? "generation" : "layer");
  head.emplace_back("position");
  if (has_lines) head.insert(head.end(), {"line", "lane", "bit"});
  head.emplace_back("state");
  table.add_row(std::move(head));
  for (const Probe& probe : probes) {
    std::vector<std::string> row;
    if (layered) row.push_back(std::to_string(probe.layer));
    row.push_back(std::to_string(probe.position));
    if (has_lines) {
      row.push_back(std::to_string(probe.position / geometry.line_bits));
      row.push_back(std::to_string(probe.position % geometry.line_bits / lane_bits));
      row.push_back(std::to_string(probe.position % lane_bits));
    }
    row.emplace_back(kind.compares ? (probe.set ? "agrees" : "differs")
                                   : (probe.set ? "set" : "clear"));
    table.add_row(std::move(row));
  }
  return table.text(2);
}

int explain(const ExplainArguments& arguments) {
  const AnyFilter filter = load_for_use(arguments.file);
  const KeyForm form = form_for(arguments.keys, arguments.file, filter);
  std::string key = decode_key(form, arguments.key);
  // `key` is the text; in a filter of unknown form it is the integer that the text spells, if only
  // the integer is there.
  const auto integer = form.is_known() ? std::nullopt : integer_spelt(arguments.key);
  if (integer && !filter.may_contain(key) && filter.may_contain(*integer)) {
    key = as_key(*integer);
  }
  const std::vector<Probe> probes = filter.probes(key);
  const Kind& kind = kind_of(filter.parameters().kind);
  std::size_t clear_count = 0;
  Report::Value probes_json = Report::Value::array();
  for (const Probe& probe : probes) {
    clear_count += probe.set ? 0 : 1;
    probes_json.push_back({{kind.forgets ? "generation" : "layer", probe.layer},
                           {"position", probe.position},
                           {"set", probe.set}});
  }
  const bool found = filter.may_contain(key);

  Report report;
  report.add("key", key, printable(key));
  report.add("key_byte_count", key.size());
  report.add("keys", form_text(form));
  if (filter.hashes_once()) {
    const HashPair hash = filter.hash(key);
    report.add("hash_pair", fmt::format("{:016x} {:016x}", hash.h1, hash.h2));
  }
  const std::string why_unknown = found ? "" : no_absent(arguments.file);
  const bool is_unknown = !why_unknown.empty();
  report.add("presence", found ? "maybe" : is_unknown ? "unknown" : "absent");
  report.add("reason", is_unknown     ? "some of its bits are clear, but " + why_unknown
                       : kind.forgets ? reason_in_generations(filter, probes)
                                      : reason(filter, found, clear_count, probes));
  report.add_json("probes", std::move(probes_json));
  Output output;
  if (!arguments.json) {
    output.write(report.text());
    output.write(probes_text(probes, filter.geometry(), kind));
    output.flush();
  } else {
    print(report, true, output);
  }
  if (is_unknown) return kFault;
  if (!found) complain_of_usual_forms(arguments.keys, {&arguments.file, 1});
  return found ? kSome : kNone;
}

}  // namespace

void add_explain(Command app, int& status) {
  const auto arguments = std::make_shared<ExplainArguments>();
  const Command command =
      app.add_subcommand("explain", "Show why a filter answers what it answers about a key");
  add_filter(command, "FILE", kWhereAFilterIs, arguments->file).required();
  command.add_option("KEY", arguments->key, "the key to ask about").required();
  add_form_options_to_ask(command, arguments->keys);
  add_json(command, arguments->json);
  command.footer(kExplainExamples);
  command.callback([arguments, &status] { status = explain(*arguments); });
}

}  // namespace bloomery::cli
