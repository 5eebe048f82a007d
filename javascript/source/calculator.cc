#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

#include "bloomery/filter/rates.h"
#include "bloomery/filter/solve.h"
#include "cli/textbook.h"

// What docs/calculator/index.html calls, by itself in a module of WebAssembly: numbers of
// JavaScript go in, and come out in `figures`.
namespace bloomery {
namespace {

double figures[5];  // capacity, rate, bits, probes, lines
std::string message;

// What was not given is no number.
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

}  // namespace
}  // namespace bloomery

using namespace bloomery;  // the calls are its outside

extern "C" {

// Writes so many digits of a number and a zero behind them; returns how many bytes it wrote.
[[clang::import_module("page"), clang::import_name("write_number")]] int write_number(double value,
                                                                                      int digits,
                                                                                      char* to);

// The library writes "%.4g" and "%.12g" into its messages. What else printf can do is 8 KB.
int snprintf(char* to, size_t, const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  const double value = va_arg(values, double);
  va_end(values);
  return write_number(value, std::atoi(format + 2), to);
}

const double* calculator_figures() {
  return figures;
}
// Why calculator_solve() returned false.
const char* calculator_message() {
  return message.c_str();
}

bool calculator_solve(bool is_classic, double capacity, double rate, double bits, double probes) {
  try {
    const FilterKind kind = is_classic ? FilterKind::classic : FilterKind::blocked;
    const Solution found = solve(kind, known_of(capacity, rate, bits, probes));
    const Geometry& geometry = found.geometry;
    figures[0] = static_cast<double>(found.capacity);
    figures[1] = found.predicted_rate;
    figures[2] = static_cast<double>(geometry.bit_count);
    figures[3] = geometry.probe_count;
    figures[4] = geometry.lines_per_key;
    return true;
  } catch (const std::exception& error) {
    message = error.what();
    return false;
  }
}

double calculator_rate(double bits, double probes, double lines, double keys) {
  return predicted_rate({static_cast<std::uint64_t>(bits), static_cast<std::uint32_t>(probes),
                         static_cast<std::uint32_t>(lines)},
                        keys);
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
