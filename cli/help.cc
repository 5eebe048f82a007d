// SPDX-License-Identifier: Apache-2.0
// bloomery help: what a command does, on the terminal or as pages for man(1).
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/help_text.h"
#include "cli/man_page.h"
#include "cli/output.h"

namespace bloomery::cli {
namespace {

constexpr const char* kHelpExamples = R"(Examples:
  bloomery help
  bloomery help load
  bloomery help rdb list
  bloomery help --man-pages man1     bloomery.1, bloomery-load.1, ... into that folder)";

void write_page(const std::filesystem::path& folder, const CommandManual& command,
                const std::vector<std::string>& see_also) {
  const std::filesystem::path file = folder / (man_page_name(command) + ".1");
  std::ofstream stream(file, std::ios::binary);
  stream << man_page(command, "bloomery " BLOOMERY_VERSION, see_also);
  stream.close();
  if (!stream) throw std::runtime_error(file.string() + ": cannot be written");
}

void write_pages(const CommandManual& root, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::vector<std::string> pages;
  for (const CommandManual& command : root.commands) {
    write_page(folder, command, {man_page_name(root)});
    pages.push_back(man_page_name(command));
  }
  write_page(folder, root, pages);
}

}  // namespace

void add_help(Command app, int& status) {
  struct HelpArguments {
    std::vector<std::string> command;
    std::string folder;
  };
  const auto arguments = std::make_shared<HelpArguments>();
  const Command command =
      app.add_subcommand("help", "Show the options of a command, with examples");
  const Option name = command.add_option("COMMAND", arguments->command, "by default, all");
  command
      .add_option("--man-pages", arguments->folder,
                  "write a page for man(1) of each command into this folder")
      .type_name("FOLDER")
      .excludes(name);
  command.footer(kHelpExamples);
  command.callback([arguments, app, &status] {
    const CommandManual root = app.manual();
    if (!arguments->folder.empty()) {
      write_pages(root, arguments->folder);
    } else {
      const CommandManual* asked = &root;
      for (const std::string& word : arguments->command) asked = &command_named(*asked, word);
      Output output;
      output.write(help_text(*asked, Terminal::of_standard_output()));
      output.flush();
    }
    status = kSome;
  });
}

}  // namespace bloomery::cli
