#include "bloomery/redis/server_pool.h"

#include <utility>

#include "bloomery/redis/errors.h"

namespace bloomery::redis {

ServerPool::Lease::Lease(ServerPool& pool, Deadline& deadline) : pool_(pool) {
  pool_.take_place(deadline);
  try {
    connection_ = pool_.take_idle();
    if (!connection_) connection_ = pool_.connect(deadline);
  } catch (...) {
    give_back();
    throw;
  }
}

void ServerPool::Lease::give_back() noexcept {
  const std::lock_guard lock(pool_.mutex_);
  --pool_.taken_;
  // There is room for as many as there are places.
  if (connection_ && connection_->is_usable()) pool_.idle_.push_back(std::move(connection_));
  pool_.freed_.notify_one();
}

ServerPool::ServerPool(Location location, const TlsSettings* tls)
    : location_(std::move(location)), tls_(tls) {
  idle_.reserve(location_.connections);
}

void ServerPool::drop_idle() {
  const std::lock_guard lock(mutex_);
  idle_.clear();
}

void ServerPool::take_place(Deadline& deadline) {
  std::unique_lock lock(mutex_);
  if (!freed_.wait_until(lock, deadline.stop(), deadline.at(),
                         [this] { return taken_ < location_.connections; })) {
    deadline.give_up("waiting for a connection that others use");
  }
  ++taken_;
}

std::unique_ptr<Connection> ServerPool::take_idle() {
  const std::lock_guard lock(mutex_);
  while (!idle_.empty()) {
    auto connection = std::move(idle_.back());
    idle_.pop_back();
    if (connection->is_usable()) return connection;
  }
  return nullptr;
}

std::unique_ptr<Connection> ServerPool::connect(Deadline& deadline) {
  if (const auto why = back_off_.refusal(BackOff::Clock::now())) {
    throw ConnectionError(*why + " (a moment ago)");
  }
  try {
    auto connection = std::make_unique<Connection>(location_, tls_, deadline);
    back_off_.succeeded();
    return connection;
  } catch (const ConnectionError& error) {
    back_off_.failed(BackOff::Clock::now(), error.what());
    throw;
  }
}

}  // namespace bloomery::redis
