#include "cli/rdb/extract_key.h"

#include <stdexcept>

#include "bloomery/format/rdb/native_value.h"
#include "bloomery/format/redisbloom_payload.h"
#include "bloomery/source/printable.h"
#include "bloomery/store/replace_file.h"
#include "cli/exit_status.h"
#include "cli/filter_report.h"
#include "cli/rdb/dump_file.h"
#include "cli/report.h"

namespace bloomery::cli {
namespace {

using rdb::Holds;

const rdb::ModuleKey& find_key(const rdb::RdbFile& contents, const ExtractArguments& arguments) {
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
  return *found;
}

[[noreturn]] void refuse(const rdb::ModuleKey& key, const std::string& why) {
  throw std::invalid_argument("the key " + printable(key.key) + " is of type " + key.type.name +
                              ", a " + std::string(rdb::kind_of_value(key.type.name).text) + why);
}

void add_origin(Report& report, const ExtractArguments& arguments, const rdb::ModuleKey& key) {
  report.add("from", arguments.file);
  report.add("key", key.key, printable(key.key));
  report.add("type", key.type.name);
  report.add("file", arguments.out.text());
}

void take_filter(const ExtractArguments& arguments, const rdb::ModuleKey& key,
                 const AnyFilter& filter, const FileNotes& notes, Report& report) {
  save(filter.contents(), arguments.out, {.replace = arguments.replace, .notes = notes},
       arguments.patience);
  add_origin(report, arguments, key);
  add_parameters(report, filter.contents());
  add_state(report, filter);
}

// No file that is asked here holds a cuckoo filter; a server takes it as it was dumped.
void take_cuckoo(const ExtractArguments& arguments, const DumpFile& dump, const rdb::ModuleKey& key,
                 Report& report) {
  const FileLocation& out = arguments.out.need_file("a filter out of a dump goes into a file");
  if (out.format != &redisbloom::kPayloadFormat) {
    refuse(key,
           ", which no file of this command holds. As RESTORE takes it: bloomery rdb extract DUMP "
           "KEY redisbloom-dump:FILE, then redis-cli -x RESTORE KEY 0 <FILE");
  }
  const auto filter = dump.read([&](auto bytes) { return rdb::extract_cuckoo(bytes, key); });
  std::uint64_t byte_count = 0;
  redisbloom::encode_cuckoo_payload(filter, [&](auto piece) { byte_count += piece.size(); });
  retry_while_busy(arguments.out.text(), arguments.patience, [&] {
    write_or_replace(
        out.path, arguments.replace,
        [&](const std::filesystem::path& target, const std::optional<WriterLock>& replaced) {
          return replace_file(target, byte_count, false, replaced, [&](ReplacementFile& file) {
            redisbloom::encode_cuckoo_payload(filter, [&](auto piece) { file.append(piece); });
          });
        });
  });
  add_origin(report, arguments, key);
  report.add("inserted", filter.shape().items, count_text(filter.shape().items));
  report.add("byte_count", byte_count, bytes_text(byte_count));
}

}  // namespace

int extract_key(const ExtractArguments& arguments) {
  const DumpFile dump(arguments.file);
  const rdb::ModuleKey& key = find_key(dump.contents(), arguments);
  Report report;
  switch (rdb::holds(key)) {
    case Holds::chain:
      take_filter(arguments, key, dump.read([&](auto bytes) { return rdb::extract(bytes, key); }),
                  {}, report);
      break;
    case Holds::native: {
      const rdb::NativeValue value =
          dump.read([&](auto bytes) { return rdb::extract_native(bytes, key); });
      take_filter(arguments, key, value.filter, value.notes, report);
      break;
    }
    case Holds::cuckoo:
      take_cuckoo(arguments, dump, key, report);
      break;
    case Holds::part:
      refuse(key, ": it is no filter to take, and what it says would be wrong");
    case Holds::unfamiliar:
      refuse(key, ", which cannot be taken out; bloomery rdb list shows what can");
  }
  Output output;
  print(report, arguments.json, output);
  return kSome;
}

}  // namespace bloomery::cli
