#include "bloomery/redis/nodes.h"

#include <utility>

#include "bloomery/redis/hash_slot.h"

namespace bloomery::redis {
namespace {

constexpr std::size_t kMostKnown = 1000;

}  // namespace

Nodes::Nodes(Location location, const TlsSettings* tls)
    : location_(std::move(location)),
      tls_(tls),
      first_(std::make_shared<ServerPool>(location_, tls)) {}

Nodes::Node Nodes::of(std::string_view key) {
  const std::lock_guard lock(mutex_);
  if (slots_.empty()) return first_;
  const auto found = slots_.find(hash_slot(key));
  return found == slots_.end() ? first_ : found->second;
}

Nodes::Node Nodes::at(const NodeAddress& address, const ServerPool& told_by) {
  Location location = told_by.location();
  location.port = address.port;
  if (!address.host.empty()) {
    location.host = address.host;
    location.socket.clear();
  }
  const std::lock_guard lock(mutex_);
  // Whoever uses one of them goes on with it.
  if (known_.size() >= kMostKnown) known_.clear();
  Node& node = known_[location.server()];
  if (!node) node = std::make_shared<ServerPool>(std::move(location), tls_);
  return node;
}

void Nodes::moved(std::string_view key, const Node& to) {
  const std::lock_guard lock(mutex_);
  slots_[hash_slot(key)] = to;
}

bool Nodes::lost(const ServerPool& node) {
  const std::lock_guard lock(mutex_);
  return std::erase_if(slots_, [&](const auto& each) { return each.second.get() == &node; }) > 0;
}

}  // namespace bloomery::redis
