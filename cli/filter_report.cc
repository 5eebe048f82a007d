// SPDX-License-Identifier: Apache-2.0
#include "cli/filter_report.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bloomery/filter/windowed_layout.h"
#include "bloomery/format/bitmap_gap.h"
#include "bloomery/format/kinds.h"
#include "bloomery/open/open_place.h"
#include "bloomery/redis/places/live_bitmap.h"
#include "bloomery/text/human_number.h"
#include "cli/messages.h"
#include "cli/text_table.h"

namespace bloomery::cli {
namespace {

// The fewest clear bits that a cardinality is estimated from. With fewer, chance decides it.
constexpr double kTellingClearBits = 16;

void add_window(Report& report, const FilterParameters& parameters) {
  const Window& window = parameters.window;
  const std::uint64_t generations = window.generations;
  const bool by_time = window.length_ms != 0;
  const std::uint64_t length = by_time ? window.length_ms : parameters.capacity;
  const std::uint64_t longest = length + (length + generations - 1) / generations;
  const auto text = [&](std::uint64_t value) {
    return by_time ? format_duration_ms(value) : count_text(value) + " inserts";
  };
  report.add("generation_count", generations);
  report.add(by_time ? "window_ms" : "window_inserts", length, text(length));
  report.add(by_time ? "retention_ms" : "retention_inserts",
             Report::Value{{"least", length}, {"most", longest}},
             "from " + text(length) + " to " + text(longest));
}

}  // namespace

void add_live_settings(Report& report, const PlaceLocation& location,
                       const FilterContents& contents) {
  if (!location.is_live() || !location.is_foreign()) return;  // ours says all by itself
  // A location may not give settings that a configuration beside the bitmap says.
  const bool is_configured = !redis::config_fields(*location.format).names.empty();
  FormatSettings all = is_configured ? FormatSettings() : location.format->settings_of(contents);
  if (location.has_trailer) all["trailer"] = "1";
  if (all.empty()) return;
  std::string text = location.text();
  char mark = text.find('?') == std::string::npos ? '?' : '&';
  std::string settings;
  for (const auto& [name, value] : all) {
    settings += mark + name + "=" + value;
    mark = '&';
  }
  report.add("location", text.insert(text.find('#'), settings));
}

bool is_too_full_to_count(double rate_now) noexcept {
  return rate_now > 0.5;
}

void add_parameters(Report& report, const FilterContents& contents, bool is_derived) {
  const FilterParameters& parameters = contents.parameters;
  const Geometry& geometry = parameters.geometry;
  const bool foreign = is_foreign(parameters.kind);
  const bool secret = parameters.hash.id() == HashId::secret;
  const std::uint64_t byte_count = 8 * any_word_count(contents);
  report.add("kind", kind_of(parameters.kind).name);
  const std::string about = is_derived ? "about " : "";
  report.add("capacity", parameters.capacity, about + count_text(parameters.capacity));
  report.add("false_positive_rate", parameters.false_positive_rate,
             about + rate_text(parameters.false_positive_rate) + " at capacity");
  const std::uint64_t bit_count = contents.layers.empty() ? geometry.bit_count : 8 * byte_count;
  report.add("bit_count", bit_count, count_text(bit_count));
  report.add("byte_count", byte_count, bytes_text(byte_count));
  report.add("bits_per_key",
             8 * static_cast<double>(byte_count) / static_cast<double>(contents.capacity()));
  const bool compares = kind_of(parameters.kind).compares;
  report.add(compares ? "fingerprint_bits" : "probe_count", geometry.probe_count);
  report.add("lines_per_key", geometry.lines_per_key,
             geometry.lines_per_key == 0 ? "anywhere" : "");
  if (!contents.layers.empty()) {
    report.add("expansion", parameters.growth.expansion);
    report.add("tightening", parameters.growth.tightening);
  }
  const std::string_view hash = any_hash_name(parameters);
  report.add("hash", hash,
             std::string(hash) + (secret ? " under a secret key"
                                  : parameters.hash.mixes_integers() && !foreign
                                      ? ", and a mixer of its own for keys of eight bytes"
                                      : ""));
  report.add("secret", secret);
  if (!secret && !foreign) report.add("seed", parameters.hash.seed());
  if (kind_of(parameters.kind).forgets) add_window(report, parameters);
}

void add_generations(Report& report, const AnyFilter& filter) {
  if (!kind_of(filter.parameters().kind).forgets) return;
  const WindowedLayout layout(filter.parameters());
  Report::Value generations = Report::Value::array();
  std::string text;
  for (const Generation& each : layout.generations(filter.contents().words.front())) {
    const auto keys = static_cast<std::uint64_t>(std::llround(each.cardinality));
    Report::Value json{{"age", each.age},
                       {"cardinality", keys},
                       {"fill_ratio", each.fill_ratio},
                       {"predicted_rate", each.predicted_rate}};
    if (each.begin_ms != 0) json["begin_ms"] = each.begin_ms;
    generations.push_back(std::move(json));
    text += (text.empty() ? "" : ", ") + format_count(keys);
  }
  report.add("generations", std::move(generations), "about " + text + " keys, the newest first");
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
  const bool is_least = is_too_full_to_count(rate);
  report.add("inserted", filter.inserted(),
             (is_least ? "at least " : "") + count_text(filter.inserted()));
  report.add_json("inserted_is_least", is_least);
  const Kind& kind = kind_of(filter.parameters().kind);
  if (filter.can_insert() && !kind.has_layers && !kind.forgets) {
    const std::uint64_t room =
        is_least ? 0 : filter.capacity() - std::min(filter.capacity(), filter.inserted());
    report.add("room_count", room, count_text(room) + " more keys");
  }
  report.add("predicted_rate", rate, rate_text(rate) + " now");
  return rate;
}

void add_cardinality(Report& report, const AnyFilter& filter) {
  const double fill = filter.fill_ratio();
  const double clear = (1 - fill) * 64 * static_cast<double>(any_word_count(filter.contents()));
  if (fill > 0.5 && clear < kTellingClearBits) {
    report.add("cardinality", nullptr,
               "cannot be told: " + std::to_string(std::llround(clear)) + " bits are clear");
    return;
  }
  const double keys = filter.cardinality();
  report.add("cardinality", keys,
             "about " + count_text(static_cast<std::uint64_t>(std::llround(keys))));
}

void warn_of_gaps(const PlaceLocation& location, const AnyFilter& filter) {
  if (location.format == nullptr) return;
  const FilterContents contents = filter.contents();
  const auto unasked = location.format->unasked;
  for (const std::string& each :
       {gap_advice(contents), unasked != nullptr ? unasked(contents) : std::string()}) {
    if (!each.empty()) complain(location.text() + ": " + each);
  }
}

std::string no_absent(const PlaceLocation& location) {
  if (!location.is_live()) return "";
  return std::string(why(open_place(location, {.allow_forgetting = true})->head().no_absent));
}

void require_absent(const PlaceLocation& location) {
  const std::string why = no_absent(location);
  if (!why.empty()) throw std::invalid_argument(location.text() + ": " + why);
}

AnyFilter load_for_use(const PlaceLocation& location) {
  AnyFilter filter = load(location);
  warn_of_gaps(location, filter);
  return filter;
}

void advise(const PlaceLocation& location, const AnyFilter& filter) {
  const Format* const format = location.format;
  if (location.has_own_kinds()) return;
  const std::string advice =
      format->advice == nullptr ? std::string(format->warning) : format->advice(filter.contents());
  if (!advice.empty()) complain(location.text() + ": " + advice);
}

void advise_of_keys(const PlaceLocation& location, std::uint64_t bit_count,
                    std::span<const Key> keys) {
  constexpr std::size_t kSample = 10'000;
  if (location.format == nullptr || location.format->key_advice == nullptr) return;
  const std::string advice =
      location.format->key_advice(keys.first(std::min(keys.size(), kSample)), bit_count);
  if (!advice.empty()) complain(location.text() + ": " + advice);
}

void warn_if_overfull(const std::string& file, const AnyFilter& filter, double rate_now) {
  // A windowed filter holds the right number of keys as long as its rate is right.
  const bool forgets = kind_of(filter.parameters().kind).forgets;
  if (forgets && rate_now <= 1.05 * filter.parameters().false_positive_rate) return;
  const std::uint64_t holds =
      forgets ? static_cast<std::uint64_t>(std::llround(filter.cardinality())) : filter.inserted();
  // Some settings give more bits than the capacity needs.
  if (holds <= filter.capacity() || rate_now <= filter.parameters().false_positive_rate) return;
  const bool is_least = !forgets && is_too_full_to_count(rate_now);
  complain(file + " holds " + (is_least ? "at least " : "about ") + std::to_string(holds) +
           " keys, " + (is_least ? "far " : "") + "more than its capacity of " +
           std::to_string(filter.capacity()) + "; its rate is now " + short_number(rate_now) +
           " instead of " + short_number(filter.parameters().false_positive_rate));
}

}  // namespace bloomery::cli
