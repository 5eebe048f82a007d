// SPDX-License-Identifier: Apache-2.0
// bloomery rdb: the filters inside a dump of Redis or Valkey, without a server.
#include <memory>
#include <stdexcept>
#include <string>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/rdb/extract_all.h"
#include "cli/rdb/extract_key.h"
#include "cli/rdb/list_dump.h"

namespace bloomery::cli {
namespace {

constexpr const char* kRdbExamples =
    R"(Reads the dump that SAVE and BGSAVE of any version of Redis and Valkey write; it asks no server. It takes
out filters of RedisBloom and of bloomery.so, if they are whole. It lists values of other modules,
because a server without these modules does not start with the dump.

Examples:
  bloomery rdb list dump.rdb
  bloomery rdb list dump.rdb --json
  bloomery rdb extract dump.rdb users taken.bloom --db 0
  bloomery rdb extract dump.rdb users redisbloom:users.dump --db 0)";

constexpr const char* kListExamples = R"(Examples:
  bloomery rdb list dump.rdb)";

constexpr const char* kExtractExamples = R"(Examples:
  bloomery rdb extract dump.rdb users taken.bloom --db 0
  bloomery rdb extract dump.rdb 7573657273 taken.bloom --db 5 --as hex   its key in hex
  bloomery rdb extract dump.rdb --all filters --json
  bloomery rdb extract dump.rdb cuckoo redisbloom-dump:cuckoo.dump   for RESTORE, nothing else

Files of --all are named after their keys. Bytes that are not plain in names are %XX. If the dump has
filters in several databases, the number of the database and - come first.

Exit status: 2 a filter could not be taken out; the others are.)";

void add_list(Command app, int& status) {
  struct RdbArguments {
    std::string file;
    bool json = false;
  };
  const auto arguments = std::make_shared<RdbArguments>();
  const Command command = app.add_subcommand("list", "List the keys whose values are modules'");
  command.add_option("DUMP", arguments->file, "a server's dump, dump.rdb").required();
  add_json(command, arguments->json);
  command.footer(kListExamples);
  command.callback([arguments, &status] { status = list_dump(arguments->file, arguments->json); });
}

void add_extract(Command app, int& status) {
  const auto arguments = std::make_shared<ExtractArguments>();
  const Command command =
      app.add_subcommand("extract", "Take a filter, or all filters, out of a dump");
  command.add_option("DUMP", arguments->file, "a server's dump, dump.rdb").required();
  const Option key = command.add_option("KEY", arguments->key, "the filter's key");
  const Option out = add_filter(command, "OUT",
                                "the file to make, ours or FORMAT:FILE; one that exists is refused",
                                arguments->out)
                         .needs(key);
  const Option all = command.add_option(
      "--all", arguments->folder,
      "take every filter, each into a file of its own in this folder: KEY.bloom, and KEY.dump of "
      "cuckoo filters, for RESTORE");
  all.type_name("FOLDER").excludes(key).excludes(out);
  command.add_option("--db", arguments->database, "the database of the key, where several have it");
  add_encoding(command, arguments->encoding);
  command.add_flag("--replace", arguments->replace, "replace OUT, in one step, where it exists");
  add_patience(command, arguments->patience);
  add_json(command, arguments->json);
  command.footer(kExtractExamples);
  command.callback([arguments, command, &status] {
    const bool takes_all = command.has("--all");
    if (!takes_all && !(command.has("KEY") && command.has("OUT"))) {
      throw std::invalid_argument("rdb extract needs KEY and OUT, or --all FOLDER");
    }
    status = takes_all ? extract_all(*arguments) : extract_key(*arguments);
  });
}

}  // namespace

void add_rdb(Command app, int& status) {
  const Command command =
      app.add_subcommand("rdb", "List and extract the filters in a dump of Redis or Valkey");
  command.require_subcommand();
  add_list(command, status);
  add_extract(command, status);
  command.footer(kRdbExamples);
}

}  // namespace bloomery::cli
