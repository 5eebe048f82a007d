// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace bloomery {

// The statements by which docs/how_to/follow_a_database.md makes the follower's user of a server,
// whose section this is, without the last semicolon. BLOOMERY_HOW_TO is the page.
inline std::string how_to_make_follower(const std::string& server) {
  std::ifstream file(BLOOMERY_HOW_TO);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::size_t section = page.find("\n## " + server + "\n");
  const std::size_t end = page.find("\n## ", section + 1);
  std::size_t begin = page.find("CREATE ", section);
  begin = page.rfind("```sql\n", begin);
  if (section == page.npos || begin == page.npos || begin < section || begin > end) {
    throw std::runtime_error(std::string(BLOOMERY_HOW_TO) + " makes no user of " + server);
  }
  begin += std::string("```sql\n").size();
  const std::string sql = page.substr(begin, page.find("```", begin) - begin);
  return sql.substr(0, sql.rfind(';'));
}

}  // namespace bloomery
