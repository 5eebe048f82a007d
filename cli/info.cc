// bloomery info: what a file says of its filter, and whether all of it is whole.
#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/store/native_file.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/filter_report.h"
#include "cli/messages.h"
#include "cli/report.h"

namespace bloomery::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  bloomery info users.bloom
  bloomery info users.bloom --json

Exit status: 2 where the file is damaged; what its header says is printed all the same.)";

void add_file(Report& report, const FileInfo& info) {
  report.add("file_byte_count", info.file_bytes, bytes_text(info.file_bytes));
  report.add("format_version", info.version);
  if (info.notes.epoch != 0) report.add("epoch", info.notes.epoch);
  if (info.notes.watermark != 0) report.add("watermark", info.notes.watermark);
  if (!info.notes.note.empty()) report.add("note", info.notes.note);
  report.add("closed_cleanly", info.closed_cleanly);
}

int info(const std::string& file, bool json) {
  const FileInfo header = inspect(file);
  Report report;
  report.add("file", file);
  add_parameters(report, header.contents);
  int status = kSome;
  try {
    const AnyFilter filter = load(file);
    const double cardinality = filter.cardinality();
    const double rate = add_state(report, filter);
    report.add("cardinality", cardinality,
               count_text(static_cast<std::uint64_t>(std::llround(cardinality))));
    report.add("fill_ratio", filter.fill_ratio());
    add_layers(report, header.contents);
    add_generations(report, filter);
    add_file(report, header);
    report.add("checksums", "verified",
               "verified, " + std::to_string(header.block_count) +
                   (header.block_count == 1 ? " block" : " blocks"));
    warn_if_overfull(file, filter, rate);
  } catch (const FormatError& error) {
    report.add("inserted", header.contents.inserted, count_text(header.contents.inserted));
    add_file(report, header);
    if (header.closed_cleanly) report.add("checksums", "damaged");
    complain(error.what());
    status = kFault;
  }
  Output output;
  print(report, json, output);
  if (!json) {
    output.write(layers_text(header.contents));
    output.flush();
  }
  return status;
}

}  // namespace

void add_info(CLI::App& app, int& status) {
  struct Arguments {
    std::string file;
    bool json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *app.add_subcommand("info", "Describe a filter's file and verify it");
  command.add_option("FILE", arguments->file, "a filter's file")->required();
  add_json(command, arguments->json);
  command.footer(kExamples);
  command.callback([arguments, &status] { status = info(arguments->file, arguments->json); });
}

}  // namespace bloomery::cli
