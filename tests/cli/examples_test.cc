// SPDX-License-Identifier: Apache-2.0
// Every example that --help shows is run as it stands, with files of the names they use.
#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "tests/cli/rdb_dump.h"
#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using testing::Outcome;
using testing::Shell;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The commands that `bloomery --help` lists.
std::vector<std::string> commands(const Shell& shell) {
  std::vector<std::string> names;
  bool listed = false;
  for (const std::string& line : lines_of(shell.run("bloomery --help").out)) {
    // Groups of them follow the options, each under its title.
    if (!line.starts_with("  ")) listed = line.ends_with(':') && line != "Options:";
    const bool goes_on = line.starts_with("   ");  // what the line above says
    if (listed && line.starts_with("  ") && !goes_on) {
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  return names;
}

std::vector<std::string> examples(const std::string& help) {
  std::vector<std::string> found;
  bool begun = false;
  for (const std::string& line : lines_of(help)) {
    if (begun && line.starts_with("  ") && line.find("bloomery") != std::string::npos) {
      // Three blanks after the command begin a remark.
      found.push_back(line.substr(2, line.find("   ", 2) - 2));
    }
    begun = begun || line == "Examples:";
  }
  return found;
}

// Makes the files that the examples read.
void make_files(const Shell& shell) {
  shell.write("keys.txt", "alice\nbob\n");
  shell.write("ended.txt", "alice\n");
  shell.write("asked.txt", "bob\ncarol\n");
  shell.write("dump.rdb", testing::sample_dump());
  shell.write("table.csv", "1,alice\n2,bob\n");
  const Outcome made = shell.run(
      "for name in users monday tuesday; do bloomery create $name.bloom -n 1000 -p 0.01; done\n"
      "bloomery insert users.bloom keys.txt\n"
      "cp users.bloom next.bloom; echo carol | bloomery insert next.bloom\n"
      "bloomery delta users.bloom next.bloom >tuesday.delta\n"
      "bloomery create codes.bloom -n 1000 -p 0.01; seq 9 | bloomery insert codes.bloom --as u64\n"
      "bloomery create guava:users.bin -n 1000 -p 0.03; cp users.bin ids.bin\n"
      "bloomery convert guava:ids.bin copy.bloom; seq 9 >ids.txt; printf '\\1\\2' >bitmap.bin\n"
      "bloomery create sessions.bloom -n 1000 -p 0.01 --kind counting\n"
      "sqlite3 shop.db 'create table users(id integer primary key, name text);"
      " insert into users select value, value from generate_series(1, 100)'");
  ASSERT_EQ(made.status, 0) << made.err;
}

TEST(Examples, OfEveryCommandRun) {
  const Shell outer;
  const auto names = commands(outer);
  ASSERT_GT(names.size(), 20U);
  const Shell files;
  make_files(files);
  for (const std::string& name : names) {
    const auto lines = examples(outer.run("bloomery " + name + " --help").out);
    EXPECT_FALSE(lines.empty()) << name << " shows no example";
    for (const std::string& line : lines) {
      // Examples with a server are run by the module's tests; the whole demo, with fewer requests,
      // by its own.
      if (line.find("redis://") != std::string::npos || line == "bloomery demo") continue;
      const Shell shell;
      const std::string copy = name == "create" ? "" : "cp '" + files.path("") + "'* .\n";
      const Outcome outcome = shell.run(copy + line);
      EXPECT_LE(outcome.status, 1) << line << "\n" << outcome.err;
    }
  }
}

}  // namespace
}  // namespace bloomery
