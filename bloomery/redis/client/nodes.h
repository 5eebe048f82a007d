// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/redis/client/confirmation.h"
#include "bloomery/redis/client/deadline.h"
#include "bloomery/redis/client/location.h"
#include "bloomery/redis/client/request.h"
#include "bloomery/redis/client/server_pool.h"

namespace bloomery::redis {

// The servers that a location leads to, and which of them has a key, as far as they or sentinels
// have told. Each is reached with all that the location says, but for its address. Many threads may
// use it.
class Nodes {
 public:
  struct Member : ServerPool {
    using ServerPool::ServerPool;

   private:
    friend Nodes;
    // `confirmation_` is guarded by the mutex of the Nodes.
    Confirmation confirmation_{};
    std::string id_{};                                   // in its cluster; empty: not known
    std::chrono::steady_clock::time_point failed_at_{};  // when asked who has a key
  };
  using Node = std::shared_ptr<Member>;

  // `tls`: null for none; outlives this.
  Nodes(const Location& location, const TlsSettings* tls);

  // Returns the node to ask for a key. Asks nodes of the cluster, or sentinels, where that is not
  // known or in doubt. Throws what asking throws.
  Node of(std::string_view key, Deadline& deadline);
  // The node at an address that `told_by` has named.
  Node at(const HostPort& address, const ServerPool& told_by);
  // Notes that the node `to` has the key's slot: another node replied so to a question that was
  // sent at `asked_at`.
  void moved(std::string_view key, const Node& to, std::chrono::steady_clock::time_point asked_at);
  // Notes that the node failed, or is no primary any more. Returns whether another node may have
  // its keys.
  bool lost(const ServerPool& node);
  // Doubts the node that had the key last, as lost() does, and closes its idle connections.
  void suspect(std::string_view key);
  // Notes that the node says that the cluster is down: whoever named it may be as cut off as it is.
  void led_astray();
  // Returns whether what a node has just answered about a key counts (Confirmation). Another node
  // of the cluster, or a sentinel, is asked for that; `anew`: in any case. False: it names another.
  // Throws what asking throws.
  bool is_current(const Node& node, std::string_view key, Deadline& deadline, bool anew = false);

 private:
  using Clock = std::chrono::steady_clock;

  struct Range {
    std::uint16_t last = 0;
    Node node{};
  };

  Node pool_of(Location location);
  Node find(std::string_view key) const;
  bool is_named(const Node& node, std::string_view key) const;
  bool may_be_replaced() const;
  bool has_to_learn(bool& can_wait);
  void learn(std::string_view key, const Node& about, Deadline& deadline, bool anew = false);
  bool ask(Member& informant, std::string_view key, const Node& about, Deadline& deadline);
  bool take_slots(Member& told_by, const Node& about, const std::vector<Reply>& replies,
                  std::string_view key, Clock::time_point asked_at);
  void take_primary(const ServerPool& told_by, const Reply& reply, Clock::time_point asked_at);

  const Location location_;
  const TlsSettings* const tls_;

  mutable std::mutex mutex_;
  std::vector<Node> informants_;  // who knows; who answered last is the first
  Node default_;                  // who has what is not said otherwise; null: not known yet
  std::map<std::uint16_t, Range> ranges_{};  // of a cluster, by their first slots
  std::map<std::uint16_t, Node> slots_{};    // that have moved since
  std::map<std::string, Node> known_{};      // by Location::server()
  bool is_in_doubt_ = false;
  bool is_astray_ = false;
  Clock::time_point next_question_{};
  Clock::time_point asked_at_{};  // when the question was asked to which all this is the answer
};

}  // namespace bloomery::redis
