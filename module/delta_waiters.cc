// SPDX-License-Identifier: Apache-2.0
#include "module/delta_waiters.h"

#include <list>
#include <string>
#include <utility>

#include "module/delta_ring.h"
#include "module/open_key.h"
#include "module/stored_filter.h"
#include "module/the_module.h"

namespace bloomery::module {
namespace {

constexpr std::uint64_t kRingLivesMs = 10 * 60 * 1000;
constexpr long long kRingTickMs = 60 * 1000;

struct DeltaWaiter {
  BlockedClient* client;
  int database;
  std::string key;
  DeltaPosition position;
  std::uint64_t until_ms;
  bool on_replica;
};

std::list<DeltaWaiter>& delta_waiters() {
  static std::list<DeltaWaiter> all;
  return all;
}
bool ticks = false;
bool watches_rings = false;

bool is_on_replica(Context* context) noexcept {
  return (api().context_flags(context) & kReplica) != 0;
}

// Returns whether the ring of the key is the one that the client knows, and has nothing new for it.
bool has_nothing_new(Context* context, const DeltaWaiter& waiter) {
  if (api().select_database(context, waiter.database) != kOk) return false;
  const ServerString name(context, waiter.key);
  const OpenKey key(context, name.get(), kRead | kUntouched);
  const auto* const filter = key.get<StoredFilter>();
  if (filter == nullptr || filter->ring() == nullptr) return false;
  const DeltaRing& ring = *filter->ring();
  return ring.name() == waiter.position.ring && ring.sequence() == waiter.position.sequence;
}

// A server that became another's replica has ended them itself.
void tick(Context* context, void*) noexcept {
  ticks = false;
  const std::uint64_t now = steady_now_ms();
  const bool on_replica = is_on_replica(context);
  for (auto each = delta_waiters().begin(); each != delta_waiters().end();) {
    const auto waiter = each++;
    if (now < waiter->until_ms && waiter->on_replica == on_replica &&
        has_nothing_new(context, *waiter)) {
      continue;
    }
    BlockedClient* const client = waiter->client;
    delta_waiters().erase(waiter);
    api().unblock_client(client, nullptr);
  }
  if (delta_waiters().empty()) return;
  ticks = true;
  api().create_timer(context, kDeltaTickMs, tick, nullptr);
}

// A client may go after a tick unblocked it and before the server has looked: unblocked once more,
// it would be freed twice.
void gone(Context*, BlockedClient* client) noexcept {
  const auto is_it = [&](const DeltaWaiter& each) { return each.client == client; };
  if (delta_waiters().remove_if(is_it) == 0) return;
  api().unblock_client(client, nullptr);  // which frees it
}

void watch(Context* context, void*) noexcept {
  watches_rings = DeltaRing::forget_unasked(kRingLivesMs);
  if (watches_rings) api().create_timer(context, kRingTickMs, watch, nullptr);
}

}  // namespace

bool wait_for_delta(Context* context, String* key, const DeltaPosition& position,
                    std::uint64_t milliseconds, CommandFunction answer) {
  constexpr int kAnswersAtOnce = kOfScript | kOfTransaction | kMayNotBlock;
  if ((api().context_flags(context) & kAnswersAtOnce) != 0) return false;
  std::size_t size = 0;
  const char* const name = api().string_bytes(key, &size);
  delta_waiters().push_back({.client = nullptr,
                             .database = api().selected_database(context),
                             .key = std::string(name, size),
                             .position = position,
                             .until_ms = steady_now_ms() + milliseconds,
                             .on_replica = is_on_replica(context)});
  // The server ends no wait: it would take a client for answered that is still in the list.
  constexpr long long kNoTimeout = 0;
  BlockedClient* const client = api().block_client(context, answer, nullptr, nullptr, kNoTimeout);
  delta_waiters().back().client = client;
  api().set_disconnect_callback(client, gone);
  if (!std::exchange(ticks, true)) api().create_timer(context, kDeltaTickMs, tick, nullptr);
  return true;
}

void watch_rings(Context* context) {
  if (std::exchange(watches_rings, true)) return;
  api().create_timer(context, kRingTickMs, watch, nullptr);
}

}  // namespace bloomery::module
