// SPDX-License-Identifier: Apache-2.0
#include "bloomery/text/canonical_url.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "bloomery/text/ascii.h"

namespace bloomery {
namespace {

using Text = std::string_view;

bool is_letter(char c) noexcept {
  return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z';
}
// Characters that mean the same with and without percent.
bool is_unreserved(char c) noexcept {
  return is_letter(c) || is_ascii_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}
int hex_value(char c) noexcept {
  if (is_ascii_digit(c)) return c - '0';
  const char lower = ascii_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}
char upper_hex(char c) noexcept {
  return is_ascii_digit(c) ? c : static_cast<char>(ascii_lower(c) - 'a' + 'A');
}

// How many characters are the scheme; 0 where the text has none with "://" behind it.
std::size_t scheme_size(Text url) noexcept {
  const std::size_t end = url.find("://");
  if (end == Text::npos || end == 0 || !is_letter(url.front())) return 0;
  const bool is_scheme = std::ranges::all_of(url.substr(0, end), [](char c) {
    return is_letter(c) || is_ascii_digit(c) || c == '+' || c == '-' || c == '.';
  });
  return is_scheme ? end : 0;
}

bool has_two_digits(Text text, std::size_t percent) noexcept {
  return percent + 2 < text.size() && hex_value(text[percent + 1]) >= 0 &&
         hex_value(text[percent + 2]) >= 0;
}
bool has_only_whole_percents(Text text) noexcept {
  for (std::size_t at = text.find('%'); at != Text::npos; at = text.find('%', at + 1)) {
    if (!has_two_digits(text, at)) return false;
  }
  return true;
}

bool is_beyond_ascii(char c) noexcept {
  return static_cast<unsigned char>(c) >= 0x80;
}
// Returns whether %XX of a byte beyond ASCII stands at `at`.
bool is_percent_beyond_ascii(Text text, std::size_t at) noexcept {
  return text[at] == '%' && has_two_digits(text, at) && hex_value(text[at + 1]) >= 8;
}

// Spells percents in one way. No decoded character begins another %XX: a percent sign stays %25.
std::string with_one_spelling_of_percents(Text text) {
  std::string out;
  out.reserve(text.size() + 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const char c = static_cast<char>(16 * hex_value(text[i + 1]) + hex_value(text[i + 2]));
    if (is_unreserved(c)) {
      out += c;
    } else {
      out += {'%', upper_hex(text[i + 1]), upper_hex(text[i + 2])};
    }
    i += 2;
  }
  return out;
}

// Appends the host in lower case; %XX becomes upper case.
void append_lower(std::string& out, Text host) {
  for (std::size_t i = 0; i < host.size(); ++i) {
    if (host[i] == '%') {
      out += {'%', upper_hex(host[i + 1]), upper_hex(host[i + 2])};
      i += 2;
    } else {
      out += ascii_lower(host[i]);
    }
  }
}

Text usual_port(Text scheme) noexcept {
  constexpr std::array<std::pair<Text, Text>, 5> kPorts{
      {{"http", "80"}, {"https", "443"}, {"ws", "80"}, {"wss", "443"}, {"ftp", "21"}}};
  const auto* const found = std::ranges::find(kPorts, scheme, &std::pair<Text, Text>::first);
  return found == kPorts.end() ? Text() : found->second;
}

void append_authority(std::string& out, Text authority, Text usual) {
  const std::size_t user = authority.rfind('@') + 1;  // 0 where there is none
  out += authority.substr(0, user);
  Text host = authority.substr(user);
  const std::size_t colon = host.rfind(':');
  const Text before = host.substr(0, colon);
  const bool ends_host = before.ends_with(']') || before.find(':') == Text::npos;
  std::optional<Text> port;
  if (colon != Text::npos && ends_host &&
      std::ranges::all_of(host.substr(colon + 1), is_ascii_digit)) {
    port = host.substr(colon + 1);
    host = before;
  }
  append_lower(out, host);
  if (port && !port->empty() && *port != usual) out.append(":").append(*port);
}

// RFC 3986, 5.2.4, of a path that begins with a slash or is empty.
void append_path(std::string& out, Text path) {
  const std::size_t root = out.size();
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/', 1), path.size());
    const Text segment = path.substr(0, end);
    path.remove_prefix(end);
    const bool goes_up = segment == "/..";
    if (!goes_up && segment != "/.") {
      out += segment;
      continue;
    }
    if (goes_up) out.resize(std::max(root, std::min(out.rfind('/'), out.size())));
    if (path.empty()) out += '/';
  }
  if (out.size() == root) out += '/';
}

}  // namespace

std::string_view canonical_url(std::string_view url, std::string& room) {
  const std::size_t scheme_end = scheme_size(url);
  const Text without_fragment = url.substr(0, url.find('#'));
  if (scheme_end == 0 || !has_only_whole_percents(without_fragment)) return url;
  const std::string text = with_one_spelling_of_percents(without_fragment);
  const Text all = text;
  const std::size_t authority_at = scheme_end + 3;
  const std::size_t path_at = std::min(all.find_first_of("/?", authority_at), all.size());
  const std::size_t query_at = std::min(all.find('?', path_at), all.size());

  room = ascii_lower(all.substr(0, scheme_end));
  const Text usual = usual_port(room);
  room += "://";
  append_authority(room, all.substr(authority_at, path_at - authority_at), usual);
  append_path(room, all.substr(path_at, query_at - path_at));
  room += all.substr(query_at);
  return room;
}

std::optional<std::string> other_spelling(std::string_view url) {
  constexpr Text kHex = "0123456789ABCDEF";
  if (scheme_size(url) == 0) return std::nullopt;
  const bool has_letters = std::ranges::any_of(url, is_beyond_ascii);
  std::string out;
  bool differs = has_letters;
  for (std::size_t i = 0; i < url.size(); ++i) {
    const auto c = static_cast<unsigned char>(url[i]);
    if (has_letters && is_beyond_ascii(url[i])) {
      out += {'%', kHex[c / 16], kHex[c % 16]};
    } else if (!has_letters && is_percent_beyond_ascii(url, i)) {
      out += static_cast<char>(16 * hex_value(url[i + 1]) + hex_value(url[i + 2]));
      differs = true;
      i += 2;
    } else {
      out += url[i];
    }
  }
  return differs ? std::optional(std::move(out)) : std::nullopt;
}

bool has_international_host(std::string_view url) noexcept {
  const std::size_t scheme = scheme_size(url);
  if (scheme == 0) return false;
  Text host = url.substr(scheme + 3);
  host = host.substr(0, host.find_first_of("/?#"));
  for (std::size_t i = 0; i < host.size(); ++i) {
    if (is_beyond_ascii(host[i]) || is_percent_beyond_ascii(host, i)) return true;
  }
  return false;
}

}  // namespace bloomery
