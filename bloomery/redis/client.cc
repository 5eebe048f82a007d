#include "bloomery/redis/client.h"

#include <utility>

namespace bloomery::redis {

class Client::Lease {
 public:
  Lease(Client& client, Deadline& deadline) : client_(client) {
    client_.take_place(deadline);
    try {
      connection_ = client_.take_idle();
      if (!connection_) connection_ = client_.connect(deadline);
    } catch (...) {
      free_place();
      throw;
    }
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() { free_place(); }

  Connection& operator*() noexcept { return *connection_; }

 private:
  void free_place() noexcept {
    const std::lock_guard lock(client_.mutex_);
    --client_.taken_;
    // There is room for as many as there are places.
    if (connection_ && connection_->is_usable()) client_.idle_.push_back(std::move(connection_));
    client_.freed_.notify_one();
  }

  Client& client_;
  std::unique_ptr<Connection> connection_{};
};

Client::Client(Location location)
    : location_(std::move(location)),
      tls_(location_.tls.on ? std::make_unique<const TlsSettings>(location_) : nullptr) {
  idle_.reserve(location_.connections);
}

Answer Client::run(const Request& request, Repeat repeat, const CallContext& context,
                   const Judge& judge) {
  Deadline deadline(location_.server(), context, location_.timeout);
  bool was_cut = false;
  try {
    return {try_once(request, judge, deadline, was_cut)};
  } catch (const TimeoutError&) {
    throw;
  } catch (const ConnectionError&) {
    // The others that wait were made as early, and have most likely gone with it.
    const std::lock_guard lock(mutex_);
    idle_.clear();
    if (!was_cut || repeat == Repeat::never) throw;
  }
  return {try_once(request, judge, deadline, was_cut), true};
}

std::vector<Reply> Client::try_once(const Request& request, const Judge& judge, Deadline& deadline,
                                    bool& was_cut) {
  Lease connection(*this, deadline);
  was_cut = true;
  auto replies = (*connection).exchange(request, deadline);
  if (!judge) return replies;
  try {
    judge(replies);
  } catch (const ConnectionError&) {
    (*connection).distrust();
    throw;
  }
  return replies;
}

void Client::take_place(Deadline& deadline) {
  std::unique_lock lock(mutex_);
  if (!freed_.wait_until(lock, deadline.stop(), deadline.at(),
                         [this] { return taken_ < location_.connections; })) {
    deadline.give_up("waiting for a connection that others use");
  }
  ++taken_;
}

std::unique_ptr<Connection> Client::take_idle() {
  const std::lock_guard lock(mutex_);
  while (!idle_.empty()) {
    auto connection = std::move(idle_.back());
    idle_.pop_back();
    if (connection->is_usable()) return connection;
  }
  return nullptr;
}

std::unique_ptr<Connection> Client::connect(Deadline& deadline) {
  if (const auto why = back_off_.refusal(BackOff::Clock::now())) {
    throw ConnectionError(*why + " (a moment ago)");
  }
  try {
    auto connection = std::make_unique<Connection>(location_, tls_.get(), deadline);
    back_off_.succeeded();
    return connection;
  } catch (const ConnectionError& error) {
    back_off_.failed(BackOff::Clock::now(), error.what());
    throw;
  }
}

const Reply& require_done(const Reply& reply, const Location& location) {
  if (reply.is(Reply::Type::error)) throw RefusedError(location.server(), reply.text);
  return reply;
}

}  // namespace bloomery::redis
