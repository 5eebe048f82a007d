// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/bitmap_remains.h"

#include <exception>
#include <optional>
#include <string>

#include "bloomery/place/call_context.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/client/transaction.h"
#include "bloomery/redis/places/bitmap_place.h"
#include "bloomery/redis/places/live_bitmap.h"
#include "bloomery/redis/places/run_reading.h"
#include "bloomery/redis/places/trailer.h"

namespace bloomery::redis {
namespace {

// ECHO, ROLE, STRLEN, TYPE, EXISTS, and GETRANGE of what may be a trailer.
constexpr std::size_t kUnitsOfRemains = 7;

// Returns where its settings say that a trailer begins; nothing where they are gone, or none.
std::optional<std::uint64_t> said_offset(Client& client, const Format& format) {
  try {
    return trailer_offset(find_live_bitmap(client, format).parameters);
  } catch (const ConnectionError&) {
    throw;
  } catch (const CallAborted&) {
    throw;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

Remains bitmap_remains(Client& client, const Format& format) {
  const Location& location = client.location();
  const LiveBitmap names = live_names(location, format);
  const std::uint64_t said = said_offset(client, format).value_or(0);
  const std::string nonce = next_nonce();
  Request request;
  request.about(names.key);
  begin_transaction(request, nonce);
  request.add({"STRLEN", names.key});
  const std::string config_key = names.config_key.empty() ? names.key : names.config_key;
  request.add({"TYPE", config_key});
  const std::string counts_key = names.counts_key.empty() ? names.key : names.counts_key;
  request.add({"EXISTS", counts_key});
  request.add(
      {"GETRANGE", names.key, std::to_string(said), std::to_string(said + kTrailerBytes - 1)});
  request.add({"GETRANGE", names.key, "-" + std::to_string(kTrailerBytes), "-1"}).add({"EXEC"});
  const Answer answer = run_reading(client, request, {});
  const auto& all = read_exec(answer.replies, kUnitsOfRemains, nonce, names.name);
  if (has_wrong_type(all, names.name)) return Remains::others;
  const std::uint64_t length = length_in(all[2], names.name);
  if (!role_doubt(all[1], false, names.name).empty()) return Remains::unsaid;
  const bool is_configurable =
      names.config_key.empty() || all[3].text == "hash" || all[3].text == "none";
  const bool has_counts = !names.counts_key.empty() && all[4].number != 0;
  if (!is_configurable || has_counts) return Remains::others;
  if (length == 0) return Remains::damaged;
  const bool is_ours =
      says_trailer(location) &&
      (is_trailer_at(all[5].text, said) ||
       (length >= kTrailerBytes && is_trailer_at(all[6].text, length - kTrailerBytes)));
  return is_ours ? Remains::damaged : Remains::others;
}

std::optional<std::uint64_t> strange_length(Client& client, const Format& format) {
  const Location& location = client.location();
  if (says_trust(location)) return std::nullopt;
  const LiveBitmap filter = find_live_bitmap(client, format);
  if (!filter.config_key.empty()) return std::nullopt;
  const std::string nonce = next_nonce();
  Request request;
  request.about(filter.key);
  begin_transaction(request, nonce);
  request.add({"STRLEN", filter.key});
  // A right that whoever follows a bitmap without a trailer need not have.
  const bool asks_trailer = says_trailer(location);
  if (asks_trailer) {
    request.add({"GETRANGE", filter.key, "-" + std::to_string(kTrailerBytes), "-1"});
  }
  request.add({"EXEC"});
  const Answer answer = run_reading(client, request, {});
  const auto& all = read_exec(answer.replies, asks_trailer ? 4 : 3, nonce, filter.name);
  for (const Reply& reply : all) {
    if (reply.is(Reply::Type::error)) throw RefusedError(filter.name, reply.text);
  }
  const std::uint64_t length = length_in(all[2], filter.name);
  const bool is_whole = length == trailer_offset(filter.parameters);
  const bool has_trailer = asks_trailer && length >= kTrailerBytes &&
                           (is_trailer_at(all[3].text, length - kTrailerBytes) ||
                            (length == trailer_offset(filter.parameters) + kTrailerBytes &&
                             was_trailer_at(all[3].text, length - kTrailerBytes)));
  return length == 0 || is_whole || has_trailer ? std::nullopt : std::optional(length);
}

}  // namespace bloomery::redis
