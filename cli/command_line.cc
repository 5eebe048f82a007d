// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <stdexcept>

#include "bloomery/text/printable.h"
#include "cli/did_you_mean.h"
#include "cli/help_text.h"
#include "cli/terminal.h"

namespace bloomery::cli {
namespace {

constexpr const char* kNoGroup = "Subcommands";  // what the parser gives to a new command
constexpr const char* kEverydayGroup = "Everyday options";

OptionManual manual_of(const CLI::Option& option) {
  OptionManual manual;
  if (option.get_positional()) {
    manual.names.push_back(option.get_name(true));
  } else {
    for (const std::string& name : option.get_snames()) manual.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) manual.names.push_back("--" + name);
  }
  if (option.get_items_expected_max() > 0) manual.value = option.get_type_name();
  manual.description = option.get_description();
  manual.default_text = option.get_default_str();
  manual.required = option.get_required();
  manual.repeated = option.get_items_expected_max() > 1;
  manual.everyday = option.get_group() == kEverydayGroup;
  for (const CLI::Option* other : option.get_excludes()) {
    manual.excludes.push_back(other->get_name());
  }
  for (const CLI::Option* other : option.get_needs()) manual.needs.push_back(other->get_name());
  std::ranges::sort(manual.excludes);  // the parser sorts them by their place in memory
  std::ranges::sort(manual.needs);
  return manual;
}

CommandManual manual_of(const CLI::App& app, const std::string& name) {
  CommandManual manual{name, app.get_description(), {}, {}, {}, app.get_footer(), app.get_group()};
  for (const CLI::Option* option : app.get_options({})) {
    (option->get_positional() ? manual.positionals : manual.options).push_back(manual_of(*option));
  }
  std::ranges::stable_partition(manual.options, &OptionManual::everyday);
  for (const CLI::App* command : app.get_subcommands({})) {
    manual.commands.push_back(manual_of(*command, name + " " + command->get_name()));
  }
  return manual;
}

// The option that nobody knows, if that is what is wrong. The parser itself may complain first of
// one that is missing, for which the unknown one was meant.
std::string unknown_option(const CLI::App& app, const CommandManual& command) {
  std::vector<std::string> names;
  for (const OptionManual& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  for (const std::string& word : app.remaining(true)) {
    if (word.size() < 2 || word.front() != '-' || word == "--") continue;
    const std::string name = word.substr(0, word.find('='));
    if (std::ranges::find(names, name) != names.end()) continue;
    if (name.size() == 3 && std::ranges::find(names, name.substr(1)) != names.end()) {
      return printable(name) + " is no option of " + command.name + "; did you mean " +
             name.substr(1) + "?";
    }
    return printable(name) + " is no option of " + command.name + did_you_mean(name, names);
  }
  return {};
}

// The command that the first words name: `bloomery`, or one of its commands or theirs. The parser
// would only say of a wrong name that it expected another.
CommandManual command_of(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* last = &app;
  std::string name = app.get_name();
  for (const std::string& word : words) {
    const std::vector<const CLI::App*> commands = last->get_subcommands({});
    if (commands.empty() || word.starts_with('-')) break;
    const auto found = std::ranges::find(commands, word, &CLI::App::get_name);
    if (found == commands.end()) command_named(manual_of(*last, name), word);
    last = *found;
    name += " " + word;
  }
  return manual_of(*last, name);
}

// Returns whether a word is an option that takes the next word for its value, even if that is --.
bool takes_next(const CommandManual& command, const std::string& word) {
  return std::ranges::any_of(command.options, [&](const OptionManual& option) {
    return !option.value.empty() && std::ranges::find(option.names, word) != option.names.end();
  });
}

// Words after -- are names. But once a list of files has one, the parser looks for no more of them
// there; so they stand where it does look, and none as an option would.
void take_out_mark(const CommandManual& command, std::vector<std::string>& words) {
  auto mark = std::ranges::find(words, "--");
  while (mark != words.end() && mark != words.begin() && takes_next(command, *(mark - 1))) {
    mark = std::find(mark + 1, words.end(), "--");
  }
  if (mark == words.end() || command.positionals.empty()) return;
  if (!command.positionals.back().repeated) return;
  for (auto word = mark + 1; word != words.end(); ++word) {
    if (word->size() > 1 && word->front() == '-') word->insert(0, "./");
  }
  words.erase(mark);
}

// Refuses an empty value of an option: a script's unset variable would ask for less than it seems
// to. An argument that is no option looks at its text itself.
Option with_value(CLI::Option* option) {
  const auto why_not = [](const std::string& text) {
    return std::string(text.empty() ? "its value is empty (an unset variable?)" : "");
  };
  return Option(option->get_positional() ? option : option->check(why_not, ""));
}

// Gives "--name=" its empty value as a word of its own: the parser would take the next word for it.
void give_empty_values(const CommandManual& command, std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (takes_next(command, words[i])) {
      ++i;
    } else if (words[i].starts_with("--") && words[i].find('=') + 1 == words[i].size()) {
      words[i].pop_back();
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(++i), "");
    }
  }
}

// Adds --help, which stands last in the help of what was added before.
void add_help(CLI::App& app) {
  app.set_help_flag("-h,--help", "Print this help and exit");
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
  option_->check(CLI::Range(least, most).description(""));  // the option's own says the range
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

void Command::end_group(const std::string& title) const {
  for (CLI::App* const command : app_->get_subcommands({})) {
    if (command->get_group() == kNoGroup) command->group(title);
  }
}

void Command::everyday(std::span<const char* const> names) const {
  for (const char* const name : names) app_->get_option(name)->group(kEverydayGroup);
}

void Command::footer(const std::string& text) const {
  app_->footer(text);
}

void Command::callback(std::function<void()> run) const {
  app_->callback(std::move(run));
}

Option Command::add_option(const std::string& names, std::string& text,
                           const std::string& description) const {
  return with_value(app_->add_option(names, text, description));
}

Option Command::add_option(const std::string& names, std::vector<std::string>& texts,
                           const std::string& description) const {
  return with_value(app_->add_option(names, texts, description));
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
  return with_value(app_->add_option_function<std::string>(names, read, description));
}

Option Command::add_options(const std::string& names,
                            std::function<void(const std::vector<std::string>&)> read,
                            const std::string& description) const {
  return with_value(app_->add_option_function<std::vector<std::string>>(names, read, description));
}

Option Command::add_repeated(const std::string& names, std::vector<std::string>& texts,
                             const std::string& description) const {
  CLI::Option* const option = app_->add_option(names, CLI::callback_t(), description);
  option->type_size(1)->expected(1, CLI::detail::expected_max_vector_size);
  option->allow_extra_args(false);
  // `each` gets every word whole; a callback would get words taken apart at brackets and braces.
  option->each([&texts](const std::string& text) { texts.push_back(text); });
  return Option(option);
}

Option Command::add_flag(const std::string& names, bool& flag,
                         const std::string& description) const {
  return Option(app_->add_flag(names, flag, description));
}

Option Command::add_flag(const std::string& names, std::function<void()> act,
                         const std::string& description) const {
  return Option(app_->add_flag_callback(names, std::move(act), description));
}

CommandManual Command::manual() const {
  return manual_of(*app_, app_->get_name());
}

bool Command::has(const std::string& name) const {
  return app_->count(name) > 0;
}

const char* Command::first_given(std::span<const char* const> names) const {
  const auto found = std::ranges::find_if(names, [this](const char* name) { return has(name); });
  return found == names.end() ? nullptr : *found;
}

CommandLine::CommandLine(const std::string& name, const std::string& description,
                         const std::string& footer)
    : app_(std::make_unique<CLI::App>(description, name)) {
  add_help(*app_);
  app_->footer(footer);
}

CommandLine::CommandLine(const std::string& name, const std::string& description,
                         const std::string& version, const std::string& footer)
    : CommandLine(name, description, footer) {
  app_->set_version_flag("--version", version, "Print the version and exit");
  add_help(*app_);
  app_->require_subcommand(1);
}

CommandLine::~CommandLine() = default;

Command CommandLine::root() const {
  return Command(app_.get());
}

std::optional<std::string> CommandLine::parse(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const CommandManual command = command_of(*app_, words);
  give_empty_values(command, words);
  take_out_mark(command, words);
  try {
    std::ranges::reverse(words);  // the parser takes the last one first
    app_->parse(std::move(words));
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    return help_text(command, Terminal::of_standard_output());
  } catch (const CLI::CallForVersion& version) {
    return std::string(version.what()) + "\n";
  } catch (const CLI::ParseError& error) {
    std::string message = unknown_option(*app_, command);
    if (message.empty()) {
      message = command.commands.empty()
                    ? error.what()
                    : "which command? there are " + joined(names_of(command.commands), ", ");
    }
    throw std::invalid_argument(message + "\nTry: " + command.name + " --help");
  }
}

}  // namespace bloomery::cli
