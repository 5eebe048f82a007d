// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/redirection.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "bloomery/redis/client/hash_slot.h"
#include "bloomery/redis/client/numbers.h"

namespace bloomery::redis {
namespace {

// "MOVED 3999 127.0.0.1:6381", whose host may be empty, or an address with colons.
bool read_address(std::string_view text, Redirection& redirection) {
  text.remove_prefix(text.find(' ') + 1);
  const std::string_view slot = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(slot.size() + 1, text.size()));
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view host = text.substr(0, colon);
  const bool is_host = host.size() <= kLongestHost && host != "?" &&
                       std::ranges::all_of(host, [](char c) { return c > ' ' && c < 0x7f; });
  redirection.to.host = host;
  std::uint16_t slot_number = 0;
  return is_host && read_number(slot, slot_number) && slot_number < kHashSlots &&
         read_number(text.substr(colon + 1), redirection.to.port) && redirection.to.port != 0;
}

std::optional<Redirection> read(const std::string& error) {
  Redirection redirection{.why = refusal_of(error)};
  switch (redirection.why) {
    case Refusal::moved:
    case Refusal::ask:
      if (!read_address(error, redirection)) return std::nullopt;
      return redirection;
    case Refusal::try_again:
    case Refusal::cluster_down:
    case Refusal::read_only:
      return redirection;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Redirection> redirection_in(const Request& request, std::span<const Reply> replies) {
  std::optional<Redirection> first;
  bool any_done = false;
  for (const Request::Unit& unit : request.units()) {
    const auto of_unit = replies.first(unit.size);
    replies = replies.subspan(unit.size);
    // A transaction was refused if EXEC was; why, the first refusal says.
    std::optional<Redirection> redirection;
    if (of_unit.back().is(Reply::Type::error)) {
      const auto error = std::ranges::find(of_unit, Reply::Type::error, &Reply::type);
      redirection = read(error->text);
    }
    if (!redirection) any_done = true;
    if (!first) first = std::move(redirection);
  }
  if (first) first->is_partial = any_done;
  return first;
}

bool sends_elsewhere(const Reply& reply) noexcept {
  if (!reply.is(Reply::Type::error)) return false;
  const Refusal why = refusal_of(reply.text);
  return why == Refusal::moved || why == Refusal::ask || why == Refusal::try_again ||
         why == Refusal::cluster_down || why == Refusal::read_only;
}

void drop_asking(const Request& request, std::vector<Reply>& replies) {
  std::vector<Reply> rest;
  rest.reserve(request.size());
  auto next = replies.begin();
  for (const Request::Unit& unit : request.units()) {
    ++next;
    const auto end = next + static_cast<std::ptrdiff_t>(unit.size);
    rest.insert(rest.end(), std::make_move_iterator(next), std::make_move_iterator(end));
    next = end;
  }
  replies = std::move(rest);
}

}  // namespace bloomery::redis
