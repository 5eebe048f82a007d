#include "bloomery/source/mariadb/logged_statement.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace bloomery::mariadb {
namespace {

// They define something; rows of a table that they do not name stay as they are.
constexpr std::array<std::string_view, 7> kDefinitions{"create",   "alter",    "drop",  "rename",
                                                       "truncate", "optimize", "repair"};
// Of a table that they name too.
constexpr std::array<std::string_view, 3> kHarmless{"flush", "grant", "revoke"};

char to_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool is_of_word(char c) noexcept {
  const char lower = to_lower(c);
  return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string lowered(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), to_lower);
  return lower;
}

// Blanks and comments off; what /*! */ wraps is meant.
std::string_view skip_blanks(std::string_view text) noexcept {
  while (true) {
    const std::size_t start = text.find_first_not_of(" \t\r\n;(");
    if (start == std::string_view::npos) return {};
    text.remove_prefix(start);
    if (text.starts_with("/*!") || text.starts_with("/*m!")) {
      text.remove_prefix(text.find('!') + 1);
      while (!text.empty() && text.front() >= '0' && text.front() <= '9') text.remove_prefix(1);
    } else if (text.starts_with("*/")) {
      text.remove_prefix(2);
    } else if (text.starts_with("/*")) {
      const std::size_t end = text.find("*/");
      if (end == std::string_view::npos) return {};
      text.remove_prefix(end + 2);
    } else if (text.starts_with("#") || text.starts_with("-- ")) {
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos) return {};
      text.remove_prefix(end);
    } else {
      return text;
    }
  }
}

std::string_view take_word(std::string_view& text) noexcept {
  text = skip_blanks(text);
  std::size_t length = 0;
  while (length < text.size() && is_of_word(text[length])) ++length;
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

// As a whole word, where a name is one; a name with other characters anywhere.
bool names(std::string_view statement, std::string_view name) {
  if (name.empty()) return false;
  const bool is_word = std::ranges::all_of(name, is_of_word);
  for (std::size_t at = statement.find(name); at != std::string_view::npos;
       at = statement.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool is_part = is_word && ((at > 0 && is_of_word(statement[at - 1])) ||
                                     (end < statement.size() && is_of_word(statement[end])));
    if (!is_part) return true;
  }
  return false;
}

// Other bytes may stand for it in a statement: another character set, or doubled backticks.
bool is_plain(std::string_view name) noexcept {
  return std::ranges::all_of(name, [](char c) {
    return static_cast<unsigned char>(c) < 0x80 && c != '`' && c != '"' && c != '\\';
  });
}

template <std::size_t kCount>
bool holds_word(const std::array<std::string_view, kCount>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

LoggedStatement judge_statement(std::string_view statement, std::string_view schema,
                                std::string_view table) {
  const std::string lower = lowered(statement);
  std::string_view rest = lower;
  const std::string first(take_word(rest));
  if (first == "begin" && skip_blanks(rest).empty()) return LoggedStatement::begin;
  if (first == "commit" && skip_blanks(rest).empty()) return LoggedStatement::end;
  if (first == "savepoint" || first == "release") return LoggedStatement::neutral;
  if (first == "rollback") {
    return skip_blanks(rest).empty() ? LoggedStatement::end : LoggedStatement::neutral;
  }
  if (first == "xa") {
    const std::string_view second = take_word(rest);
    const bool ends = second == "commit" || second == "rollback";
    return ends ? LoggedStatement::end : LoggedStatement::neutral;
  }
  if (first == "set") {
    const std::string_view second = take_word(rest);
    return second == "password" || second == "default" ? LoggedStatement::neutral
                                                       : LoggedStatement::unknown;
  }
  if (holds_word(kHarmless, first)) return LoggedStatement::neutral;
  if (first == "analyze") {  // ANALYZE DELETE deletes
    const std::string_view second = take_word(rest);
    const bool is_of_table = second.starts_with("table") || take_word(rest).starts_with("table");
    return is_of_table ? LoggedStatement::neutral : LoggedStatement::unknown;
  }
  if (!holds_word(kDefinitions, first)) return LoggedStatement::unknown;
  if (!is_plain(schema) || !is_plain(table)) return LoggedStatement::unknown;
  if (names(lower, lowered(table))) return LoggedStatement::unknown;
  const bool is_of_schema = names(lower, "database") || names(lower, "schema");
  if (is_of_schema && names(lower, lowered(schema))) return LoggedStatement::unknown;
  // A function in it may change any row.
  const bool fills_a_table = first == "create" && names(lower, "table") && names(lower, "select");
  return fills_a_table ? LoggedStatement::unknown : LoggedStatement::neutral;
}

}  // namespace bloomery::mariadb
