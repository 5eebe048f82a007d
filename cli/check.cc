// bloomery check: which keys may be in a filter, as grep would tell it.
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/filter_report.h"
#include "cli/key_choice.h"
#include "cli/read_keys.h"
#include "cli/report.h"

namespace bloomery::cli {
namespace {

constexpr const char* kCheckExamples =
    R"(Prints the records whose keys may be present in any of the files.

Examples:
  bloomery check users.bloom --input keys.txt
  bloomery check users.bloom -v <asked.txt              the surely absent
  bloomery check monday.bloom tuesday.bloom -c <keys.txt
  bloomery check guava:users.bin --as i32 <ids.txt      a filter of Guava's, of integers
  printf 'alice\n' | bloomery check -q users.bloom && echo maybe

Exit status: 0 some records were selected, 1 none was.)";

struct CheckArguments {
  std::vector<FilterLocation> files;
  std::string input = "-";
  SourceOptions source;
  KeyChoice keys;
  bool absent = false;
  bool count = false;
  bool quiet = false;
  bool json = false;
};

// A file of keys stands easily where a filter should.
AnyFilter load_or_explain(const FilterLocation& file) {
  try {
    return load_for_use(file);
  } catch (const FormatError& error) {
    if (std::string_view(error.what()).find("not a bloomery filter") == std::string_view::npos) {
      throw;
    }
    throw FormatError(std::string(error.what()) +
                      "; if it holds the keys to ask for, say --input " + file.text());
  }
}

// Answers of several filters about the keys of a batch: found in any of them.
class AnyOf {
 public:
  explicit AnyOf(const std::vector<FilterLocation>& files) {
    for (const FilterLocation& file : files) filters_.push_back(load_or_explain(file));
  }

  const std::vector<AnyFilter>& filters() const noexcept { return filters_; }

  std::span<const bool> may_contain_many(std::span<const Key> keys) {
    if (keys.size() > room_) {
      room_ = keys.size();
      found_ = std::make_unique<bool[]>(room_);
      one_ = std::make_unique<bool[]>(room_);
    }
    const std::span<bool> found(found_.get(), keys.size());
    filters_.front().may_contain_many(keys, found);
    for (std::size_t f = 1; f < filters_.size(); ++f) {
      const std::span<bool> one(one_.get(), keys.size());
      filters_[f].may_contain_many(keys, one);
      for (std::size_t i = 0; i < keys.size(); ++i) found[i] |= one[i];
    }
    return found;
  }

 private:
  std::vector<AnyFilter> filters_;
  std::size_t room_ = 0;
  std::unique_ptr<bool[]> found_;
  std::unique_ptr<bool[]> one_;
};

int check(const CheckArguments& arguments) {
  AnyOf filters(arguments.files);
  const SourceOptions source =
      with_form(arguments.source, form_for_all(arguments.keys, arguments.files, filters.filters()));
  Output output;
  const bool prints = !arguments.count && !arguments.quiet && !arguments.json;
  std::uint64_t maybe_count = 0;
  std::uint64_t key_count = 0;
  const auto selected = [&] { return arguments.absent ? key_count - maybe_count : maybe_count; };

  // Records and progress would overwrite each other on one terminal.
  const bool shares_terminal = prints && isatty(STDOUT_FILENO) != 0;
  read_keys({arguments.input}, source, shares_terminal ? "" : "check", [&](const Batch& batch) {
    const std::span<const bool> found = filters.may_contain_many(batch.keys);
    key_count += batch.keys.size();
    maybe_count += static_cast<std::uint64_t>(std::ranges::count(found, true));
    if (prints) {
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i] == arguments.absent) continue;
        output.write(batch.lines[i]);
        output.write(arguments.source.separator);
      }
      output.flush();
    }
    return !(arguments.quiet && selected() > 0);
  });

  if (!arguments.quiet && arguments.json) {
    Report report;
    report.add("key_count", key_count);
    report.add("maybe_count", maybe_count);
    report.add("absent_count", key_count - maybe_count);
    print(report, true, output);
  } else if (!arguments.quiet && arguments.count) {
    output.write(std::to_string(selected()) + "\n");
    output.flush();
  }
  return selected() > 0 ? kSome : kNone;
}

}  // namespace

void add_check(Command app, int& status) {
  const auto arguments = std::make_shared<CheckArguments>();
  const Command command = app.add_subcommand("check", "Print the keys that may be in a filter");
  add_filters(command, "FILE", "filters' files, ours or FORMAT:FILE", arguments->files).required();
  command
      .add_option("--input", arguments->input,
                  "where keys come from, one a line; standard input by default")
      .type_name("INPUT");
  add_record_options(command, arguments->source);
  add_form_options_to_ask(command, arguments->keys);
  command.add_flag("-v,--absent", arguments->absent, "select those surely absent from all files");
  command.add_flag("-c,--count", arguments->count, "print only how many were selected");
  command.add_flag("-q,--quiet", arguments->quiet, "print nothing; stop at the first");
  command.add_flag("--json", arguments->json, "print only the counts, as one JSON object");
  command.footer(kCheckExamples);
  command.callback([arguments, &status] { status = check(*arguments); });
}

}  // namespace bloomery::cli
