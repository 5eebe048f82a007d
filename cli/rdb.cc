// bloomery rdb: the filters inside a dump of Redis or Valkey, without a server.
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/bits/file_mapping.h"
#include "bloomery/errors.h"
#include "bloomery/format/rdb/rdb_file.h"
#include "bloomery/format/redisbloom_filter.h"
#include "bloomery/source/key_encoding.h"
#include "bloomery/source/printable.h"
#include "bloomery/store/filter_location.h"
#include "bloomery/store/messages.h"
#include "bloomery/store/regular_file.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/filter_report.h"
#include "cli/messages.h"
#include "cli/patience.h"
#include "cli/report.h"
#include "cli/text_table.h"

namespace bloomery::cli {
namespace {

constexpr const char* kExamples =
    R"(Reads the dump that SAVE and BGSAVE write, of any version of Redis and Valkey; no server is
asked. The filters of RedisBloom in it can be taken out; other modules' values are listed.

Examples:
  bloomery rdb list dump.rdb
  bloomery rdb list dump.rdb --json
  bloomery rdb extract dump.rdb users taken.bloom --db 0
  bloomery rdb extract dump.rdb users redisbloom:users.dump --db 0)";

constexpr const char* kListExamples = R"(Examples:
  bloomery rdb list dump.rdb)";

constexpr const char* kExtractExamples = R"(Examples:
  bloomery rdb extract dump.rdb users taken.bloom --db 0
  bloomery rdb extract dump.rdb 7573657273 taken.bloom --db 5 --as hex   its key in hex)";

// A dump in memory, a page at a time, and what is in it.
class Dump {
 public:
  // Calls get(bytes). Throws FormatError and StoreError that name the file.
  template <class Get>
  auto read(Get get) const {
    try {
      auto got = get(mapping_ ? std::span<const std::byte>(mapping_->bytes())
                              : std::span<const std::byte>());
      if (mapping_ && mapping_->is_damaged()) {
        throw_store_error(path_, "was cut short while it was read");
      }
      return got;
    } catch (const FormatError& error) {
      throw_format_error(path_, error.what());
    }
  }

  explicit Dump(const std::string& path)
      : path_(path), file_(RegularFile::open(path, RegularFile::Access::read)) {
    try {
      if (file_.size() > 0) {
        mapping_.emplace(file_.descriptor(), file_.size(), FileMapping::Changes::stay_here, true);
      }
      contents_ = read([](std::span<const std::byte> bytes) { return rdb::read_rdb(bytes); });
    } catch (const std::system_error& error) {
      throw_store_error(path_, error.what());
    }
  }

  const rdb::RdbFile& contents() const noexcept { return contents_; }

 private:
  std::string path_;
  RegularFile file_;
  std::optional<FileMapping> mapping_;
  rdb::RdbFile contents_;
};

struct Arguments {
  std::string file;
  bool json = false;
  std::string key;
  KeyEncoding encoding = KeyEncoding::text;
  std::optional<std::uint64_t> database;
  FilterLocation out;
  bool replace = false;
  Patience patience;
};

// What `list` says of a key; of a RedisBloom filter also how full it is, or what is wrong with it.
Report report_of(const Dump& dump, const rdb::ModuleKey& key, bool& damaged) {
  Report report;
  report.add("database", key.database);
  report.add("key", key.key, printable(key.key));
  report.add("type", key.type.name);
  report.add("encoding_version", key.type.encoding_version);
  report.add("byte_count", key.byte_count);
  if (key.expires_at_ms) report.add("expires_at_ms", *key.expires_at_ms);
  report.add("can_extract", rdb::is_redisbloom(key));
  if (!rdb::is_redisbloom(key) && !rdb::is_cuckoo(key)) return report;
  try {
    if (rdb::is_cuckoo(key)) {
      const redisbloom::CuckooShape shape = dump.read(
          [&](std::span<const std::byte> bytes) { return rdb::describe_cuckoo(bytes, key); });
      report.add("inserted", shape.items);
      report.add("link_count", shape.sub_filters);
      return report;
    }
    const FilterContents contents =
        dump.read([&](std::span<const std::byte> bytes) { return rdb::describe(bytes, key); });
    report.add("capacity", contents.capacity());
    report.add("inserted", contents.inserted);
    report.add("false_positive_rate", contents.parameters.false_positive_rate);
    report.add("link_count", contents.layers.size());
  } catch (const FormatError& error) {
    report.add("damage", error.what());
    complain(error.what());
    damaged = true;
  }
  return report;
}

std::string table_of(const std::vector<Report>& reports) {
  TextTable table(TextTable::Align::left);
  table.add_row({"db", "key", "type", "bytes", "keys", "capacity", "rate", "links"});
  for (const Report& report : reports) {
    const auto text = [&](const char* name) { return report.text_of(name); };
    table.add_row({text("database"), text("key"), text("type"), text("byte_count"),
                   text("inserted"), text("capacity"), text("false_positive_rate"),
                   text("link_count")});
  }
  return reports.empty() ? std::string() : table.text() + "\n";
}

int list(const Arguments& arguments) {
  const Dump dump(arguments.file);
  const rdb::RdbFile& contents = dump.contents();
  std::vector<Report> reports;
  std::uint64_t filters = 0;
  bool damaged = false;
  for (const rdb::ModuleKey& key : contents.modules) {
    reports.push_back(report_of(dump, key, damaged));
    filters += rdb::is_redisbloom(key) ? 1 : 0;
  }
  Report report;
  report.add("file", arguments.file);
  report.add("server", contents.is_valkey ? "Valkey" : "Redis");
  report.add("dump_version", contents.version);
  report.add("checksum", contents.has_checksum, contents.has_checksum ? "verified" : "none");
  report.add("key_count", contents.key_count, count_text(contents.key_count));
  report.add("filter_count", filters, count_text(filters));
  Report::Value all = Report::Value::array();
  for (const Report& each : reports) all.push_back(each.json());
  report.add_json("module_keys", std::move(all));
  Output output;
  if (!arguments.json) output.write(table_of(reports));
  print(report, arguments.json, output);
  return damaged ? kFault : filters > 0 ? kSome : kNone;
}

const rdb::ModuleKey& find_key(const rdb::RdbFile& contents, const Arguments& arguments) {
  const std::string name = decode_key(arguments.encoding, arguments.key);
  const rdb::ModuleKey* found = nullptr;
  for (const rdb::ModuleKey& each : contents.modules) {
    if (each.key != name || (arguments.database && *arguments.database != each.database)) continue;
    if (found != nullptr) {
      throw std::invalid_argument("the key " + printable(name) + " is in databases " +
                                  std::to_string(found->database) + " and " +
                                  std::to_string(each.database) + "; say which with --db");
    }
    found = &each;
  }
  if (found == nullptr) {
    throw std::invalid_argument(
        arguments.file + ": no module has a key " + printable(name) +
        (arguments.database ? " in database " + std::to_string(*arguments.database) : "") +
        "; bloomery rdb list shows those there are");
  }
  if (!rdb::is_redisbloom(*found)) {
    throw std::invalid_argument("the key " + printable(name) + " is of type " + found->type.name +
                                ", which is no Bloom filter of RedisBloom's (" +
                                redisbloom::kTypeName + ")");
  }
  return *found;
}

int extract(const Arguments& arguments) {
  const Dump dump(arguments.file);
  const rdb::ModuleKey& key = find_key(dump.contents(), arguments);
  const AnyFilter filter =
      dump.read([&](std::span<const std::byte> bytes) { return rdb::extract(bytes, key); });
  save(filter.contents(), arguments.out, {.replace = arguments.replace}, arguments.patience);
  Report report;
  report.add("from", arguments.file);
  report.add("key", key.key, printable(key.key));
  report.add("file", arguments.out.text());
  add_parameters(report, filter.contents());
  add_state(report, filter);
  Output output;
  print(report, arguments.json, output);
  return kSome;
}

void add_list(Command app, const std::shared_ptr<Arguments>& arguments, int& status) {
  const Command command = app.add_subcommand("list", "List the keys whose values are modules'");
  command.add_option("DUMP", arguments->file, "a server's dump, dump.rdb").required();
  add_json(command, arguments->json);
  command.footer(kListExamples);
  command.callback([arguments, &status] { status = list(*arguments); });
}

void add_extract(Command app, const std::shared_ptr<Arguments>& arguments, int& status) {
  const Command command = app.add_subcommand("extract", "Take a RedisBloom filter out of a dump");
  command.add_option("DUMP", arguments->file, "a server's dump, dump.rdb").required();
  command.add_option("KEY", arguments->key, "the filter's key").required();
  add_filter(command, "OUT", "the file to make, ours or FORMAT:FILE; one that exists is refused",
             arguments->out)
      .required();
  command.add_option("--db", arguments->database, "the database of the key, where several have it");
  add_encoding(command, arguments->encoding);
  command.add_flag("--replace", arguments->replace, "replace OUT, in one step, where it exists");
  add_patience(command, arguments->patience);
  add_json(command, arguments->json);
  command.footer(kExtractExamples);
  command.callback([arguments, &status] { status = extract(*arguments); });
}

}  // namespace

void add_rdb(Command app, int& status) {
  const auto arguments = std::make_shared<Arguments>();
  const Command command =
      app.add_subcommand("rdb", "List and extract the filters in a dump of Redis or Valkey");
  command.require_subcommand();
  add_list(command, arguments, status);
  add_extract(command, arguments, status);
  command.footer(kExamples);
}

}  // namespace bloomery::cli
