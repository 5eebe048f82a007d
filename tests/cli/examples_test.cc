// Every example that --help shows is run as it stands, with files of the names they use.
#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using testing::numbered_lines;
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
    if (listed && !line.starts_with("  ")) break;
    if (listed) names.push_back(line.substr(2, line.find(' ', 2) - 2));
    listed = listed || line == "Subcommands:";
  }
  return names;
}

std::vector<std::string> examples(const std::string& help) {
  std::vector<std::string> found;
  bool begun = false;
  for (const std::string& line : lines_of(help)) {
    if (begun && line.starts_with("  ") && line.find("bloomery") != std::string::npos) {
      // What stands three blanks after the command is a remark.
      found.push_back(line.substr(2, line.find("   ", 2) - 2));
    }
    begun = begun || line == "Examples:";
  }
  return found;
}

TEST(Examples, OfEveryCommandRun) {
  const Shell outer;
  const auto names = commands(outer);
  ASSERT_FALSE(names.empty());
  for (const std::string& name : names) {
    const auto lines = examples(outer.run("bloomery " + name + " --help").out);
    EXPECT_FALSE(lines.empty()) << name << " shows no example";
    for (const std::string& line : lines) {
      const Outcome outcome = Shell().run(line);
      EXPECT_EQ(outcome.status, 0) << line << "\n" << outcome.err;
    }
  }
}

}  // namespace
}  // namespace bloomery
