// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/nodes.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>
#include <utility>

#include "bloomery/redis/client/hash_slot.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/client/topology.h"

namespace bloomery::redis {
namespace {

constexpr std::size_t kMostKnown = 1000;
// Whatever fails, nobody is asked more often.
constexpr std::chrono::milliseconds kBetweenQuestions{100};
constexpr std::chrono::seconds kBetweenFailures{5};
// The most time for asking one node whether another is still a primary, if further nodes can be
// asked, or if no answer is needed.
constexpr std::chrono::milliseconds kMostForConfirmation{500};

}  // namespace

Nodes::Nodes(const Location& location, const TlsSettings* tls) : location_(location), tls_(tls) {
  if (location.way == Way::server) {
    default_ = std::make_shared<Member>(location, tls);
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
      learn(key, nullptr, deadline);
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
  if (std::exchange(is_astray_, false)) {
    std::rotate(informants_.begin(), informants_.begin() + 1, informants_.end());
  }
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

// One after another until one can tell, none with more than its share of the time. `about`: null,
// or a node that others have to tell about; `anew`: somebody must tell, if anybody else is known.
void Nodes::learn(std::string_view key, const Node& about, Deadline& deadline, bool anew) {
  std::vector<Node> informants;
  bool is_needed = true;  // somebody's word
  {
    const std::lock_guard lock(mutex_);
    is_needed = !about || anew || may_be_replaced();
    informants = informants_;
    std::erase(informants, about);
    std::stable_partition(informants.begin(), informants.end(),
                          [](const Node& each) { return each->failed_at_ == Clock::time_point{}; });
    if (!is_needed) {
      const Clock::time_point recent = Clock::now() - kBetweenFailures;
      std::erase_if(informants, [&](const Node& each) { return each->failed_at_ > recent; });
    }
  }
  std::exception_ptr why;
  for (std::size_t i = 0; i < informants.size(); ++i) {
    Member& informant = *informants[i];
    auto share = deadline.left() / static_cast<std::int64_t>(informants.size() - i);
    if (about && (!is_needed || i + 1 < informants.size())) {
      share = std::min(share, kMostForConfirmation);
    }
    Deadline part(informant.location().server(),
                  {.deadline = deadline.at(), .stop = deadline.stop()},
                  std::max(share, std::chrono::milliseconds(1)));
    const auto fail = [&] {
      why = std::current_exception();
      const std::lock_guard lock(mutex_);
      informant.failed_at_ = Clock::now();
    };
    try {
      if (ask(informant, key, about, part)) {
        const std::lock_guard lock(mutex_);
        const auto found = std::ranges::find(informants_, informants[i]);
        if (found != informants_.end()) std::rotate(informants_.begin(), found, found + 1);
        return;
      }
    } catch (const StoreError&) {
      fail();
    } catch (const CallAborted&) {
      fail();
    }
    deadline.check("asking who has the key");
  }
  if (why && is_needed) std::rethrow_exception(why);
  if (!about) return;
  const std::lock_guard lock(mutex_);
  about->confirmation_.confirm(Clock::now());
}

// Asks the informant about a node, and returns whether it can tell.
bool Nodes::ask(Member& informant, std::string_view key, const Node& about, Deadline& deadline) {
  const bool is_cluster = location_.way == Way::cluster;
  Request request;
  if (is_cluster) {
    request.add({"CLUSTER", "SLOTS"}).add({"CLUSTER", "MYID"});
  } else {
    request.add({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", location_.primary});
  }
  ServerPool::Lease connection(informant, deadline);
  const Clock::time_point asked_at = Clock::now();
  const auto replies = connection->exchange(request, deadline);
  if (replies.front().is(Reply::Type::error)) {
    throw RefusedError(informant.location().server(), replies.front().text);
  }
  {
    const std::lock_guard lock(mutex_);
    informant.failed_at_ = {};
  }
  try {
    if (is_cluster) return take_slots(informant, about, replies, key, asked_at);
    take_primary(informant, replies.front(), asked_at);
    return true;
  } catch (const ConnectionError&) {
    connection->distrust();
    throw;
  }
}

// Returns whether `told_by` tells who has the key. An answer that nobody has it comes from a node
// that is new, or was taken out of the cluster, and counts only where nothing else is known. Nobody
// tells about himself.
bool Nodes::take_slots(Member& told_by, const Node& about, const std::vector<Reply>& replies,
                       std::string_view key, Clock::time_point asked_at) {
  const auto ranges = read_cluster_slots(replies.at(0), told_by.location().server());
  const Reply& own_id = replies.at(1);
  const std::uint16_t slot = hash_slot(key);
  const bool has_key = std::ranges::any_of(
      ranges, [&](const SlotRange& each) { return each.first <= slot && slot <= each.last; });
  const std::lock_guard lock(mutex_);
  if (own_id.is(Reply::Type::text)) told_by.id_ = own_id.text;
  if (about && !about->id_.empty() && about->id_ == told_by.id_) return false;
  if (!has_key && default_) return false;
  std::map<std::uint16_t, Range> fresh;
  std::vector<Node> nodes;
  for (const SlotRange& each : ranges) {
    HostPort address = each.primary;
    if (address.host.empty()) address.host = told_by.location().host;
    const Node node = pool_of(location_.of_server(std::move(address)));
    node->id_ = each.id;
    const bool is_informant =
        node.get() == &told_by || (!each.id.empty() && each.id == told_by.id_);
    if (!is_informant) node->confirmation_.confirm(asked_at);
    fresh[each.first] = {.last = each.last, .node = node};
    if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
  }
  if (asked_at < asked_at_) return has_key;  // somebody has asked since
  asked_at_ = asked_at;
  // The location's own nodes stay among those that are asked: the others may all be replaced one
  // day.
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
  is_in_doubt_ = !has_key;
  return has_key;
}

void Nodes::take_primary(const ServerPool& told_by, const Reply& reply,
                         Clock::time_point asked_at) {
  const auto address = read_primary_address(reply, told_by.location().server(), location_.primary);
  const std::lock_guard lock(mutex_);
  if (asked_at < asked_at_) return;  // somebody has asked since
  asked_at_ = asked_at;
  Node primary = pool_of(location_.of_server(address));
  primary->confirmation_.confirm(asked_at);
  default_ = std::move(primary);
  is_in_doubt_ = false;
}

bool Nodes::is_current(const Node& node, std::string_view key, Deadline& deadline, bool anew) {
  if (location_.way == Way::server) return true;
  bool is_due = false;
  {
    const std::lock_guard lock(mutex_);
    is_due = node->confirmation_.is_due(Clock::now()) || anew;
  }
  if (is_due) learn(key, node, deadline, anew);
  const std::lock_guard lock(mutex_);
  return is_named(node, key);
}

bool Nodes::is_named(const Node& node, std::string_view key) const {
  const Node named = find(key);
  return named == node || (!named->id_.empty() && named->id_ == node->id_);
}

// Replicas of a cluster are elected by a majority of its primaries: by none of one or two.
bool Nodes::may_be_replaced() const {
  if (location_.way != Way::cluster) return true;
  std::vector<const Member*> primaries;
  for (const auto& [first, range] : ranges_) {
    if (std::ranges::find(primaries, range.node.get()) == primaries.end()) {
      primaries.push_back(range.node.get());
    }
    if (primaries.size() > 2) return true;
  }
  return false;
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
  if (!node) node = std::make_shared<Member>(std::move(location), tls_);
  return node;
}

void Nodes::moved(std::string_view key, const Node& to, Clock::time_point asked_at) {
  const std::lock_guard lock(mutex_);
  slots_[hash_slot(key)] = to;
  to->confirmation_.confirm(asked_at);
}

bool Nodes::lost(const ServerPool& node) {
  const std::lock_guard lock(mutex_);
  is_in_doubt_ = true;
  const auto is_it = [&](const auto& each) { return each.second.get() == &node; };
  return std::erase_if(slots_, is_it) > 0 || !informants_.empty();
}

void Nodes::led_astray() {
  const std::lock_guard lock(mutex_);
  is_in_doubt_ = is_astray_ = true;
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
