// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/program.h"

#include <fmt/core.h>

#include <charconv>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

namespace bloomery::bench {

int run_program(const Program& program, int argc, const char* const* argv,
                const std::function<void(cli::Command)>& declare, const std::function<int()>& run) {
  try {
    cli::CommandLine line(program.name, program.description, program.footer);
    declare(line.root());
    if (const std::optional<std::string> text = line.parse(argc, argv)) {
      fmt::print("{}", *text);
      return 0;
    }
    return run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program.name, error.what());
    return 2;
  }
}

void add_number(cli::Command command, const std::string& names, std::uint64_t least,
                std::uint64_t most, const std::string& description,
                std::function<void(std::uint64_t)> take) {
  const auto read = [=, take = std::move(take)](const std::string& text) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end || number < least || number > most) {
      throw std::invalid_argument(
          fmt::format("{} {} is no number from {} to {}", names, text, least, most));
    }
    take(number);
  };
  command.add_option(names, read, description).type_name("N");
}

cli::Option add_file(cli::Command command, const std::string& names, std::string& file,
                     const std::string& description) {
  const auto read = [&file](const std::string& text) {
    if (!std::filesystem::is_regular_file(text)) {
      throw std::invalid_argument(text + " is no file");
    }
    file = text;
  };
  return command.add_option(names, read, description).type_name("FILE");
}

}  // namespace bloomery::bench
