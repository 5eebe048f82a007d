#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/redis/location.h"
#include "bloomery/redis/redirection.h"
#include "bloomery/redis/server_pool.h"

namespace bloomery::redis {

// The servers of a location, and which of them has a key, as far as they have told. Each is reached
// with all that the location says, but for its address. Many threads may use it.
class Nodes {
 public:
  using Node = std::shared_ptr<ServerPool>;

  // `tls`: null for none; outlives this.
  Nodes(Location location, const TlsSettings* tls);

  // Whom to ask for a key.
  Node of(std::string_view key);
  // Who has an address that `told_by` has named.
  Node at(const NodeAddress& address, const ServerPool& told_by);
  void moved(std::string_view key, const Node& to);
  // It failed. Whether another may have its keys.
  bool lost(const ServerPool& node);

 private:
  const Location location_;
  const TlsSettings* const tls_;
  const Node first_;  // that the location names
  std::mutex mutex_;
  std::map<std::string, Node> known_;    // by Location::server()
  std::map<std::uint16_t, Node> slots_;  // that are not at the first
};

}  // namespace bloomery::redis
