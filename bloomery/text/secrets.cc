// SPDX-License-Identifier: Apache-2.0
#include "bloomery/text/secrets.h"

#include <algorithm>
#include <array>

namespace bloomery {
namespace {

// Settings whose values are shown; `name` is what messages call any. `key` is a file with MariaDB
// and a secret elsewhere, so it is none of them.
constexpr std::array<std::string_view, 55> kShown{"bits",
                                                  "bits_per_key",
                                                  "c",
                                                  "ca",
                                                  "capacity",
                                                  "cert",
                                                  "client_name",
                                                  "column",
                                                  "connections",
                                                  "db",
                                                  "expectedInsertions",
                                                  "falseProbability",
                                                  "hashIterations",
                                                  "hash_number",
                                                  "hashmethod",
                                                  "host",
                                                  "hostaddr",
                                                  "insecure_skip_verify",
                                                  "k",
                                                  "legacy",
                                                  "m",
                                                  "n",
                                                  "name",
                                                  "numbers",
                                                  "oversize",
                                                  "p",
                                                  "partitions",
                                                  "passfile",
                                                  "password_env",
                                                  "password_file",
                                                  "port",
                                                  "probes",
                                                  "query",
                                                  "rate",
                                                  "replica",
                                                  "seeds",
                                                  "sentinel_password_env",
                                                  "sentinel_password_file",
                                                  "server_name",
                                                  "service",
                                                  "size",
                                                  "size_kb",
                                                  "socket",
                                                  "sslcert",
                                                  "sslmode",
                                                  "sslrootcert",
                                                  "strategy",
                                                  "table",
                                                  "timeout",
                                                  "tls",
                                                  "trailer",
                                                  "trust",
                                                  "updates",
                                                  "wait",
                                                  "user"};

// The words that messages write for a password that they do not know.
constexpr std::array<std::string_view, 4> kWords{"password", "password]", "PASSWORD", "PASSWORD]"};

bool is_blank(char c) noexcept {
  return static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '\'' || c == '`';
}

bool is_of_name(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

std::size_t end_of_word(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && !is_blank(text[at])) ++at;
  return at;
}

// A port, and not the beginning of a password.
bool is_port(std::string_view text) noexcept {
  const std::size_t end = text.find_first_not_of("0123456789");
  return end != 0 && (end == std::string_view::npos || text[end] == '/' || text[end] == '?' ||
                      text[end] == '#' || text[end] == ',' || text[end] == ':');
}

// Finds the text between USER: and the last @ behind a scheme, whose slashes end at `begin`. A
// blank in a password ends no password.
TextPart password_behind(std::string_view text, std::size_t begin) {
  const std::size_t end = end_of_word(text, begin);
  const std::size_t colon = text.substr(0, end).find(':', begin);
  if (colon == std::string_view::npos || is_port(text.substr(colon + 1))) return {};
  std::size_t at = text.substr(0, end).rfind('@');
  if (at == std::string_view::npos || at < colon) at = text.find('@', colon);
  if (at == std::string_view::npos) return {};
  const std::string_view password = text.substr(colon + 1, at - colon - 1);
  if (std::ranges::find(kWords, password) != kWords.end()) return {};
  return {colon + 1, at};
}

bool is_shown(std::string_view name) noexcept {
  return std::ranges::find(kShown, name) != kShown.end();
}

// Finds the secret in a setting that begins at `begin`, behind its ? or &: its value, or the whole
// word where a location's setting has no "="; nothing where there is no secret.
TextPart value_at(std::string_view text, std::size_t begin, bool is_location) {
  std::size_t equals = begin;
  while (equals < text.size() && is_of_name(text[equals])) ++equals;
  std::size_t end = begin;
  while (end < text.size() && !is_blank(text[end]) && text[end] != '&' && text[end] != '#') ++end;
  if (equals == begin || equals >= text.size() || text[equals] != '=') {
    const bool is_word = is_location && end > begin && equals == end;
    return is_word ? TextPart{begin, end} : TextPart{};
  }
  if (is_shown(text.substr(begin, equals - begin))) return {};
  return {equals + 1, end};
}

}  // namespace

std::vector<TextPart> secrets_in(std::string_view text) {
  std::vector<TextPart> parts;
  std::size_t done = 0;
  bool is_location = false;  // the word at hand
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_blank(c)) is_location = false;
    TextPart found;
    if (c == '/' && i > 0 && (text[i - 1] == ':' || text[i - 1] == '/')) {
      is_location = true;
      const std::size_t begin = std::min(text.find_first_not_of('/', i), text.size());
      found = password_behind(text, begin);
      if (found.end == found.begin) i = begin - 1;
    } else if (c == '?' || c == '&') {
      found = value_at(text, i + 1, is_location && c == '?');
    }
    if (found.begin < done || found.begin == found.end) continue;
    parts.push_back(found);
    done = found.end;
    i = done - 1;
  }
  return parts;
}

std::string without_secrets(std::string_view text) {
  std::string shown;
  std::size_t done = 0;
  for (const TextPart& each : secrets_in(text)) {
    shown.append(text.substr(done, each.begin - done)).append("***");
    done = each.end;
  }
  return shown.append(text.substr(done));
}

}  // namespace bloomery
