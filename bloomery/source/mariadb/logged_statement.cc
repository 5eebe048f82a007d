// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/logged_statement.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>

#include "bloomery/text/ascii.h"

namespace bloomery::mariadb {
namespace {

using Words = std::initializer_list<std::string_view>;

// The statement that the server itself writes when a session with temporary tables ends.
constexpr std::string_view kDropOfTemporary = "drop /*!40005 temporary */ table if exists ";

bool is_of_word(char c) noexcept {
  const char lower = ascii_lower(c);
  return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Blanks and comments off. What /*! */ wraps is nowhere: such a statement is not judged.
std::string_view skip_blanks(std::string_view text) noexcept {
  while (true) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return {};
    text.remove_prefix(start);
    std::size_t end = 0;
    if (text.starts_with("/*")) {
      end = text.find("*/", 2);
      if (end != std::string_view::npos) end += 2;
    } else if (text.starts_with("#") || text.starts_with("-- ")) {
      end = text.find('\n');
    } else {
      return text;
    }
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end);
  }
}

bool is_at_end(std::string_view text) noexcept {
  text = skip_blanks(text);
  if (text.starts_with(';')) text = skip_blanks(text.substr(1));
  return text.empty();
}

std::string_view take_word(std::string_view& text) noexcept {
  text = skip_blanks(text);
  std::size_t length = 0;
  while (length < text.size() && is_of_word(text[length])) ++length;
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

bool takes_name(std::string_view& text) noexcept {
  if (!take_word(text).empty()) return true;
  const std::size_t end = text.starts_with('`') ? text.find('`', 1) : std::string_view::npos;
  if (end == std::string_view::npos) return false;
  text.remove_prefix(end + 1);
  return true;
}

// Other bytes may be blanks, as 0xa0 is one in latin1.
bool is_of_plain_word(char c) noexcept {
  return is_of_word(c) && static_cast<unsigned char>(c) < 0x80;
}

// Finds where `name` stands next, at `from` or behind: as a whole word, where it is one; a name
// with other characters anywhere.
std::size_t find_name(std::string_view statement, std::string_view name, std::size_t from = 0) {
  const bool is_word = std::ranges::all_of(name, is_of_plain_word);
  for (std::size_t at = statement.find(name, from); at != std::string_view::npos;
       at = statement.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool is_part = is_word && ((at > 0 && is_of_plain_word(statement[at - 1])) ||
                                     (end < statement.size() && is_of_plain_word(statement[end])));
    if (!is_part) return at;
  }
  return std::string_view::npos;
}

bool names(std::string_view statement, std::string_view name) {
  return !name.empty() && find_name(statement, name) != std::string_view::npos;
}

// Other bytes may stand for any other name in a statement: another character set, doubled
// backticks, or letters that a server with lower_case_table_names takes for k and i.
bool is_plain(std::string_view name, std::string_view statement) noexcept {
  const auto is_other = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
  const bool may_fold =
      std::ranges::any_of(statement, is_other) && name.find_first_of("kiKI") != name.npos;
  return !may_fold && std::ranges::all_of(name, [](char c) {
    return is_of_plain_word(c) || c == '-' || c == ' ' || c == '.';
  });
}

bool holds_word(Words words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// Returns whether a statement defines something, by the words that it begins with. Rows of a table
// that it does not name stay as they are.
bool is_definition(std::string_view first, std::string_view rest) {
  if (first == "truncate") {
    return takes_name(rest) && !skip_blanks(rest).starts_with(':');
  }
  const std::string_view second = take_word(rest);
  if (first == "create") {
    return holds_word({"table",    "temporary", "or",        "unique",  "index",   "fulltext",
                       "spatial",  "view",      "algorithm", "definer", "sql",     "database",
                       "schema",   "user",      "role",      "server",  "trigger", "event",
                       "function", "aggregate", "procedure", "package", "sequence"},
                      second);
  }
  if (first == "alter") {
    return holds_word(
        {"table", "online", "ignore", "database", "schema", "view", "algorithm", "definer", "sql",
         "user", "function", "procedure", "event", "server", "sequence"},
        second);
  }
  if (first == "drop") {
    return holds_word(
        {"table", "tables", "temporary", "index", "view", "database", "schema", "user", "role",
         "function", "procedure", "package", "trigger", "event", "server", "sequence"},
        second);
  }
  if (first == "rename") return holds_word({"table", "tables", "user"}, second);
  return holds_word({"optimize", "repair"}, first) && holds_word({"table", "tables"}, second);
}

// A function in it may change any row: CREATE TABLE ... AS SELECT f(), or AS VALUES (f()).
bool fills_a_table(std::string_view first, std::string_view statement) {
  if (first != "create" || !names(statement, "table")) return false;
  if (names(statement, "select")) return true;
  constexpr std::string_view kValues = "values";
  for (std::size_t at = find_name(statement, kValues); at != std::string_view::npos;
       at = find_name(statement, kValues, at + 1)) {
    std::string_view behind = statement.substr(at + kValues.size());
    if (!holds_word({"less", "in"}, take_word(behind))) return true;  // of a partition
  }
  return false;
}

LoggedStatement judge_xa(std::string_view rest) {
  const std::string_view second = take_word(rest);
  if (holds_word({"commit", "rollback"}, second)) return LoggedStatement::end;
  return holds_word({"start", "begin", "end", "prepare"}, second) ? LoggedStatement::neutral
                                                                  : LoggedStatement::unknown;
}

// Returns whether a statement leaves rows alone whatever it names.
bool is_harmless(std::string_view first, std::string_view rest) {
  std::string_view behind = rest;
  const std::string_view second = take_word(behind);
  if (first == "savepoint") return takes_name(rest) && is_at_end(rest);
  if (first == "release") return second == "savepoint" && takes_name(behind) && is_at_end(behind);
  if (first == "rollback") {
    if (second == "work") return take_word(behind) == "to";
    return second == "to";
  }
  if (first == "set") {
    if (rest.find('(') != std::string_view::npos) return false;
    if (second == "default") return take_word(behind) == "role";
    return second == "password" &&
           (skip_blanks(behind).starts_with('=') || take_word(behind) == "for");
  }
  // ANALYZE UPDATE updates.
  if (first == "analyze") return holds_word({"table", "tables"}, second);
  if (first == "flush") return !second.empty();
  return first == "grant" || first == "revoke";
}

}  // namespace

LoggedStatement judge_statement(std::string_view statement, std::string_view schema,
                                std::string_view table) {
  std::string lower = ascii_lower(statement);
  if (lower.starts_with(kDropOfTemporary)) {
    lower.replace(0, kDropOfTemporary.size(), "drop temporary table if exists ");
  }
  // The version in such a comment says which servers execute what is in it.
  if (names(lower, "/*!") || names(lower, "/*m!")) return LoggedStatement::unknown;
  std::string_view rest = lower;
  const std::string_view first = take_word(rest);
  const bool is_whole = is_at_end(rest);
  if (first == "begin" && is_whole) return LoggedStatement::begin;
  if ((first == "commit" || first == "rollback") && is_whole) return LoggedStatement::end;
  if (first == "xa") return judge_xa(rest);
  if (is_harmless(first, rest)) return LoggedStatement::neutral;
  if (!is_definition(first, rest)) return LoggedStatement::unknown;
  if (!is_plain(schema, lower) || !is_plain(table, lower)) return LoggedStatement::unknown;
  if (names(lower, ascii_lower(table))) return LoggedStatement::unknown;
  const bool is_of_schema = names(lower, "database") || names(lower, "schema");
  if (is_of_schema && names(lower, ascii_lower(schema))) return LoggedStatement::unknown;
  return fills_a_table(first, lower) ? LoggedStatement::unknown : LoggedStatement::neutral;
}

bool is_definition_alone(std::string_view statement) {
  const std::string lower = ascii_lower(statement);
  if (lower.starts_with("/*!") || lower.starts_with("/*m!")) return false;
  std::string_view rest = lower;
  const std::string_view first = take_word(rest);
  return is_definition(first, rest) && !fills_a_table(first, lower);
}

bool is_xa_statement(std::string_view statement) {
  return ascii_lower(take_word(statement)) == "xa";
}

}  // namespace bloomery::mariadb
