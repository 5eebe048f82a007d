// SPDX-License-Identifier: Apache-2.0
// bloomery formats: what other systems' filters can be read, written and made.
#include <memory>
#include <string>

#include "bloomery/format/format.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/text_table.h"

namespace bloomery::cli {
namespace {

constexpr const char* kFormatsExamples =
    R"(Wherever a command takes a filter's file, it also takes FORMAT:FILE. docs/formats.md has every layout.

Examples:
  bloomery formats
  bloomery formats guava
  bloomery formats --json)";

Report report_of(const Format& format) {
  Report report;
  report.add("name", format.name);
  report.add("system", format.system);
  report.add("reads", true, "yes");
  report.add("writes", format.encode != nullptr, format.encode != nullptr ? "yes" : "no");
  report.add("creates", format.create != nullptr, format.create != nullptr ? "yes" : "no");
  report.add("hash", format.hash);
  report.add("index_rule", format.rule);
  report.add("limits", format.limits);
  report.add("keys", format.keys, "--as " + std::string(format.keys) + ", where nothing is said");
  report.add("settings", format.settings,
             format.settings.empty() ? "none: its bytes say all" : std::string(format.settings));
  report.add("warning", format.warning, format.warning.empty() ? "none" : std::string());
  return report;
}

std::string table() {
  TextTable table(TextTable::Align::left);
  table.add_row({"format", "can", "keys", "hash", "system"});
  for (const Format* const format : formats()) {
    std::string can = "read";
    if (format->encode != nullptr) can += " write";
    if (format->create != nullptr) can += " create";
    table.add_row({std::string(format->name), can, std::string(format->keys),
                   std::string(format->hash), std::string(format->system)});
  }
  return table.text(0);
}

std::string warnings() {
  std::string text;
  for (const Format* const format : formats()) {
    if (format->warning.empty()) continue;
    text += std::string(format->name) + ": " + std::string(format->warning) + "\n";
  }
  return text.empty() ? text : "\nBeware:\n" + text;
}

int show(const std::string& name, bool json) {
  Output output;
  if (!name.empty()) {
    const Format* const format = find_format(name);
    if (format == nullptr) {
      throw std::invalid_argument("no format is called \"" + name +
                                  "\"; bloomery formats lists them");
    }
    print(report_of(*format), json, output);
    return kSome;
  }
  if (json) {
    Report::Value all = Report::Value::array();
    for (const Format* const format : formats()) all.push_back(report_of(*format).json());
    output.write(json_line(all));
  } else {
    output.write(table() + warnings() + "\nbloomery formats NAME shows all of one.\n");
  }
  output.flush();
  return kSome;
}

}  // namespace

void add_formats(Command app, int& status) {
  struct FormatsArguments {
    std::string name;
    bool json = false;
  };
  const auto arguments = std::make_shared<FormatsArguments>();
  const Command command =
      app.add_subcommand("formats", "List the formats of other systems that FORMAT:FILE takes");
  command.add_option("NAME", arguments->name, "show all of one format");
  add_json(command, arguments->json);
  command.footer(kFormatsExamples);
  command.callback([arguments, &status] { status = show(arguments->name, arguments->json); });
}

}  // namespace bloomery::cli
