// SPDX-License-Identifier: Apache-2.0
#include "cli/rdb/take_filter.h"

#include <stdexcept>
#include <string>

#include "bloomery/format/rdb/native_value.h"
#include "bloomery/format/redisbloom/redisbloom_payload.h"
#include "bloomery/store/replace_file.h"
#include "bloomery/text/printable.h"
#include "cli/filter_report.h"

namespace bloomery::cli {
namespace {

using rdb::Holds;

[[noreturn]] void refuse(const rdb::ModuleKey& key, const std::string& why) {
  throw std::invalid_argument("the key " + printable(key.key) + " is of type " + key.type.name +
                              ", a " + std::string(rdb::kind_of_value(key.type.name).text) + why);
}

void add_origin(Report& report, const rdb::ModuleKey& key, const TakenTo& to) {
  report.add("key", key.key, printable(key.key));
  report.add("type", key.type.name);
  report.add("file", to.out.text());
}

void take(const rdb::ModuleKey& key, const AnyFilter& filter, const FileNotes& notes,
          const TakenTo& to, Report& report) {
  save(filter.contents(), to.out, {.replace = to.replace, .notes = notes}, to.patience);
  add_origin(report, key, to);
  add_parameters(report, filter.contents());
  add_state(report, filter);
}

// No file that is asked here holds a cuckoo filter; a server takes it as it was dumped.
void take_cuckoo(const DumpFile& dump, const rdb::ModuleKey& key, const TakenTo& to,
                 Report& report) {
  const FileLocation& out = to.out.need_file("a filter out of a dump goes into a file");
  if (out.format != &redisbloom::kPayloadFormat) {
    refuse(key,
           ", which no file of this command holds. As RESTORE takes it: bloomery rdb extract DUMP "
           "KEY redisbloom-dump:FILE, then redis-cli -x RESTORE KEY 0 <FILE");
  }
  const auto filter = dump.read([&](auto bytes) { return rdb::extract_cuckoo(bytes, key); });
  std::uint64_t byte_count = 0;
  redisbloom::encode_cuckoo_payload(filter, [&](auto piece) { byte_count += piece.size(); });
  retry_while_busy(to.out.text(), to.patience, [&] {
    write_or_replace(
        out.path, to.replace,
        [&](const std::filesystem::path& target, const std::optional<WriterLock>& replaced) {
          return replace_file(target, byte_count, false, replaced, [&](ReplacementFile& file) {
            redisbloom::encode_cuckoo_payload(filter, [&](auto piece) { file.append(piece); });
          });
        });
  });
  add_origin(report, key, to);
  report.add("inserted", filter.shape().items, count_text(filter.shape().items));
  report.add("byte_count", byte_count, bytes_text(byte_count));
}

}  // namespace

void take_filter(const DumpFile& dump, const rdb::ModuleKey& key, const TakenTo& to,
                 Report& report) {
  switch (rdb::holds(key)) {
    case Holds::chain:
      return take(key, dump.read([&](auto bytes) { return rdb::extract(bytes, key); }), {}, to,
                  report);
    case Holds::native: {
      const rdb::NativeValue value =
          dump.read([&](auto bytes) { return rdb::extract_native(bytes, key); });
      return take(key, value.filter, value.notes, to, report);
    }
    case Holds::cuckoo:
      return take_cuckoo(dump, key, to, report);
    case Holds::part:
      refuse(key, ": it is no filter to take, and what it says would be wrong");
    case Holds::unfamiliar:
      refuse(key, ", which cannot be taken out; bloomery rdb list shows what can");
  }
}

bool can_extract(const rdb::ModuleKey& key) noexcept {
  const Holds what = rdb::holds(key);
  return what == Holds::chain || what == Holds::cuckoo || what == Holds::native;
}

}  // namespace bloomery::cli
