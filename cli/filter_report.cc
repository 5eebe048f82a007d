#include "cli/filter_report.h"

#include "bloomery/filter/filter_kinds.h"
#include "cli/messages.h"
#include "cli/text_table.h"

namespace bloomery::cli {

void add_parameters(Report& report, const FilterContents& contents) {
  const FilterParameters& parameters = contents.parameters;
  const Geometry& geometry = parameters.geometry;
  const bool secret = parameters.hash.id() == HashId::secret;
  const std::uint64_t byte_count = 8 * stored_word_count(contents);
  report.add("kind", kind_name(parameters.kind));
  report.add("capacity", parameters.capacity, count_text(parameters.capacity));
  report.add("false_positive_rate", parameters.false_positive_rate,
             rate_text(parameters.false_positive_rate) + " at capacity");
  const std::uint64_t bit_count = contents.layers.empty() ? geometry.bit_count : 8 * byte_count;
  report.add("bit_count", bit_count, count_text(bit_count));
  report.add("byte_count", byte_count, bytes_text(byte_count));
  report.add("bits_per_key",
             8 * static_cast<double>(byte_count) / static_cast<double>(contents.capacity()));
  report.add("probe_count", geometry.probe_count);
  report.add("lines_per_key", geometry.lines_per_key,
             geometry.lines_per_key == 0 ? "anywhere" : "");
  if (!contents.layers.empty()) {
    report.add("expansion", parameters.growth.expansion);
    report.add("tightening", parameters.growth.tightening);
  }
  report.add("hash", secret ? "HighwayHash-128" : "XXH3-128",
             secret ? "HighwayHash-128 under a secret key"
                    : "XXH3-128, and a mixer of its own for keys of eight bytes");
  report.add("secret", secret);
  if (!secret) report.add("seed", parameters.hash.seed());
}

void add_layers(Report& report, const FilterContents& contents) {
  if (contents.layers.empty()) return;
  Report::Value layers = Report::Value::array();
  for (const Layer& each : contents.layers) {
    layers.push_back({{"capacity", each.capacity},
                      {"inserted", each.inserted},
                      {"bit_count", each.geometry.bit_count},
                      {"probe_count", each.geometry.probe_count},
                      {"lines_per_key", each.geometry.lines_per_key},
                      {"false_positive_rate", each.false_positive_rate}});
  }
  report.add("layer_count", layers.size());
  report.add_json("layers", std::move(layers));
}

std::string layers_text(const FilterContents& contents) {
  if (contents.layers.empty()) return {};
  TextTable table;
  table.add_row({"layer", "capacity", "inserted", "bytes", "rate"});
  for (std::size_t i = 0; i < contents.layers.size(); ++i) {
    const Layer& each = contents.layers[i];
    table.add_row({std::to_string(i), std::to_string(each.capacity), std::to_string(each.inserted),
                   std::to_string(each.geometry.bit_count / 8),
                   short_number(each.false_positive_rate)});
  }
  return table.text(2);
}

double add_state(Report& report, const AnyFilter& filter) {
  const double rate = filter.predicted_rate();
  report.add("inserted", filter.inserted(), count_text(filter.inserted()));
  report.add("predicted_rate", rate, rate_text(rate) + " now");
  return rate;
}

void warn_if_overfull(const std::string& file, const AnyFilter& filter, double rate_now) {
  if (filter.inserted() <= filter.capacity()) return;
  complain(file + " holds about " + std::to_string(filter.inserted()) +
           " keys, more than its capacity of " + std::to_string(filter.capacity()) +
           "; its rate is now " + short_number(rate_now) + " instead of " +
           short_number(filter.parameters().false_positive_rate));
}

}  // namespace bloomery::cli
