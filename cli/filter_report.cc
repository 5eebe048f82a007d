#include "cli/filter_report.h"

#include "bloomery/filter/filter_kinds.h"
#include "cli/messages.h"

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
  report.add("bit_count", geometry.bit_count, count_text(geometry.bit_count));
  report.add("byte_count", byte_count, bytes_text(byte_count));
  report.add("bits_per_key",
             8 * static_cast<double>(byte_count) / static_cast<double>(parameters.capacity));
  report.add("probe_count", geometry.probe_count);
  report.add("lines_per_key", geometry.lines_per_key,
             geometry.lines_per_key == 0 ? "anywhere" : "");
  report.add("hash", secret ? "HighwayHash-128" : "XXH3-128",
             secret ? "HighwayHash-128 under a secret key"
                    : "XXH3-128, and a mixer of its own for keys of eight bytes");
  report.add("secret", secret);
  if (!secret) report.add("seed", parameters.hash.seed());
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
