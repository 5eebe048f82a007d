#include "bloomery/store/redis/redis_location.h"

#include <charconv>
#include <stdexcept>

#include "bloomery/text/percent.h"

namespace bloomery {
namespace {

constexpr std::string_view kNetwork = "redis://";
constexpr std::string_view kSocket = "unix://";

// The passwords in a location are nobody's business: messages say what is wrong, not where.
[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument(
      "the location of the server " + why +
      "; allowed: redis://[[user]:password@]host[:port][/database]#key, unix:///path[?db=N]#key");
}

std::string decode(std::string_view part) {
  try {
    return percent_decode(part);
  } catch (const std::invalid_argument& wrong) {
    refuse(std::string("has ") + wrong.what());
  }
}

template <class Number>
Number number(std::string_view text, const char* what) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (text.empty() || read.ec != std::errc() || read.ptr != end) {
    refuse(std::string("has no ") + what + " that is a number in range");
  }
  return value;
}

// What stands before `mark`, which `text` then has no more; all of it, where there is no such mark.
std::string_view take_until(std::string_view& text, char mark) {
  const std::string_view part = text.substr(0, text.find(mark));
  text.remove_prefix(part.size() == text.size() ? part.size() : part.size() + 1);
  return part;
}

void parse_credentials(std::string_view text, RedisLocation& location) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) refuse("has a user without a password");
  location.user = decode(text.substr(0, colon));
  location.password = decode(text.substr(colon + 1));
}

void parse_host(std::string_view text, RedisLocation& location) {
  if (text.starts_with('[')) {  // an address with colons
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) refuse("has a [ without its ]");
    location.host = text.substr(1, close - 1);
    text.remove_prefix(close + 1);
    if (!text.empty() && !text.starts_with(':')) refuse("has something between ] and the port");
    if (!text.empty()) location.port = number<std::uint16_t>(text.substr(1), "port");
  } else {
    const bool has_port = text.find(':') != std::string_view::npos;
    location.host = take_until(text, ':');
    if (has_port) location.port = number<std::uint16_t>(text, "port");
  }
  if (location.host.empty()) refuse("names no host");
}

}  // namespace

std::string RedisLocation::server() const {
  if (!socket.empty()) return std::string(kSocket) + socket;
  const bool has_colons = host.find(':') != std::string::npos;
  return std::string(kNetwork) + (has_colons ? "[" + host + "]" : host) + ":" +
         std::to_string(port);
}

RedisLocation parse_redis_location(std::string_view text) {
  RedisLocation location;
  const std::size_t hash = text.find('#');
  if (hash == std::string_view::npos || hash + 1 == text.size()) refuse("names no #key");
  location.key = decode(text.substr(hash + 1));
  text = text.substr(0, hash);
  if (text.starts_with(kSocket)) {
    text.remove_prefix(kSocket.size());
    location.socket = decode(take_until(text, '?'));
    if (location.socket.empty()) refuse("names no socket");
    if (text.empty()) return location;
    if (!text.starts_with("db=")) refuse("has something else than db=N after the ?");
    location.database = number<std::uint32_t>(text.substr(3), "database");
    return location;
  }
  if (!text.starts_with(kNetwork)) refuse("begins with neither redis:// nor unix://");
  text.remove_prefix(kNetwork.size());
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    parse_credentials(text.substr(0, at), location);
    text.remove_prefix(at + 1);
  }
  parse_host(take_until(text, '/'), location);
  if (!text.empty()) location.database = number<std::uint32_t>(text, "database");
  return location;
}

}  // namespace bloomery
