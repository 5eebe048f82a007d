// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/server_pool.h"

#include <utility>

#include "bloomery/redis/client/server_errors.h"

namespace bloomery::redis {

ServerPool::Lease::Lease(ServerPool& pool, Deadline& deadline)
    : pool_(pool), kept_(pool.kept_.get()) {
  pool_.take_place(kept_, deadline);
  try {
    connection_ = take_idle(kept_);
    if (!connection_) connection_ = pool_.connect(kept_, deadline);
  } catch (...) {
    give_back();
    throw;
  }
}

void ServerPool::Lease::give_back() noexcept {
  if (!pool_.kept_.has(kept_)) return;  // it was taken before a fork
  const std::lock_guard lock(kept_.mutex);
  --kept_.taken;
  // The pool has room for as many connections as it has places.
  if (connection_ && connection_->is_usable()) kept_.idle.push_back(std::move(connection_));
  kept_.freed.notify_one();
}

ServerPool::ServerPool(Location location, const TlsSettings* tls)
    : location_(std::move(location)), tls_(tls) {}

void ServerPool::drop_idle() {
  Kept& kept = kept_.get();
  const std::lock_guard lock(kept.mutex);
  kept.idle.clear();
}

void ServerPool::take_place(Kept& kept, Deadline& deadline) const {
  std::unique_lock lock(kept.mutex);
  kept.idle.reserve(location_.connections);
  if (!kept.freed.wait_until(lock, deadline.stop(), deadline.at(),
                             [&] { return kept.taken < location_.connections; })) {
    deadline.give_up("waiting for a connection that others use");
  }
  ++kept.taken;
}

std::unique_ptr<Connection> ServerPool::take_idle(Kept& kept) {
  const std::lock_guard lock(kept.mutex);
  while (!kept.idle.empty()) {
    auto connection = std::move(kept.idle.back());
    kept.idle.pop_back();
    if (connection->is_usable()) return connection;
  }
  return nullptr;
}

std::unique_ptr<Connection> ServerPool::connect(Kept& kept, Deadline& deadline) const {
  if (const auto why = kept.back_off.refusal(BackOff::Clock::now())) {
    throw ConnectionError(*why + " (a moment ago)");
  }
  try {
    auto connection = std::make_unique<Connection>(location_, tls_, deadline);
    kept.back_off.succeeded();
    return connection;
  } catch (const ConnectionError& error) {
    kept.back_off.failed(BackOff::Clock::now(), error.what());
    throw;
  }
}

}  // namespace bloomery::redis
