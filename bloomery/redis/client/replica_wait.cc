// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/replica_wait.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/redis/client/hash_slot.h"
#include "bloomery/redis/client/numbers.h"
#include "bloomery/redis/client/reply.h"
#include "bloomery/redis/client/request.h"

namespace bloomery::redis {
namespace {

// The time for the answer itself, within the caller's deadline.
constexpr std::chrono::milliseconds kForTheAnswer{100};

// Role: the answer of a primary to ROLE. Both offsets count the bytes of its stream of changes.
struct Role {
  std::int64_t offset = 0;
  std::vector<std::int64_t> acknowledged{};  // by each replica
};

class ReplicaWait {
 public:
  ReplicaWait(Connection& connection, const Location& location, std::string_view key,
              Deadline& deadline)
      : connection_(connection),
        location_(location),
        key_(key),
        deadline_(deadline),
        count_(std::to_string(location.replicas_to_await)),
        end_(std::chrono::steady_clock::now() + location.replica_patience) {}

  // Returns whether the replicas have all that the primary had when this was called. WAIT alone
  // does not tell: from Redis 7.2 on it waits for what its own connection wrote, and says at once
  // that all replicas have it where that is nothing, as after an insert of what another connection
  // has just inserted.
  bool are_in_step() {
    const auto replies = connection_.exchange(
        Request().add({"ROLE"}).add({"WAIT", count_, time_left()}).add({"ROLE"}), deadline_);
    require_count(replies.at(1));
    const Role before = read_role(replies.at(0));
    const Role after = read_role(replies.at(2));
    const auto in_step = std::ranges::count_if(
        after.acknowledged, [&](std::int64_t offset) { return offset >= before.offset; });
    return in_step >= location_.replicas_to_await;
  }

  // Writes a key beside the filter's that lives for a millisecond, and waits until the replicas
  // have that, and so all before it.
  void write_and_wait() {
    const bool files = location_.awaits_files;
    Request request;
    request.add({"SET", mark(), "", "PX", "1"});
    if (files) {
      request.add({"WAITAOF", "1", count_, time_left()});
    } else {
      request.add({"WAIT", count_, time_left()});
    }
    const auto replies = connection_.exchange(request.add({"ROLE"}), deadline_);
    if (replies.at(0).is(Reply::Type::error)) fail(beginning_of(replies.at(0).text));
    if (files) {
      require_files(replies.at(1));
    } else {
      require_count(replies.at(1));
    }
    read_role(replies.at(2));
  }

 private:
  std::string time_left() const {
    const auto patience = std::chrono::duration_cast<std::chrono::milliseconds>(
        end_ - std::chrono::steady_clock::now());
    const auto left = std::min(patience, deadline_.left() - kForTheAnswer);
    return std::to_string(std::max<std::int64_t>(left.count(), 1));  // 0 would be for ever
  }

  // The name of a key in the slot of the filter's, the same each time: users are given rights to
  // it. Only for a key with braces that enclose nothing it is searched for.
  std::string mark() const {
    const bool is_tagged = key_.find_first_of("{}") != std::string::npos;
    std::string name = (is_tagged ? key_ : "{" + key_ + "}") + ":wait";
    for (std::uint64_t i = 0; hash_slot(name) != hash_slot(key_); ++i) {
      name = key_ + ":wait:" + std::to_string(i);
    }
    return name;
  }

  void require_count(const Reply& reply) const {
    if (reply.is(Reply::Type::error)) fail(beginning_of(reply.text));
    if (!reply.is(Reply::Type::number)) {
      throw ProtocolError(location_.server() + ": WAIT was answered by what is no number");
    }
    if (reply.number < location_.replicas_to_await) {
      fail(std::to_string(reply.number) + " of " + count_ + " replicas have it after " +
           patience() + " ms (?wait=" + count_ + ")");
    }
  }

  // [whether the primary has it in its file, how many replicas have]
  void require_files(const Reply& reply) const {
    if (reply.is(Reply::Type::error)) {
      const bool is_old = refusal_of(reply.text) == Refusal::unknown_command;
      fail(beginning_of(reply.text) +
           (is_old ? " (Redis has WAITAOF from 7.2 on; ?wait=N without \"aof\" needs none)" : ""));
    }
    const auto& counts = reply.elements;
    if (counts.size() != 2 || !counts[0].is(Reply::Type::number) ||
        !counts[1].is(Reply::Type::number)) {
      throw ProtocolError(location_.server() + ": WAITAOF was answered by what is no two numbers");
    }
    const std::string settings = " (?wait=" + count_ + ",aof)";
    if (counts[0].number < 1) {
      fail("its own append-only file does not have it after " + patience() + " ms" + settings);
    }
    if (counts[1].number < location_.replicas_to_await) {
      fail("the append-only files of " + std::to_string(counts[1].number) + " of " + count_ +
           " replicas have it after " + patience() + " ms" + settings);
    }
  }

  Role read_role(const Reply& reply) const {
    if (reply.is(Reply::Type::error)) fail(beginning_of(reply.text));
    if (reply.elements.size() < 3 || reply.elements[0].text != "master") {
      fail("it is no primary any more");
    }
    Role role{.offset = reply.elements[1].number};
    for (const Reply& replica : reply.elements[2].elements) {
      std::int64_t offset = 0;
      const bool is_told = replica.elements.size() == 3 &&
                           read_number(std::string_view(replica.elements[2].text), offset);
      if (is_told) role.acknowledged.push_back(offset);
    }
    return role;
  }

  std::string patience() const { return std::to_string(location_.replica_patience.count()); }

  [[noreturn]] void fail(const std::string& why) const {
    throw NotReplicatedError(location_.server() + ": " + why +
                             "; the change is made, and a failover may lose it: make it again");
  }

  Connection& connection_;
  const Location& location_;
  const std::string key_;
  Deadline& deadline_;
  const std::string count_;
  const std::chrono::steady_clock::time_point end_;
};

}  // namespace

void await_replicas(Connection& connection, const Location& location, std::string_view key,
                    Deadline& deadline) {
  if (!location.awaits_replicas()) return;
  ReplicaWait wait(connection, location, key, deadline);
  if (location.awaits_files || !wait.are_in_step()) wait.write_and_wait();
}

}  // namespace bloomery::redis
