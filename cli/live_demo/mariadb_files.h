// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace bloomery::cli {

// The files that a MariaDB server of this machine brings along, which are called otherwise from
// version 11 on.
struct MariadbFiles {
  std::string folder = "/usr/share/mariadb";  // also of its messages
  std::string prefix = "mariadb_";

  static MariadbFiles find() {
    const MariadbFiles now;
    const MariadbFiles before_11{.folder = "/usr/share/mysql", .prefix = "mysql_"};
    return std::filesystem::exists(now.script("system_tables")) ? now : before_11;
  }

  std::string script(const std::string& name) const {
    return folder + "/" + prefix + name + ".sql";
  }
  // Returns SQL that makes the tables of the system, in the database mysql, as mariadb-install-db
  // does.
  std::string system_tables() const {
    std::ostringstream sql;
    sql << "USE mysql;\n";
    for (const char* const each : {"system_tables", "performance_tables", "system_tables_data"}) {
      const std::ifstream file(script(each));
      if (!file) throw std::runtime_error("no " + script(each) + " of a MariaDB server is here");
      sql << file.rdbuf() << "\n";
    }
    return sql.str();
  }
};

}  // namespace bloomery::cli
