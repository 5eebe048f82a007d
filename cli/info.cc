// SPDX-License-Identifier: Apache-2.0
// bloomery info: what a file says of its filter, and whether all of it is whole.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/filter/rates.h"
#include "bloomery/filter/solve.h"
#include "bloomery/open/open_place.h"
#include "bloomery/open/time_to_live.h"
#include "bloomery/place/watermark_text.h"
#include "bloomery/text/human_number.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/filter_report.h"
#include "cli/key_choice.h"
#include "cli/messages.h"
#include "cli/rate_curve.h"
#include "cli/report.h"

namespace bloomery::cli {
namespace {

constexpr const char* kInfoExamples = R"(Examples:
  bloomery info users.bloom
  bloomery info users.bloom --json
  bloomery info monday.bloom tuesday.bloom
  bloomery info users.bloom --svg rate.svg          the rate by the load, as a picture
  bloomery info guava:users.bin
  bloomery info redisson:redis://127.0.0.1#users    reads the whole bitmap

Exit status: 2 a file is damaged; what its header says is printed all the same.)";

void add_file(Report& report, const FileInfo& info) {
  report.add("keys", form_text(info.contents.parameters.keys),
             form_words(info.contents.parameters.keys));
  report.add("file_byte_count", info.file_bytes, bytes_text(info.file_bytes));
  report.add("format_version", info.version);
  if (info.notes.epoch != 0) report.add("epoch", info.notes.epoch);
  if (info.notes.identity.is_set()) report.add("identity", identity_text(info.notes.identity));
  if (info.notes.watermark != 0) report.add("watermark", info.notes.watermark);
  if (info.notes.source.is_set()) {
    report.add("watermark_source", identity_text(info.notes.source));
  }
  if (!info.notes.note.empty()) report.add("note", info.notes.note);
  report.add("closed_cleanly", info.closed_cleanly);
  if (!info.is_live) return;
  report.add("live", true,
             info.is_live_here ? "yes: processes share it, or died while they did"
                               : "yes, but not since this machine was started");
}

void add_foreign(Report& report, const PlaceLocation& location, const AnyFilter& filter) {
  const Format& format = *location.format;
  report.add("format", format.name, std::string(format.system));
  report.add("index_rule", format.rule);
  report.add("keys", format.keys, std::string(format.keys) + ", where --as says nothing else");
  if (!location.is_live()) {
    const std::uint64_t bytes = std::filesystem::file_size(location.file.path);
    report.add("file_byte_count", bytes, bytes_text(bytes));
  }
  if (format.derives_promise) {
    report.add("promise", "derived",
               "not in the bytes: capacity and rate are what the size fits best");
  }
  if (format.settings_of == nullptr) return;
  Report::Value settings = Report::Value::object();
  std::string text;
  for (const auto& [name, value] : format.settings_of(filter.contents())) {
    settings[name] = value;
    text += (text.empty() ? "" : " ") + name + "=" + value;
  }
  report.add("settings", std::move(settings), text);
}

double add_filter_state(Report& report, const AnyFilter& filter) {
  const double rate = add_state(report, filter);
  add_cardinality(report, filter);
  report.add("fill_ratio", filter.fill_ratio());
  add_layers(report, filter.contents());
  add_generations(report, filter);
  return rate;
}

// The wanted output: JSON or text, and the file of a picture. Curves are collected for the picture.
struct Wanted {
  bool json = false;
  std::string svg;
  std::vector<RateCurve> curves{};
};

// Returns whether the rate of the kind is a formula of the keys that the filter holds.
bool has_curve(const FilterParameters& of) {
  return of.capacity > 0 && std::ranges::find(kSolvableKinds, of.kind) != kSolvableKinds.end();
}

RateCurve curve_of(const std::string& name, const FilterParameters& of) {
  return {name, [geometry = of.geometry, capacity = static_cast<double>(of.capacity)](double load) {
            return predicted_rate(geometry, load * capacity);
          }};
}

// The filter on its curve: by the keys that it counted or, where it is too full to count them, by
// what its bits say.
LoadNow load_now(const AnyFilter& filter) {
  const double capacity = static_cast<double>(filter.capacity());
  const double rate = filter.predicted_rate();
  if (!is_too_full_to_count(rate)) {
    return {.load = static_cast<double>(filter.inserted()) / capacity, .rate = rate};
  }
  const double keys = std::max(filter.cardinality(), static_cast<double>(filter.inserted()));
  return {.load = keys / capacity, .rate = rate, .is_about = true};
}

void print_all(const Report& report, const FilterContents& contents, Wanted& wanted,
               const LoadNow& now) {
  const FilterParameters& of = contents.parameters;
  if (has_curve(of)) wanted.curves.push_back(curve_of(report.text_of("file"), of));
  Output output;
  print(report, wanted.json, output);
  if (wanted.json) return;
  output.write(layers_text(contents));
  if (has_curve(of)) {
    const std::string name = "a " + std::string(kind_name(of.kind)) + " filter";
    output.write("\n" + curve_text(curve_of(name, of), Terminal::of_standard_output(), 2, now));
  }
  output.flush();
}

// Adds whether a key can be "absent" there, and if not, why; and until when.
void add_trust(Report& report, const PlaceLocation& location, const PlaceHead& head) {
  const std::string reason(why(head.no_absent));
  report.add("says_absent", reason.empty(), reason.empty() ? "yes" : "no: " + reason);
  const auto left = time_to_live(location);
  if (!left) return;
  const auto milliseconds = static_cast<std::uint64_t>(left->count());
  report.add("time_to_live_ms", milliseconds, format_duration_ms(milliseconds));
  complain(location.text() + ": expires in " + format_duration_ms(milliseconds) +
           ", and has no keys then; PERSIST keeps it");
}

// Reports a filter of ours in a server, which has its form of keys, identity and watermark as a
// file has.
int info_bitmap(const PlaceLocation& location, Wanted& wanted) {
  const auto place = open_place(location);
  const AnyFilter filter = place->copy();
  const PlaceHead head = place->head();
  Report report;
  report.add("file", location.text());
  add_trust(report, location, head);
  add_parameters(report, filter.contents());
  const double rate = add_filter_state(report, filter);
  report.add("keys", form_text(filter.keys()), form_words(filter.keys()));
  if (head.identity.is_set()) report.add("identity", identity_text(head.identity));
  if (head.watermark) {
    report.add("watermark", head.watermark->position);
    report.add("watermark_source", identity_text(head.watermark->source));
  }
  warn_if_overfull(location.text(), filter, rate);
  print_all(report, filter.contents(), wanted, load_now(filter));
  return kSome;
}

// Reports what a server says of a filter in which the server itself looks up keys.
int info_served(const PlaceLocation& location, bool json) {
  const PlaceHead head = open_place(location, {.allow_forgetting = true})->head();
  const std::uint64_t byte_count = head.parameters.geometry.bit_count / 8;
  Report report;
  report.add("file", location.text());
  add_trust(report, location, head);
  report.add("keys", form_text(head.parameters.keys), form_words(head.parameters.keys));
  report.add("capacity", head.parameters.capacity, count_text(head.parameters.capacity));
  report.add("inserted", head.inserted, count_text(head.inserted));
  report.add("byte_count", byte_count, bytes_text(byte_count));
  Output output;
  print(report, json, output);
  return kSome;
}

int info_foreign(const PlaceLocation& location, Wanted& wanted) {
  const AnyFilter filter = load_for_use(location);
  Report report;
  report.add("file", location.is_live() ? location.text() : location.file.path.string());
  if (location.is_live()) add_trust(report, location, open_place(location)->head());
  add_foreign(report, location, filter);
  add_parameters(report, filter.contents(), location.format->derives_promise);
  const double rate = add_filter_state(report, filter);
  warn_if_overfull(location.text(), filter, rate);
  advise(location, filter);
  print_all(report, filter.contents(), wanted, load_now(filter));
  return kSome;
}

int info_one(const PlaceLocation& location, Wanted& wanted) {
  if (location.dialect) return info_served(location, wanted.json);
  if (location.is_own_bitmap()) return info_bitmap(location, wanted);
  if (location.format != nullptr) return info_foreign(location, wanted);
  const std::string file = location.file.path.string();
  const FileInfo header = inspect(file);
  Report report;
  report.add("file", file);
  add_parameters(report, header.contents);
  int status = kSome;
  // The header's figures stand in `now` first: of a damaged file they are all there is.
  const FilterParameters& of = header.contents.parameters;
  const auto inserted = static_cast<double>(header.contents.inserted);
  LoadNow now;
  if (has_curve(of)) {
    now = {.load = inserted / static_cast<double>(of.capacity),
           .rate = predicted_rate(of.geometry, inserted)};
  }
  try {
    const AnyFilter filter =
        header.is_live_here ? open_place(location)->copy() : load(location.file.path);
    const double rate = add_filter_state(report, filter);
    now = load_now(filter);
    add_file(report, header);
    if (header.is_live_here) {
      report.add("checksums", "none", "none while it is live");
    } else {
      report.add("checksums", "verified",
                 "verified, " + std::to_string(header.block_count) +
                     (header.block_count == 1 ? " block" : " blocks"));
    }
    warn_if_overfull(file, filter, rate);
  } catch (const FormatError& error) {
    report.add("inserted", header.contents.inserted, count_text(header.contents.inserted));
    add_file(report, header);
    if (header.closed_cleanly) report.add("checksums", "damaged");
    complain(error.what());
    status = kFault;
  }
  print_all(report, header.contents, wanted, now);
  return status;
}

// One after the other; what one cannot say keeps no other from being described.
int info_each(const std::vector<PlaceLocation>& locations, Wanted& wanted) {
  if (locations.size() == 1) return info_one(locations.front(), wanted);
  int status = kSome;
  for (const PlaceLocation& location : locations) {
    if (!wanted.json && &location != &locations.front()) Output().write("\n");
    try {
      status = std::max(status, info_one(location, wanted));
    } catch (const std::exception& error) {
      complain_of_failure(error.what(), wanted.json);
      status = kFault;
    }
  }
  return status;
}

void refuse_filter(const std::vector<PlaceLocation>& locations, const std::string& svg) {
  for (const PlaceLocation& location : locations) {
    std::error_code unknown;  // one of them is no file
    if (location.is_live() || !std::filesystem::equivalent(location.file.path, svg, unknown))
      continue;
    throw std::invalid_argument("--svg: " + svg + " is a filter that is asked about");
  }
}

int info(const std::vector<PlaceLocation>& locations, Wanted& wanted) {
  if (!wanted.svg.empty()) refuse_filter(locations, wanted.svg);
  const int status = info_each(locations, wanted);
  if (wanted.svg.empty()) return status;
  if (wanted.curves.empty()) {
    throw std::invalid_argument(
        "--svg: none of these is a blocked or classic filter of ours, whose rate is a formula of "
        "the keys that it holds");
  }
  write_svg(wanted.svg, curves_svg("False positive rate by load", wanted.curves));
  return status;
}

}  // namespace

void add_info(Command app, int& status) {
  struct InfoArguments {
    std::vector<PlaceLocation> files;
    Wanted wanted;
  };
  const auto arguments = std::make_shared<InfoArguments>();
  const Command command = app.add_subcommand("info", "Describe filters and verify their files");
  add_filters(command, "FILE", kWhereAFilterIs, arguments->files).required();
  add_json(command, arguments->wanted.json);
  add_svg(command, arguments->wanted.svg);
  command.footer(kInfoExamples);
  command.callback([arguments, &status] { status = info(arguments->files, arguments->wanted); });
}

}  // namespace bloomery::cli
