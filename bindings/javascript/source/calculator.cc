// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/javascript/source/sizings.h"
#include "bloomery/filter/rates.h"
#include "bloomery/filter/solve.h"
#include "bloomery/format/native/file_layout.h"
#include "bloomery/format/native/file_part.h"
#include "bloomery/format/redisson.h"
#include "cli/textbook.h"

// Calls of docs/calculator/index.html, by themselves in a module of WebAssembly: numbers of
// JavaScript go in, and come out in `figures`.
namespace bloomery {
namespace {

using calculator::Sizing;

constexpr std::size_t kMostLayers = 8;

std::array<double, 3 * kMostLayers> figures;
std::string message;

// Returns nothing for NaN, which stands for a number that was not given.
template <class Number>
std::optional<Number> given(double value, double above, const char* what) {
  if (std::isnan(value)) return std::nullopt;
  if (value >= 0 && value < above) return static_cast<Number>(value);
  throw std::invalid_argument(std::string(what) + " are more than can be counted");
}

Known known_of(double capacity, double rate, double bits, double probes) {
  Known known{.capacity = given<std::uint64_t>(capacity, 0x1p64, "keys"),
              .bit_count = given<std::uint64_t>(bits, 0x1p64, "bits"),
              .probe_count = given<std::uint32_t>(probes, 0x1p32, "probes")};
  if (!std::isnan(rate)) known.false_positive_rate = rate;
  return known;
}

// Makes parameters of those figures of solve() that the page hands back to later calls.
FilterParameters parameters_of(double capacity, double rate) {
  return {.capacity = static_cast<std::uint64_t>(capacity), .false_positive_rate = rate};
}

// Calls visit(layers) with one layer more each time, until it returns false or no other comes.
template <class Visit>
void grow(const Sizing& sizing, const FilterParameters& parameters, Visit visit) {
  const FilterOptions options{.capacity = parameters.capacity,
                              .false_positive_rate = parameters.false_positive_rate};
  std::vector<Layer> layers;
  do layers.push_back(sizing.next(options, layers));
  while (visit(layers));
}

// The rate of a chain that has grown to so many keys. Where no machine has the next layer, the
// newest takes the keys that are left, and is too full.
double grown_rate(const Sizing& sizing, const FilterParameters& parameters, double keys) {
  double absent = 1;
  Layer newest;
  const auto fill_newest = [&](double in) {
    absent *= 1 - predicted_rate(newest.geometry, in);
    keys -= in;
  };
  try {
    grow(sizing, parameters, [&](const std::vector<Layer>& layers) {
      if (layers.size() > 1) fill_newest(static_cast<double>(newest.capacity));
      newest = layers.back();
      return keys > static_cast<double>(newest.capacity);
    });
  } catch (const std::invalid_argument&) {
    if (newest.capacity == 0) throw;
  }
  fill_newest(keys);
  return 1 - absent;
}

}  // namespace
}  // namespace bloomery

using namespace bloomery;  // the calls are its outside

extern "C" {

// Writes so many digits of a number, or so many behind the point of one with an exponent, and a
// zero behind them; returns how many bytes it wrote.
[[clang::import_module("page"), clang::import_name("write_number")]] int write_number(
    double value, int digits, bool with_exponent, char* to);

// The library writes "%.4g", "%g", "%.0f" and "%.*e" into its messages. What else printf can do is
// 8 KB.
int snprintf(char* to, size_t, const char* format, ...) {
  constexpr int kUsualDigits = 6;
  constexpr int kAllDigits = 17;
  std::va_list values;
  va_start(values, format);
  const bool with_exponent = format[2] == '*';
  int digits = kUsualDigits;
  if (with_exponent) {
    digits = va_arg(values, int);
  } else if (format[1] == '.') {
    digits = format[2] == '0' ? kAllDigits : std::atoi(format + 2);
  }
  const double value = va_arg(values, double);
  va_end(values);
  return write_number(value, digits, with_exponent, to);
}

const double* calculator_figures() {
  return figures.data();
}
// Why a call returned false.
const char* calculator_message() {
  return message.c_str();
}

// The names of all kinds and formats, each with a blank behind it. Calls take the number of one.
const char* calculator_kinds() {
  static const std::string names = [] {
    std::string all;
    for (const Sizing& each : calculator::sizings()) all += std::string(each.name) + ' ';
    return all;
  }();
  return names.c_str();
}

// capacity, rate, bits, probes, lines, bits of a line; the rate that it is made for, the bits in
// memory; and, of our own kinds, the bytes of a file, and how many parts it has in a cluster.
bool calculator_solve(unsigned kind, double capacity, double rate, double bits, double probes) {
  try {
    const Sizing& sizing = calculator::sizings()[kind];
    const Known known = known_of(capacity, rate, bits, probes);
    const calculator::Sized found = calculator::solve(sizing, known);
    const Geometry& geometry = found.geometry;
    const std::uint64_t stored = calculator::stored_bits(sizing, geometry);
    const FileLayout file = FileLayout::of(0, stored);
    const double parts = sizing.has_parts ? usual_parts(geometry.bit_count) : 0;
    const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
    figures = {number(found.capacity),
               found.predicted_rate,
               number(geometry.bit_count),
               number(geometry.probe_count),
               number(geometry.lines_per_key),
               number(geometry.line_bits),
               found.false_positive_rate,
               number(stored),
               is_foreign(sizing.kind) ? 0 : number(file.file_bytes),
               parts};
    return true;
  } catch (const std::exception& error) {
    message = error.what();
    return false;
  }
}

// The rate of what solve() found, with so many keys; `rate` is the one that it is made for.
double calculator_rate(unsigned kind, double bits, double probes, double lines, double line_bits,
                       double capacity, double rate, double keys) {
  try {
    const Sizing& sizing = calculator::sizings()[kind];
    FilterParameters parameters = parameters_of(capacity, rate);
    if (sizing.next != nullptr) return grown_rate(sizing, parameters, keys);
    parameters.geometry = {static_cast<std::uint64_t>(bits), static_cast<std::uint32_t>(probes),
                           static_cast<std::uint32_t>(lines),
                           static_cast<std::uint32_t>(line_bits)};
    return sizing.rate(parameters, keys);
  } catch (const std::exception&) {
    return NAN;
  }
}

// Writes for each layer the keys, the bits and the bound of the rate of the chain up to it. Returns
// how many layers there are.
unsigned calculator_layers(unsigned kind, double capacity, double rate) {
  const Sizing& sizing = calculator::sizings()[kind];
  if (sizing.next == nullptr) return 0;
  unsigned count = 0;
  double keys = 0;
  double bits = 0;
  double bound = 0;
  try {
    grow(sizing, parameters_of(capacity, rate), [&](const std::vector<Layer>& layers) {
      const Layer& newest = layers.back();
      figures[3 * count] = keys += static_cast<double>(newest.capacity);
      figures[3 * count + 1] = bits += static_cast<double>(newest.geometry.bit_count);
      figures[3 * count + 2] = bound += newest.false_positive_rate;
      return ++count < kMostLayers;
    });
  } catch (const std::exception&) {  // no machine has the next
  }
  return count;
}

// Redisson's probes follow each other, and more than the formula says hit: by trial.
double calculator_redisson_rate(double bits, double probes, double keys) {
  return redisson::expected_rate(static_cast<std::uint64_t>(bits),
                                 static_cast<std::uint32_t>(probes),
                                 static_cast<std::uint64_t>(keys));
}

// False where what is given does not fix the rest.
bool calculator_textbook(double capacity, double rate, double bits, double probes) {
  try {
    const auto found = cli::textbook(known_of(capacity, rate, bits, probes));
    if (!found) return false;
    figures[0] = found->capacity;
    figures[2] = found->bit_count;
    figures[3] = found->probe_count;
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

double calculator_textbook_rate(double bits, double probes, double keys) {
  return cli::Textbook{.bit_count = bits, .probe_count = probes}.rate_at(keys);
}

}  // extern "C"
