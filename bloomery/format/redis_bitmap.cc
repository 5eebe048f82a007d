#include "bloomery/format/redis_bitmap.h"

#include <charconv>
#include <string>

#include "bloomery/format/bit_order.h"
#include "bloomery/format/foreign_kinds.h"

namespace bloomery {
namespace {

std::string shortest(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(std::begin(text), std::end(text), value);
  return {text, end};
}

}  // namespace

AnyFilter open_bitmap(const FilterParameters& parameters, std::span<const std::byte> bytes,
                      std::string_view format) {
  const FilterContents contents{.parameters = parameters};
  check_any_contents(contents);
  HeapWords words(any_word_count(contents));
  read_bits(bytes, BitOrder::msb_first, parameters.geometry.bit_count, words.words(),
            std::string(format));
  return open_foreign(contents, std::move(words));
}

void write_bitmap(const FilterContents& contents, const ByteSink& sink) {
  const auto words = contents.words.front();
  write_bits(words, used_byte_count(words, BitOrder::msb_first), BitOrder::msb_first, sink);
}

FilterParameters bitmap_parameters(FilterKind kind, const SettingsReader& read,
                                   Geometry (*sizing)(std::uint64_t capacity, double rate)) {
  const auto bits = read.count("bits");
  const auto probes = read.count("probes");
  const auto capacity = read.count("capacity");
  const auto rate = read.rate("rate");
  FilterParameters parameters{.kind = kind};
  if (bits && probes) {
    if (*probes > 255) read.refuse("probes", "at most 255");
    parameters.geometry = {.bit_count = *bits, .probe_count = static_cast<std::uint32_t>(*probes)};
  } else if (capacity && rate) {
    parameters.geometry = sizing(*capacity, *rate);
  } else {
    read.refuse_missing("bits and probes, or capacity and rate");
  }
  derive_promise(parameters);
  if (capacity) parameters.capacity = *capacity;
  if (rate) parameters.false_positive_rate = *rate;
  return parameters;
}

FormatSettings bitmap_settings(const FilterContents& contents) {
  const FilterParameters& parameters = contents.parameters;
  return {{"bits", std::to_string(parameters.geometry.bit_count)},
          {"probes", std::to_string(parameters.geometry.probe_count)},
          {"capacity", std::to_string(parameters.capacity)},
          {"rate", shortest(parameters.false_positive_rate)}};
}

}  // namespace bloomery
