// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/client.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "bloomery/redis/client/deadline.h"
#include "bloomery/redis/client/redirection.h"
#include "bloomery/redis/client/replica_wait.h"
#include "bloomery/redis/client/rider.h"
#include "bloomery/redis/client/told_command.h"

namespace bloomery::redis {
namespace {

// The most redirections of a call: more come of nodes that do not agree yet who has a slot.
constexpr int kMostMoves = 16;
constexpr std::chrono::milliseconds kShortestPause{1};
constexpr std::chrono::milliseconds kLongestPause{50};
// The number of times that others are asked once more, each after a pause, whether they name a
// node.
constexpr int kMostDoubts = 8;
constexpr const char* kDisagreeing = "waiting for nodes that do not agree who has its key";

}  // namespace

struct Client::Call {
  const Request& request;
  const Repeat repeat;
  const Judge& judge;
  const std::string_view key;
  Deadline deadline;
  Rider* const rider;  // or null
  const bool awaits_replicas = false;
  bool has_rider_answer = false;

  Nodes::Node node{};
  bool asks = false;    // the node is to answer for a slot that it does not have yet
  Nodes::Node owner{};  // who has it, and sent the call there

  // The outcome of the last try; `answer.repeated` is of all tries.
  bool was_sent = false;
  std::chrono::steady_clock::time_point sent_at{};
  std::optional<Redirection> redirection{};
  Answer answer{};

  int moves = 0;
  bool has_retried = false;
  std::chrono::milliseconds pause_length = kShortestPause;
};

Client::Client(Location location)
    : location_(std::move(location)),
      tls_(location_.tls.on ? std::make_unique<const TlsSettings>(location_) : nullptr) {}

Nodes& Client::nodes() {
  Known& known = known_.get();
  const std::lock_guard lock(known.mutex);
  if (!known.nodes) known.nodes = std::make_unique<Nodes>(location_, tls_.get());
  return *known.nodes;
}

Answer Client::run(const Request& request, Repeat repeat, const CallContext& context,
                   const Judge& judge) {
  Call call{.request = request,
            .repeat = repeat,
            .judge = judge,
            .key = request.key().empty() ? location_.key : request.key(),
            .deadline = Deadline(location_.server(), context, location_.timeout),
            .rider = request.has_several_slots() ? nullptr : Rider::board(location_),
            .awaits_replicas = location_.awaits_replicas() && request.changes()};
  for (;;) {
    if (!call.asks) call.node = nodes().of(call.key, call.deadline);
    try {
      try_once(call);
      if (call.redirection && follow(call)) continue;
      if (!is_believed(call)) {
        if (may_ask_anew(call)) continue;
        throw ConnectionError(call.node->location().server() +
                              ": others name another primary by now");
      }
      if (call.redirection) {  // nobody saw these replies yet
        tell_commands(request, call.answer.replies);
        if (judge) judge(call.answer.replies);
      }
      if (call.has_rider_answer) call.rider->arrive();
      return std::move(call.answer);
    } catch (const TimeoutError&) {
      nodes().lost(*call.node);
      throw;
    } catch (const ConnectionError&) {
      if (!may_retry(call)) throw;
    } catch (const CallAborted&) {
      nodes().lost(*call.node);
      throw;
    }
  }
}

bool Client::run_watched(const Request& first, const Then& then, const CallContext& context,
                         const Judge& judge) {
  Deadline deadline(location_.server(), context, location_.timeout);
  Nodes::Node node;
  try {
    node = nodes().of(first.key(), deadline);
    {
      ServerPool::Lease connection(*node, deadline);
      try {
        const auto second = then(connection->exchange(first, deadline));
        if (!second) {
          connection->distrust();  // it watches still
          return false;
        }
        auto replies = connection->exchange(*second, deadline);
        tell_commands(*second, replies);
        judge(replies);
        const std::string& key = first.key().empty() ? location_.key : first.key();
        await_replicas(*connection, node->location(), key, deadline);
      } catch (...) {
        connection->distrust();
        throw;
      }
    }
    return nodes().is_current(node, first.key(), deadline, location_.awaits_replicas());
  } catch (const TimeoutError&) {
    if (node) nodes().lost(*node);
    throw;
  } catch (const ConnectionError&) {
    if (node) {
      node->drop_idle();
      nodes().lost(*node);
    }
    return false;
  } catch (const CallAborted&) {
    if (node) nodes().lost(*node);
    throw;
  }
}

std::vector<std::size_t> Client::nodes_of(std::span<const std::string_view> keys,
                                          const CallContext& context) {
  Deadline deadline(location_.server(), context, location_.timeout);
  std::vector<std::size_t> numbers;
  numbers.reserve(keys.size());
  std::vector<Nodes::Node> all;
  for (const std::string_view key : keys) {
    const Nodes::Node node = nodes().of(key, deadline);
    const auto found = std::ranges::find(all, node);
    numbers.push_back(static_cast<std::size_t>(found - all.begin()));
    if (found == all.end()) all.push_back(node);
  }
  return numbers;
}

void Client::try_once(Call& call) {
  call.was_sent = false;
  call.redirection.reset();
  ServerPool::Lease connection(*call.node, call.deadline);
  call.was_sent = true;
  call.sent_at = std::chrono::steady_clock::now();
  auto& replies = call.answer.replies;
  call.has_rider_answer = false;
  const bool has_rider = call.rider != nullptr && !call.asks;
  const Request with_others = has_rider   ? call.request.with(call.rider->request())
                              : call.asks ? call.request.asking()
                                          : Request();
  const Request& sent = has_rider || call.asks ? with_others : call.request;
  replies = connection->exchange(sent, call.deadline);
  if (call.asks) drop_asking(call.request, replies);
  std::vector<Reply> others;
  if (has_rider) {
    const auto first = replies.begin() + static_cast<std::ptrdiff_t>(call.request.size());
    others.assign(std::make_move_iterator(first), std::make_move_iterator(replies.end()));
    replies.erase(first, replies.end());
  }
  if (!call.request.has_several_slots()) call.redirection = redirection_in(call.request, replies);
  if (call.redirection) {
    // The server became a replica; its name may lead to its successor by now.
    if (call.redirection->why == Refusal::read_only) connection->distrust();
    return;
  }
  tell_commands(call.request, replies);
  try {
    if (call.judge) call.judge(replies);
    if (call.awaits_replicas) {
      await_replicas(*connection, call.node->location(), call.key, call.deadline);
    }
  } catch (const ConnectionError&) {
    connection->distrust();
    throw;
  }
  if (!has_rider) return;
  try {
    call.rider->judge(others);
    call.has_rider_answer = true;
  } catch (const ConnectionError&) {
    connection->distrust();
  } catch (const StoreError&) {
    // Whoever sent it asks by himself, and is told.
  }
}

bool Client::may_retry(Call& call) {
  call.node->drop_idle();
  const bool may_be_elsewhere = nodes().lost(*call.node) || call.asks;
  if (std::exchange(call.has_retried, true)) return false;
  call.asks = false;
  call.answer.repeated = call.was_sent;
  return call.was_sent ? call.repeat == Repeat::safe : may_be_elsewhere;
}

// Returns whether there is another try; else the answer is what came.
bool Client::follow(Call& call) {
  const Redirection& redirection = *call.redirection;
  if (redirection.is_partial && call.repeat == Repeat::never) return false;
  call.answer.repeated = call.answer.repeated || redirection.is_partial;
  call.asks = redirection.why == Refusal::ask;
  if (redirection.why == Refusal::moved || redirection.why == Refusal::ask) {
    if (++call.moves > kMostMoves) {
      call.asks = false;
      nodes().lost(*call.node);
      pause(call, "waiting for nodes that send it to each other (MOVED, ASK)");
      return true;
    }
    const Nodes::Node there = nodes().at(redirection.to, *call.node);
    if (!call.asks) nodes().moved(call.key, there, call.sent_at);
    call.owner = std::exchange(call.node, there);
    return true;
  }
  if (redirection.why == Refusal::try_again) {
    pause(call, "waiting for keys on their way between nodes (TRYAGAIN)");
    return true;
  }
  nodes().lost(*call.node);
  if (redirection.why == Refusal::cluster_down) {
    nodes().led_astray();
    pause(call, "waiting for the cluster (CLUSTERDOWN)");
    return true;
  }
  call.node->drop_idle();
  return !std::exchange(call.has_retried, true);
}

// Returns whether the answer counts. Others may not have heard yet that the node has the slot. What
// replicas have acknowledged counts if others name the node as primary after it.
bool Client::is_believed(Call& call) {
  const Nodes::Node& node = call.asks ? call.owner : call.node;
  if (nodes().is_current(node, call.key, call.deadline, call.awaits_replicas)) return true;
  if (location_.way != Way::cluster || call.repeat == Repeat::safe) return false;
  for (int i = 0; i < kMostDoubts; ++i) {
    pause(call, kDisagreeing);
    if (nodes().is_current(node, call.key, call.deadline, true)) return true;
  }
  return false;
}

bool Client::may_ask_anew(Call& call) {
  if (location_.way != Way::cluster || call.repeat == Repeat::never) return false;
  pause(call, kDisagreeing);
  call.asks = false;
  call.answer.repeated = true;
  return true;
}

void Client::pause(Call& call, const char* doing) {
  call.deadline.pause(call.pause_length, doing);
  call.pause_length = std::min(2 * call.pause_length, kLongestPause);
  call.moves = 0;
}

const Reply& require_done(const Reply& reply, const Location& location) {
  if (reply.is(Reply::Type::error)) throw RefusedError(location.server(), reply.text);
  return reply;
}

}  // namespace bloomery::redis
