// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace bloomery::cli {

// The files of a MySQL server that runs from wherever its packages were unpacked.
struct MysqlFiles {
  static constexpr const char* kNone =
      "no MySQL server is here: MYSQL_SERVER names no mysqld (tools/servers mysql brings one)";

  std::string program;  // that MYSQL_SERVER names; "" where there is none
  std::string usr = "/usr";

  static MysqlFiles find() {
    const char* const named = std::getenv("MYSQL_SERVER");
    if (named == nullptr || *named == '\0') return {};
    MysqlFiles files{.program = named};
    // The packages are in a folder beside the program, or are the machine's own.
    const auto beside = std::filesystem::absolute(files.program).parent_path();
    for (const auto& each : std::filesystem::directory_iterator(beside)) {
      const auto usr = each.path() / "usr";
      if (std::filesystem::exists(usr / "share/mysql/charsets")) files.usr = usr;
    }
    return files;
  }

  bool is_there() const { return !program.empty(); }

  // The program and what it needs to run on a folder of data, of which nothing needs to survive a
  // crash of the machine.
  std::vector<std::string> command(const std::string& data) const {
    if (!is_there()) throw std::runtime_error(kNone);
    return {program,
            "--no-defaults",
            "--datadir=" + data,
            "--tmpdir=" + data,  // a server removes the tables of others there
            "--basedir=" + usr,
            "--lc-messages-dir=" + usr + "/share/mysql",
            "--character-sets-dir=" + usr + "/share/mysql/charsets",
            "--plugin-dir=" + usr + "/lib/mysql/plugin",
            "--secure-file-priv=",
            "--innodb-flush-log-at-trx-commit=0",
            "--innodb-flush-method=nosync",
            "--innodb-doublewrite=OFF"};
  }
};

}  // namespace bloomery::cli
