// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/topology.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "bloomery/redis/client/hash_slot.h"
#include "bloomery/redis/client/numbers.h"
#include "bloomery/redis/client/server_errors.h"

namespace bloomery::redis {
namespace {

constexpr std::int64_t kMostPort = std::numeric_limits<std::uint16_t>::max();

bool is_number(const Reply& reply, std::int64_t least, std::int64_t most) {
  return reply.is(Reply::Type::number) && reply.number >= least && reply.number <= most;
}

// [first, last, [host, port, id, ...], replicas...]
std::optional<SlotRange> read_range(const Reply& reply) {
  if (!reply.is(Reply::Type::array) || reply.elements.size() < 3) return std::nullopt;
  const Reply& first = reply.elements[0];
  const Reply& last = reply.elements[1];
  const auto& node = reply.elements[2].elements;
  if (!is_number(first, 0, kHashSlots - 1) || !is_number(last, first.number, kHashSlots - 1) ||
      node.size() < 2 || !is_number(node[1], 1, kMostPort)) {
    return std::nullopt;
  }
  const bool has_host = node[0].is(Reply::Type::text) && node[0].text.size() <= kLongestHost;
  if (!has_host && !node[0].is(Reply::Type::nil)) return std::nullopt;
  return SlotRange{.first = static_cast<std::uint16_t>(first.number),
                   .last = static_cast<std::uint16_t>(last.number),
                   .primary = {node[0].text, static_cast<std::uint16_t>(node[1].number)},
                   .id = node.size() > 2 ? node[2].text : std::string()};
}

}  // namespace

std::vector<SlotRange> read_cluster_slots(const Reply& reply, const std::string& server) {
  const auto fail = [&] {
    throw ProtocolError(server + ": what came is no answer to CLUSTER SLOTS");
  };
  if (!reply.is(Reply::Type::array)) fail();
  std::vector<SlotRange> ranges;
  for (const Reply& each : reply.elements) {
    const auto range = read_range(each);
    if (!range) fail();
    if (range->primary.host != "?") ranges.push_back(*range);
  }
  std::ranges::sort(ranges, {}, &SlotRange::first);
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].first <= ranges[i - 1].last) fail();
  }
  return ranges;
}

HostPort read_primary_address(const Reply& reply, const std::string& sentinel,
                              const std::string& primary) {
  if (reply.is(Reply::Type::nil)) {
    throw StoreError(sentinel + ": this sentinel knows no primary called " + primary);
  }
  const auto fail = [&] {
    throw ProtocolError(sentinel + ": what came is no address of a primary");
  };
  if (!reply.is(Reply::Type::array) || reply.elements.size() != 2) fail();
  const std::string& host = reply.elements[0].text;
  std::uint16_t port = 0;
  if (host.empty() || host.size() > kLongestHost || !read_number(reply.elements[1].text, port) ||
      port == 0) {
    fail();
  }
  return {host, port};
}

}  // namespace bloomery::redis
