// SPDX-License-Identifier: Apache-2.0
#include "module/guard_waits.h"

#include <algorithm>
#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "module/call.h"
#include "module/guard_server.h"

namespace bloomery::module {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPeriod{20};
constexpr std::size_t kLooks = 500;  // of a period, which take about a millisecond

struct LeaseName {
  int database = 0;
  std::string name{};
  auto operator<=>(const LeaseName&) const = default;
};

struct Waiter {
  BlockedClient* client = nullptr;
  Clock::time_point until{};
  std::vector<LeaseName> names{};
};

struct Awaited {
  std::string held{};
  std::set<Waiter*> waiters{};
};

// Waiting clients, and the leases that they wait for.
struct Waits {
  std::map<Waiter*, std::unique_ptr<Waiter>> waiters{};
  std::map<LeaseName, Awaited> leases{};
  bool has_timer = false;
  LeaseName looked_at{};  // last

  void wake(Waiter* waiter) noexcept {
    for (const LeaseName& name : waiter->names) {
      const auto found = leases.find(name);
      if (found == leases.end()) continue;
      found->second.waiters.erase(waiter);
      if (found->second.waiters.empty()) leases.erase(found);
    }
    BlockedClient* const client = waiter->client;
    waiters.erase(waiter);
    if (client != nullptr) api().unblock_client(client, nullptr);
  }
  void wake_all(const LeaseName& name) noexcept {
    for (auto found = leases.find(name); found != leases.end(); found = leases.find(name)) {
      wake(*found->second.waiters.begin());
    }
  }
};

Waits& waits() noexcept {
  static Waits all;
  return all;
}

std::optional<std::string> string_at(Context* context, const LeaseName& name) {
  api().select_database(context, name.database);
  ServerWords words(context);
  words.add(name.name);
  const ServerReply reply(api().call(context, "MGET", "v", words.data(), words.size()), true);
  const auto text = reply[0].text();
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

void start_timer(Context* context) noexcept;

// The leases that have changed, among those whose turn it is.
std::vector<LeaseName> find_changed(Context* context, Waits& all) {
  std::vector<LeaseName> changed;
  auto at = all.leases.upper_bound(all.looked_at);
  for (std::size_t n = std::min(kLooks, all.leases.size()); n > 0; --n, ++at) {
    if (at == all.leases.end()) at = all.leases.begin();
    if (string_at(context, at->first) != at->second.held) changed.push_back(at->first);
    all.looked_at = at->first;
  }
  return changed;
}

void look(Context* context, void* /*data*/) noexcept {
  Waits& all = waits();
  all.has_timer = false;
  const auto now = Clock::now();
  try {
    for (const LeaseName& name : find_changed(context, all)) all.wake_all(name);
    std::vector<Waiter*> late;
    for (const auto& [waiter, _] : all.waiters) {
      if (waiter->until <= now) late.push_back(waiter);
    }
    for (Waiter* const each : late) all.wake(each);
  } catch (const std::exception&) {  // no memory: they ask again
    while (!all.waiters.empty()) all.wake(all.waiters.begin()->first);
  }
  if (!all.waiters.empty()) start_timer(context);
}

void start_timer(Context* context) noexcept {
  if (waits().has_timer) return;
  api().create_timer(context, kPeriod.count(), look, nullptr);
  waits().has_timer = true;
}

}  // namespace

void wait_for_leases(Context* context, const std::vector<AwaitedLease>& leases,
                     std::chrono::milliseconds most, CommandFunction reply) {
  Waits& all = waits();
  auto made = std::make_unique<Waiter>();
  Waiter* const waiter = made.get();
  waiter->until = Clock::now() + most;
  all.waiters.emplace(waiter, std::move(made));
  try {
    const int database = api().selected_database(context);
    for (const AwaitedLease& each : leases) {
      const LeaseName name{database, each.name};
      const auto found = all.leases.find(name);
      // Waiters for an older lease of the key are late.
      if (found != all.leases.end() && found->second.held != each.held) all.wake_all(name);
      waiter->names.push_back(name);
      Awaited& awaited = all.leases[name];
      awaited.held = each.held;
      awaited.waiters.insert(waiter);
    }
  } catch (...) {
    all.wake(waiter);
    throw;
  }
  waiter->client = api().block_client(context, reply, nullptr, nullptr, 0);
  start_timer(context);
}

void lease_changed(Context* context, std::string_view name) noexcept {
  if (waits().leases.empty()) return;
  try {
    waits().wake_all({api().selected_database(context), std::string(name)});
  } catch (const std::exception&) {
    // The timer finds it.
  }
}

}  // namespace bloomery::module
