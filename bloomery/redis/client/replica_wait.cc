// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/replica_wait.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "bloomery/redis/client/reply.h"
#include "bloomery/redis/client/request.h"

namespace bloomery::redis {
namespace {

// The time for the answer itself, within the caller's deadline.
constexpr std::chrono::milliseconds kForTheAnswer{100};

[[noreturn]] void fail(const Location& location, const std::string& why) {
  throw NotReplicatedError(location.server() + ": " + why +
                           "; the change is made, and a failover may lose it: make it again");
}

}  // namespace

void await_replicas(Connection& connection, const Location& location, Deadline& deadline) {
  const std::uint32_t wanted = location.replicas_to_await;
  if (wanted == 0) return;
  const auto patience = std::clamp<std::chrono::milliseconds>(
      deadline.left() - kForTheAnswer, std::chrono::milliseconds(1), location.replica_patience);
  const std::string count = std::to_string(wanted);
  const std::string milliseconds = std::to_string(patience.count());
  const auto replies =
      connection.exchange(Request().add({"WAIT", count, milliseconds}).add({"ROLE"}), deadline);
  const Reply& waited = replies.at(0);
  if (waited.is(Reply::Type::error)) fail(location, beginning_of(waited.text));
  if (!waited.is(Reply::Type::number)) {
    throw ProtocolError(location.server() + ": WAIT was answered by what is no number");
  }
  const Reply& role = replies.at(1);
  if (role.elements.empty() || role.elements.front().text != "master") {
    fail(location, "it is no primary any more");
  }
  if (waited.number >= wanted) return;
  fail(location, std::to_string(waited.number) + " of " + count + " replicas have it after " +
                     milliseconds + " ms (?wait=" + count + ")");
}

}  // namespace bloomery::redis
