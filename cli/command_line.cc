#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <sstream>
#include <stdexcept>

namespace bloomery::cli {
namespace {

// The words after which the parser stopped: "bloomery" or "bloomery check".
std::string words_parsed(const CLI::App& app) {
  std::string words = app.get_name();
  for (const CLI::App* command : app.get_subcommands()) words += " " + command->get_name();
  return words;
}

}  // namespace

const Option& Option::required() const {
  option_->required();
  return *this;
}

const Option& Option::description(const std::string& text) const {
  option_->description(text);
  return *this;
}

const Option& Option::type_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

const Option& Option::excludes(Option other) const {
  option_->excludes(other.option_);
  return *this;
}

const Option& Option::needs(Option other) const {
  option_->needs(other.option_);
  return *this;
}

const Option& Option::range(double least, double most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

const Option& Option::shows_default() const {
  option_->capture_default_str();
  return *this;
}

Command Command::add_subcommand(const std::string& name, const std::string& description) const {
  return Command(app_->add_subcommand(name, description));
}

void Command::require_subcommand() const {
  app_->require_subcommand(1);
}

void Command::footer(const std::string& text) const {
  app_->footer(text);
}

void Command::callback(std::function<void()> run) const {
  app_->callback(std::move(run));
}

Option Command::add_option(const std::string& names, std::string& text,
                           const std::string& description) const {
  return Option(app_->add_option(names, text, description));
}

Option Command::add_option(const std::string& names, std::vector<std::string>& texts,
                           const std::string& description) const {
  return Option(app_->add_option(names, texts, description));
}

Option Command::add_option(const std::string& names, double& number,
                           const std::string& description) const {
  return Option(app_->add_option(names, number, description));
}

Option Command::add_option(const std::string& names, std::optional<std::uint64_t>& number,
                           const std::string& description) const {
  return Option(app_->add_option(names, number, description));
}

Option Command::add_option(const std::string& names, std::function<void(const std::string&)> read,
                           const std::string& description) const {
  return Option(app_->add_option_function<std::string>(names, read, description));
}

Option Command::add_options(const std::string& names,
                            std::function<void(const std::vector<std::string>&)> read,
                            const std::string& description) const {
  return Option(app_->add_option_function<std::vector<std::string>>(names, read, description));
}

Option Command::add_flag(const std::string& names, bool& flag,
                         const std::string& description) const {
  return Option(app_->add_flag(names, flag, description));
}

Option Command::add_flag(const std::string& names, std::function<void()> act,
                         const std::string& description) const {
  return Option(app_->add_flag_callback(names, std::move(act), description));
}

bool Command::has(const std::string& name) const {
  return app_->count(name) > 0;
}

CommandLine::CommandLine(const std::string& name, const std::string& description,
                         const std::string& version, const std::string& footer)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->set_version_flag("--version", version, "Print the version and exit");
  app_->footer(footer);
  app_->require_subcommand(1);
}

CommandLine::~CommandLine() = default;

Command CommandLine::root() const {
  return Command(app_.get());
}

std::vector<std::string> CommandLine::command_names() const {
  std::vector<std::string> names;
  for (const CLI::App* command : app_->get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::optional<std::string> CommandLine::parse(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    // --help and --version come out of the parser as exceptions too.
    if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success)) {
      throw std::invalid_argument(std::string(error.what()) + "\nTry: " + words_parsed(*app_) +
                                  " --help");
    }
    std::ostringstream text;
    app_->exit(error, text, text);
    return text.str();
  }
}

}  // namespace bloomery::cli
