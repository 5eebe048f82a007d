// SPDX-License-Identifier: Apache-2.0
#include "cli/rdb/extract_all.h"

#include <exception>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/format/native/crc32c.h"
#include "bloomery/format/redisbloom/redisbloom_payload.h"
#include "bloomery/text/printable.h"
#include "cli/exit_status.h"
#include "cli/messages.h"
#include "cli/rdb/dump_file.h"
#include "cli/rdb/take_filter.h"
#include "cli/report.h"
#include "cli/text_table.h"

namespace bloomery::cli {
namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";
constexpr std::size_t kLongestName = 200;  // file systems take 255 bytes, endings are to come

bool is_plain(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == ':' || c == ' ';
}

// A key as the name of a file: other bytes than plain ones are %XX, and so is a point that begins
// it, so that no two keys have one name and none leaves the folder or hides. Of a long one the
// beginning, and a checksum.
std::string safe_name(std::string_view key) {
  std::string name;
  for (const char c : key) {
    if (is_plain(c) && !(name.empty() && c == '.')) {
      name += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    name += {'%', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
  }
  if (name.empty()) return "%";
  if (name.size() <= kLongestName) return name;
  const auto sum = crc32c(std::as_bytes(std::span(key)));
  return name.substr(0, kLongestName) + "%-" + std::to_string(sum);
}

struct Planned {
  const rdb::ModuleKey* key = nullptr;
  TakenTo to{};
};

std::vector<Planned> plan(const rdb::RdbFile& contents, const ExtractArguments& arguments) {
  std::vector<Planned> all;
  std::set<std::uint64_t> databases;
  for (const rdb::ModuleKey& each : contents.modules) {
    if (!can_extract(each)) continue;
    if (arguments.database && *arguments.database != each.database) continue;
    databases.insert(each.database);
    all.push_back({.key = &each});
  }
  std::map<std::filesystem::path, const rdb::ModuleKey*> taken;
  for (Planned& each : all) {
    const bool is_cuckoo = rdb::holds(*each.key) == rdb::Holds::cuckoo;
    const std::string database =
        databases.size() > 1 ? std::to_string(each.key->database) + "-" : std::string();
    FileLocation out(std::filesystem::path(arguments.folder) /
                     (database + safe_name(each.key->key) + (is_cuckoo ? ".dump" : ".bloom")));
    if (is_cuckoo) out.format = &redisbloom::kPayloadFormat;
    each.to = {PlaceLocation(std::move(out)), arguments.replace, arguments.patience};
    const auto [other, is_new] = taken.try_emplace(each.to.out.file.path, each.key);
    if (!is_new) {
      throw std::invalid_argument("the keys " + printable(other->second->key) + " and " +
                                  printable(each.key->key) + " would both be " +
                                  each.to.out.file.path.string() + "; take them one by one");
    }
  }
  return all;
}

void require_free(const std::vector<Planned>& all, bool replace) {
  for (const Planned& each : all) {
    const auto status = std::filesystem::symlink_status(each.to.out.file.path);
    if (replace || !std::filesystem::exists(status)) continue;
    throw StoreError(each.to.out.file.path.string() +
                     ": already exists, and nothing was written; --replace replaces such files");
  }
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  if (std::filesystem::is_directory(folder)) return;
  throw StoreError(folder.string() + ": is no folder, and cannot be made" +
                   (error ? ": " + error.message() : std::string()));
}

std::string table_of_taken(const std::vector<Report>& reports) {
  TextTable table(TextTable::Align::left);
  table.add_row({"db", "key", "type", "keys", "file"});
  for (const Report& report : reports) {
    const auto text = [&](const char* name) { return report.text_of(name); };
    table.add_row({text("database"), text("key"), text("type"), text("inserted"), text("file")});
  }
  return reports.empty() ? std::string() : table.text() + "\n";
}

}  // namespace

int extract_all(const ExtractArguments& arguments) {
  const DumpFile dump(arguments.file);
  const std::vector<Planned> all = plan(dump.contents(), arguments);
  require_free(all, arguments.replace);
  if (!all.empty()) make_folder(arguments.folder);
  std::vector<Report> reports;
  std::uint64_t failed_count = 0;
  const auto take = [&](const rdb::ModuleKey& key, const TakenTo& to) {
    Report report;
    report.add("database", key.database);
    try {
      take_filter(dump, key, to, report);
      reports.push_back(std::move(report));
    } catch (const std::exception& error) {
      complain("the key " + printable(key.key) + ": " + error.what());
      ++failed_count;
    }
  };
  for (const Planned& each : all) take(*each.key, each.to);
  std::uint64_t left_out = 0;
  for (const rdb::ModuleKey& key : dump.contents().modules) {
    if (can_extract(key) || (arguments.database && *arguments.database != key.database)) continue;
    if (rdb::holds(key) == rdb::Holds::part) {
      take(key, {});  // which says why not
    } else {
      ++left_out;
    }
  }
  if (left_out > 0) {
    complain(std::to_string(left_out) +
             " values of modules are no filters to take out; bloomery "
             "rdb list names them");
  }
  Report report;
  report.add("from", arguments.file);
  report.add("folder", arguments.folder);
  report.add("extracted_count", reports.size(), count_text(reports.size()));
  report.add("failed_count", failed_count, count_text(failed_count));
  report.add("other_count", left_out, count_text(left_out));
  Report::Value extracted = Report::Value::array();
  for (const Report& each : reports) extracted.push_back(each.json());
  report.add_json("extracted", std::move(extracted));
  Output output;
  if (!arguments.json) output.write(table_of_taken(reports));
  print(report, arguments.json, output);
  return failed_count > 0 ? kFault : reports.empty() ? kNone : kSome;
}

}  // namespace bloomery::cli
