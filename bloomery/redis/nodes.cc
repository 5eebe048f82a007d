#include "bloomery/redis/nodes.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>
#include <utility>

#include "bloomery/redis/errors.h"
#include "bloomery/redis/hash_slot.h"
#include "bloomery/redis/topology.h"

namespace bloomery::redis {
namespace {

constexpr std::size_t kMostKnown = 1000;
// Whatever fails, nobody is asked more often.
constexpr std::chrono::milliseconds kBetweenQuestions{100};
// Shorter than what sentinels wait before they replace a primary.
constexpr std::chrono::milliseconds kSilence{200};
constexpr std::chrono::milliseconds kConfirmEvery{500};

}  // namespace

Nodes::Nodes(const Location& location, const TlsSettings* tls) : location_(location), tls_(tls) {
  if (location.way == Way::server) {
    default_ = std::make_shared<ServerPool>(location, tls);
    return;
  }
  for (const HostPort& each : location.hosts()) {
    informants_.push_back(pool_of(location.way == Way::cluster ? location.of_server(each)
                                                               : location.of_sentinel(each)));
  }
}

Nodes::Node Nodes::of(std::string_view key, Deadline& deadline) {
  bool can_wait = true;
  if (has_to_learn(can_wait)) {
    try {
      learn(deadline);
    } catch (const StoreError&) {
      if (!can_wait) throw;
    }
  }
  const std::lock_guard lock(mutex_);
  return find(key);
}

// `can_wait`: what was known until now may still be so.
bool Nodes::has_to_learn(bool& can_wait) {
  const std::lock_guard lock(mutex_);
  can_wait = default_ != nullptr;
  const Clock::time_point now = Clock::now();
  if (can_wait && (!is_in_doubt_ || informants_.empty() || now < next_question_)) return false;
  next_question_ = now + kBetweenQuestions;
  return true;
}

Nodes::Node Nodes::find(std::string_view key) const {
  if (slots_.empty() && ranges_.empty()) return default_;
  const std::uint16_t slot = hash_slot(key);
  if (const auto moved = slots_.find(slot); moved != slots_.end()) return moved->second;
  const auto behind = ranges_.upper_bound(slot);
  if (behind == ranges_.begin() || std::prev(behind)->second.last < slot) return default_;
  return std::prev(behind)->second.node;
}

// One after another until one answers, none with more than its share of the time.
void Nodes::learn(Deadline& deadline) {
  std::vector<Node> informants;
  {
    const std::lock_guard lock(mutex_);
    informants = informants_;
  }
  std::exception_ptr why;
  for (std::size_t i = 0; i < informants.size(); ++i) {
    ServerPool& informant = *informants[i];
    const auto share = deadline.left() / static_cast<std::int64_t>(informants.size() - i);
    Deadline part(informant.location().server(),
                  {.deadline = deadline.at(), .stop = deadline.stop()},
                  std::max(share, std::chrono::milliseconds(1)));
    try {
      ask(informant, part);
      const std::lock_guard lock(mutex_);
      const auto found = std::ranges::find(informants_, informants[i]);
      if (found != informants_.end()) std::rotate(informants_.begin(), found, found + 1);
      return;
    } catch (const StoreError&) {
      why = std::current_exception();
    } catch (const CallAborted&) {
      why = std::current_exception();
    }
    deadline.check("asking who has the key");
  }
  std::rethrow_exception(why);
}

void Nodes::ask(ServerPool& informant, Deadline& deadline) {
  const bool is_cluster = location_.way == Way::cluster;
  Request request;
  if (is_cluster) {
    request.add({"CLUSTER", "SLOTS"});
  } else {
    request.add({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", location_.primary});
  }
  ServerPool::Lease connection(informant, deadline);
  const Clock::time_point asked_at = Clock::now();
  const Reply reply = std::move(connection->exchange(request, deadline).front());
  if (reply.is(Reply::Type::error)) {
    throw RefusedError(informant.location().server(), reply.text);
  }
  try {
    is_cluster ? take_slots(informant, reply) : take_primary(informant, reply, asked_at);
  } catch (const ConnectionError&) {
    connection->distrust();
    throw;
  }
}

void Nodes::take_slots(const ServerPool& told_by, const Reply& reply) {
  const auto ranges = read_cluster_slots(reply, told_by.location().server());
  const std::lock_guard lock(mutex_);
  std::map<std::uint16_t, Range> fresh;
  std::vector<Node> nodes;
  for (const SlotRange& each : ranges) {
    HostPort address = each.primary;
    if (address.host.empty()) address.host = told_by.location().host;
    const Node node = pool_of(location_.of_server(std::move(address)));
    fresh[each.first] = {.last = each.last, .node = node};
    if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
  }
  // Those of the location stay: the others may all be replaced one day.
  for (const HostPort& each : location_.hosts()) {
    const Node node = pool_of(location_.of_server(each));
    if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
  }
  known_.clear();
  for (const Node& node : nodes) known_[node->location().server()] = node;
  informants_ = std::move(nodes);
  default_ = informants_.front();
  ranges_ = std::move(fresh);
  slots_.clear();
  is_in_doubt_ = false;
}

void Nodes::take_primary(const ServerPool& told_by, const Reply& reply,
                         Clock::time_point asked_at) {
  const auto address = read_primary_address(reply, told_by.location().server(), location_.primary);
  const std::lock_guard lock(mutex_);
  if (asked_at < confirmed_at_) return;  // somebody has asked since
  confirmed_at_ = asked_at;
  Node primary = pool_of(location_.of_server(address));
  if (primary != default_) heard_at_ = asked_at;
  default_ = std::move(primary);
  is_in_doubt_ = false;
}

bool Nodes::has_to_confirm() {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (now - heard_at_ > kSilence) silence_ended_at_ = now;
  heard_at_ = now;
  const auto age = now - confirmed_at_;
  if (confirmed_at_ < silence_ended_at_ || age > 2 * kConfirmEvery) return true;
  // While one asks, the others go on.
  if (age <= kConfirmEvery || now - last_asker_at_ <= kConfirmEvery) return false;
  last_asker_at_ = now;
  return true;
}

bool Nodes::is_current(const Node& node, Deadline& deadline) {
  if (location_.way != Way::sentinel) return true;
  if (has_to_confirm()) learn(deadline);
  const std::lock_guard lock(mutex_);
  return default_ == node;
}

Nodes::Node Nodes::at(const HostPort& address, const ServerPool& told_by) {
  Location location = told_by.location();
  location.port = address.port;
  if (!address.host.empty()) {
    location.host = address.host;
    location.socket.clear();
  }
  const std::lock_guard lock(mutex_);
  return pool_of(std::move(location));
}

Nodes::Node Nodes::pool_of(Location location) {
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
  is_in_doubt_ = true;
  const auto is_it = [&](const auto& each) { return each.second.get() == &node; };
  return std::erase_if(slots_, is_it) > 0 || !informants_.empty();
}

void Nodes::suspect(std::string_view key) {
  Node node;
  {
    const std::lock_guard lock(mutex_);
    is_in_doubt_ = true;
    node = find(key);
    slots_.erase(hash_slot(key));
  }
  if (node) node->drop_idle();
}

}  // namespace bloomery::redis
