// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cli/command_line.h"

// Options that several commands have, so that they are spelled, read and refused alike. Each is
// read when the command line is: a value that cannot be is a std::invalid_argument that begins with
// the option's name.
namespace bloomery::cli {

Option add_capacity(Command command, std::optional<std::uint64_t>& capacity);
// Adds --capacity where keys are counted beforehand: +20% asks for a fifth more than there are.
Option add_capacity_or_growth(Command command, std::optional<std::uint64_t>& capacity,
                              std::optional<double>& growth);
Option add_rate(Command command, std::optional<double>& rate);
Option add_json(Command command, bool& json);

// --threads: how many work together; from here on as many as the processor runs at once, unless
// somebody says otherwise.
Option add_threads(Command command, unsigned& threads);

// An option that `read` understands, or refuses with a std::invalid_argument.
Option add_value(Command command, const std::string& names, const std::string& type,
                 const std::string& description, std::function<void(const std::string&)> read);

// A count such as 250000, 10M or 1e6, of at least 1.
Option add_count(Command command, const std::string& names, const std::string& description,
                 std::optional<std::uint64_t>& count);
std::uint64_t parse_positive(const std::string& text);

// A whole number, decimal or 0x and hexadecimal.
std::uint64_t parse_seed(const std::string& text);

// A rate above 0 and below 1; "1%" is 0.01.
double parse_rate(const std::string& text);

// Bits as a count ("10M"), or bytes with KiB, MiB, GiB or TiB behind ("16MiB").
std::uint64_t parse_bits(const std::string& text);

}  // namespace bloomery::cli
