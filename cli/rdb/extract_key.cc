// SPDX-License-Identifier: Apache-2.0
#include "cli/rdb/extract_key.h"

#include <stdexcept>

#include "bloomery/text/printable.h"
#include "cli/exit_status.h"
#include "cli/rdb/dump_file.h"
#include "cli/rdb/take_filter.h"
#include "cli/report.h"

namespace bloomery::cli {
namespace {

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

}  // namespace

int extract_key(const ExtractArguments& arguments) {
  const DumpFile dump(arguments.file);
  const rdb::ModuleKey& key = find_key(dump.contents(), arguments);
  Report report;
  report.add("from", arguments.file);
  take_filter(dump, key, {arguments.out, arguments.replace, arguments.patience}, report);
  Output output;
  print(report, arguments.json, output);
  return kSome;
}

}  // namespace bloomery::cli
