// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/redis_bitmap.h"

#include <stdexcept>
#include <string>

#include "bloomery/format/bit_order.h"
#include "bloomery/format/kinds.h"
#include "bloomery/text/shortest.h"

namespace bloomery {
AnyFilter open_bitmap(const FilterParameters& parameters, std::span<const std::byte> bytes,
                      std::string_view format, BitOrder order) {
  const FilterContents contents{.parameters = parameters};
  check_any_contents(contents);
  HeapWords words(any_word_count(contents));
  read_bits(bytes, order, parameters.geometry.bit_count, words.words(), std::string(format));
  return open_foreign(contents, std::move(words));
}

AnyFilter create_bitmap(const FilterParameters& parameters, std::string_view format) {
  const double rate =
      kind_of(parameters.kind).rate(parameters, static_cast<double>(parameters.capacity));
  if (rate > parameters.false_positive_rate) {
    throw std::invalid_argument(
        std::string(format) + ": " + std::to_string(parameters.geometry.bit_count) + " bits and " +
        std::to_string(parameters.geometry.probe_count) + " probes hold " +
        std::to_string(parameters.capacity) + " keys at a rate of " + shortest(rate) + ", not " +
        shortest(parameters.false_positive_rate));
  }
  return make_foreign(parameters);
}

void write_bitmap(const FilterContents& contents, const ByteSink& sink) {
  const auto words = contents.words.front();
  write_bits(words, used_byte_count(words, BitOrder::msb_first), BitOrder::msb_first, sink);
}

void write_bit_set(const FilterContents& contents, const ByteSink& sink) {
  const auto words = contents.words.front();
  write_bits(words, used_byte_count(words, BitOrder::lsb_first), BitOrder::lsb_first, sink);
}

FilterParameters bitmap_parameters(FilterKind kind, const SettingsReader& read,
                                   Geometry (*sizing)(std::uint64_t capacity, double rate)) {
  const auto bits = read.count("bits");
  const auto probes = read.count("probes");
  const auto capacity = read.count("capacity");
  const auto rate = read.rate("rate");
  Geometry geometry;
  if (bits && probes) {
    if (*probes > 255) read.refuse("probes", "at most 255");
    geometry = {.bit_count = *bits, .probe_count = static_cast<std::uint32_t>(*probes)};
  } else if (capacity && rate) {
    geometry = sizing(*capacity, *rate);
  } else {
    read.refuse_missing("bits and probes, or capacity and rate");
  }
  return promised_parameters(kind, geometry, read);
}

FilterParameters promised_parameters(FilterKind kind, const Geometry& geometry,
                                     const SettingsReader& read) {
  FilterParameters parameters{.kind = kind, .geometry = geometry};
  derive_promise(parameters);
  parameters.capacity = read.count("capacity").value_or(parameters.capacity);
  parameters.false_positive_rate = read.rate("rate").value_or(parameters.false_positive_rate);
  return parameters;
}

FilterParameters promised_parameters(FilterKind kind, const Geometry& geometry,
                                     const FilterOptions& options) {
  validate(options);
  return {.kind = kind,
          .geometry = geometry,
          .capacity = options.capacity,
          .false_positive_rate = options.false_positive_rate};
}

FormatSettings bitmap_settings(const FilterContents& contents) {
  const FilterParameters& parameters = contents.parameters;
  return {{"bits", std::to_string(parameters.geometry.bit_count)},
          {"probes", std::to_string(parameters.geometry.probe_count)},
          {"capacity", std::to_string(parameters.capacity)},
          {"rate", shortest(parameters.false_positive_rate)}};
}

FormatSettings sized_bitmap_settings(const FilterContents& contents) {
  FormatSettings settings = bitmap_settings(contents);
  settings.erase("probes");
  return settings;
}

}  // namespace bloomery
