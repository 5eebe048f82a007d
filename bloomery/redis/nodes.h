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

#include "bloomery/redis/deadline.h"
#include "bloomery/redis/location.h"
#include "bloomery/redis/request.h"
#include "bloomery/redis/server_pool.h"

namespace bloomery::redis {

// The servers that a location leads to, and which of them has a key, as far as they or sentinels
// have told. Each is reached with all that the location says, but for its address. Many threads may
// use it.
class Nodes {
 public:
  using Node = std::shared_ptr<ServerPool>;

  // `tls`: null for none; outlives this.
  Nodes(const Location& location, const TlsSettings* tls);

  // Whom to ask for a key. Asks nodes of the cluster, or sentinels, where that is not known or in
  // doubt. Throws what asking throws.
  Node of(std::string_view key, Deadline& deadline);
  // Who has an address that `told_by` has named.
  Node at(const HostPort& address, const ServerPool& told_by);
  void moved(std::string_view key, const Node& to);
  // It failed, or is no primary any more. Whether another may have its keys.
  bool lost(const ServerPool& node);
  // The same of who had the key last.
  void suspect(std::string_view key);
  // Whether what a node has just answered counts. A primary that was frozen, or cut off from its
  // sentinels, may have been replaced and not know it. So a sentinel is asked who the primary is,
  // when an answer ends a silence, and twice a second. Throws what asking throws.
  bool is_current(const Node& node, Deadline& deadline);

 private:
  using Clock = std::chrono::steady_clock;

  struct Range {
    std::uint16_t last = 0;
    Node node{};
  };

  Node pool_of(Location location);
  Node find(std::string_view key) const;
  bool has_to_learn(bool& can_wait);
  bool has_to_confirm();
  void learn(Deadline& deadline);
  void ask(ServerPool& informant, Deadline& deadline);
  void take_slots(const ServerPool& told_by, const Reply& reply);
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
  Clock::time_point next_question_{};

  // Of the primary that sentinels named.
  Clock::time_point heard_at_{};          // when it answered last
  Clock::time_point silence_ended_at_{};  // with an answer
  Clock::time_point confirmed_at_{};      // when the question was asked to which it was the answer
  Clock::time_point last_asker_at_{};     // when somebody began to ask for that
};

}  // namespace bloomery::redis
