// SPDX-License-Identifier: Apache-2.0
#include "cli/rdb/list_dump.h"

#include <algorithm>
#include <vector>

#include "bloomery/format/rdb/native_value.h"
#include "bloomery/text/printable.h"
#include "cli/exit_status.h"
#include "cli/messages.h"
#include "cli/rdb/dump_file.h"
#include "cli/rdb/take_filter.h"
#include "cli/report.h"
#include "cli/text_table.h"

namespace bloomery::cli {
namespace {

using rdb::Holds;

void add_contents(Report& report, const FilterContents& contents) {
  report.add("capacity", contents.capacity());
  report.add("inserted", contents.inserted);
  report.add("false_positive_rate", contents.parameters.false_positive_rate);
  if (!contents.layers.empty()) report.add("link_count", contents.layers.size());
}

// How full a filter is.
void add_fill(Report& report, const DumpFile& dump, const rdb::ModuleKey& key) {
  switch (rdb::holds(key)) {
    case Holds::chain:
      add_contents(report, dump.read([&](auto bytes) { return rdb::describe(bytes, key); }));
      break;
    case Holds::native:
      add_contents(
          report, dump.read([&](auto bytes) { return rdb::describe_native(bytes, key).contents; }));
      break;
    case Holds::cuckoo: {
      const auto shape = dump.read([&](auto bytes) { return rdb::describe_cuckoo(bytes, key); });
      report.add("inserted", shape.items);
      report.add("link_count", shape.sub_filters);
      break;
    }
    case Holds::part:
    case Holds::unfamiliar:
      break;
  }
}

// Reports a key for the list, with what is wrong with it, and sets `damaged` if its filter cannot
// be read.
Report report_of(const DumpFile& dump, const rdb::ModuleKey& key, bool& damaged) {
  Report report;
  report.add("database", key.database);
  report.add("key", key.key, printable(key.key));
  report.add("type", key.type.name);
  report.add("holds", rdb::kind_of_value(key.type.name).text);
  report.add("encoding_version", key.type.encoding_version);
  report.add("byte_count", key.byte_count);
  if (key.expires_at_ms) report.add("expires_at_ms", *key.expires_at_ms);
  report.add("can_extract", can_extract(key));
  try {
    add_fill(report, dump, key);
  } catch (const FormatError& error) {
    report.add("damage", error.what());
    complain(error.what());
    damaged = true;
  }
  return report;
}

std::string table_of(const std::vector<Report>& reports) {
  TextTable table(TextTable::Align::left);
  table.add_row({"db", "key", "type", "bytes", "keys", "capacity", "rate", "links", "holds"});
  for (const Report& report : reports) {
    const auto text = [&](const char* name) { return report.text_of(name); };
    table.add_row({text("database"), text("key"), text("type"), text("byte_count"),
                   text("inserted"), text("capacity"), text("false_positive_rate"),
                   text("link_count"), text("holds")});
  }
  return reports.empty() ? std::string() : table.text() + "\n";
}

void warn_of_unfamiliar(const std::string& file, std::uint64_t count) {
  if (count == 0) return;
  complain(file + ": " + std::to_string(count) + (count == 1 ? " key is" : " keys are") +
           " of another module's type; a server that has bloomery.so without that module does not "
           "start with this file");
}

}  // namespace

int list_dump(const std::string& file, bool as_json) {
  const DumpFile dump(file);
  const rdb::RdbFile& contents = dump.contents();
  std::vector<Report> reports;
  bool damaged = false;
  for (const rdb::ModuleKey& key : contents.modules) {
    reports.push_back(report_of(dump, key, damaged));
  }
  const auto filters =
      static_cast<std::uint64_t>(std::ranges::count_if(contents.modules, can_extract));
  const auto unfamiliar = static_cast<std::uint64_t>(
      std::ranges::count(contents.modules, Holds::unfamiliar, rdb::holds));
  Report report;
  report.add("file", file);
  report.add("server", contents.is_written_by_valkey ? "Valkey" : "Redis");
  report.add("dump_version", contents.version);
  report.add("checksum", contents.has_checksum, contents.has_checksum ? "verified" : "none");
  report.add("key_count", contents.key_count, count_text(contents.key_count));
  report.add("filter_count", filters, count_text(filters));
  report.add("other_count", unfamiliar, count_text(unfamiliar));
  Report::Value all = Report::Value::array();
  for (const Report& each : reports) all.push_back(each.json());
  report.add_json("module_keys", std::move(all));
  warn_of_unfamiliar(file, unfamiliar);
  Output output;
  if (!as_json) output.write(table_of(reports));
  print(report, as_json, output);
  return damaged ? kFault : filters > 0 ? kSome : kNone;
}

}  // namespace bloomery::cli
