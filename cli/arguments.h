#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/filter/options.h"
#include "bloomery/filter/parameters.h"
#include "bloomery/source/source_options.h"
#include "bloomery/store/filter_location.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

// Options that several commands have, so that they are spelled, read and refused alike. Each is
// read when the command line is: a value that cannot be is a std::invalid_argument that begins with
// the option's name.
namespace bloomery::cli {

CLI::Option* add_capacity(CLI::App& command, std::optional<std::uint64_t>& capacity);
CLI::Option* add_rate(CLI::App& command, std::optional<double>& rate);
CLI::Option* add_kind(CLI::App& command, std::optional<FilterKind>& kind);
CLI::Option* add_json(CLI::App& command, bool& json);

// What create and load make.
struct NewFilter {
  std::optional<std::uint64_t> capacity;
  std::optional<double> rate;
  std::optional<FilterKind> kind;
  std::uint64_t seed = 0;
  bool secret = false;
  std::optional<double> expansion;
  std::optional<double> tightening;
  std::optional<std::uint64_t> window_ms;
  std::optional<std::uint64_t> generations;

  FilterKind kind_or_default() const { return kind.value_or(FilterKind::blocked); }
  // `capacity` and `rate` are there. Throws std::invalid_argument for an option that the kind does
  // not have.
  FilterOptions options() const;
};

// The empty filter that `wanted` and a location ask for: of one of our kinds, or as the location's
// format makes them. Throws std::invalid_argument for an option that these do not have.
AnyFilter empty_filter(const NewFilter& wanted, const FilterLocation& location);

// --kind, --seed, --secret, --expansion, --tightening, --window, --generations.
void add_new_filter_options(CLI::App& command, NewFilter& filter);

// FILE: a filter's file, our own or FORMAT:FILE.
CLI::Option* add_filter(CLI::App& command, const std::string& name, const std::string& description,
                        FilterLocation& location);
CLI::Option* add_filters(CLI::App& command, const std::string& name, const std::string& description,
                         std::vector<FilterLocation>& locations);

// Where nobody gave --as: what the format of the filter takes keys for. Throws
// std::invalid_argument where several filters take them for different things.
void choose_encoding(const CLI::App& command, std::span<const FilterLocation> filters,
                     KeyEncoding& encoding);

// --as, -0, -F/--field, -d/--delimiter: which bytes of the input are the key.
void add_key_options(CLI::App& command, SourceOptions& options);
CLI::Option* add_encoding(CLI::App& command, KeyEncoding& encoding);

// A whole number, decimal or 0x and hexadecimal.
std::uint64_t parse_seed(const std::string& text);

// A count such as 250000, 10M or 1e6, of at least 1.
CLI::Option* add_count(CLI::App& command, const std::string& names, const std::string& description,
                       std::optional<std::uint64_t>& count);

// An option that `read` understands, or refuses with a std::invalid_argument.
CLI::Option* add_value(CLI::App& command, const std::string& names, const std::string& type,
                       const std::string& description,
                       std::function<void(const std::string&)> read);

// A rate above 0 and below 1; "1%" is 0.01.
double parse_rate(const std::string& text);

// Bits as a count ("10M"), or bytes with KiB, MiB, GiB or TiB behind ("16MiB").
std::uint64_t parse_bits(const std::string& text);

}  // namespace bloomery::cli
