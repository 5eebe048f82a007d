#include "bloomery/source/postgres/postgres_rows.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/source/postgres/row_session.h"
#include "bloomery/source/postgres/table_question.h"
#include "bloomery/source/server_location.h"

namespace bloomery {

class PostgresRows::Pool {
 public:
  Pool(ServerLocation location, PostgresRowsOptions options)
      : location_(std::move(location)), options_(std::move(options)) {}

  Rows rows_of(std::span<const Key> keys, const CallContext& context) {
    while (true) {
      auto [session, was_used] = take(context);
      const Return back(*this, session);
      if (!session) {
        session = std::make_unique<postgres::RowSession>(location_, options_.value,
                                                         options_.encoding, context);
      }
      try {
        return session->rows_of(keys, context);
      } catch (const StoreError&) {
        // Lost since it was used last; those that idle with it may be, too.
        if (!was_used || session->is_open()) throw;
      }
    }
  }

 private:
  using Session = std::unique_ptr<postgres::RowSession>;

  // Gives a session back, or the right to make one.
  class Return {
   public:
    Return(Pool& pool, Session& session) : pool_(pool), session_(session) {}
    Return(const Return&) = delete;
    Return& operator=(const Return&) = delete;
    ~Return() {
      {
        const std::lock_guard lock(pool_.mutex_);
        --pool_.in_use_;
        if (session_ && session_->is_open()) pool_.idle_.push_back(std::move(session_));
      }
      pool_.returned_.notify_one();
    }

   private:
    Pool& pool_;
    Session& session_;
  };

  // A session, and whether it was used before; none where the caller shall make it.
  std::pair<Session, bool> take(const CallContext& context) {
    constexpr std::chrono::milliseconds kLookForStop{50};
    std::unique_lock lock(mutex_);
    while (in_use_ >= options_.connections) {
      if (context.is_over()) {
        throw CallAborted(location_.name() + ": all connections are in use");
      }
      auto until = context.deadline;
      if (context.stop.stop_possible() || until == CallContext::kNever) {
        until = std::min(until, CallContext::Clock::now() + kLookForStop);
      }
      returned_.wait_until(lock, until);
    }
    Session session;
    if (!idle_.empty()) {
      session = std::move(idle_.back());
      idle_.pop_back();
    } else {
      idle_.reserve(options_.connections);  // so that giving back does not fail
    }
    ++in_use_;
    const bool was_used = session != nullptr;
    return {std::move(session), was_used};
  }

  const ServerLocation location_;
  const PostgresRowsOptions options_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<Session> idle_;
  std::size_t in_use_ = 0;
};

PostgresRows::PostgresRows(std::string_view location, PostgresRowsOptions options) {
  ServerLocation parsed = parse_server_location(location);
  if (parsed.scheme != "postgres") {
    throw std::invalid_argument(parsed.name() + ": is no location of a PostgreSQL server");
  }
  postgres::require_one_column(parsed);
  const KeyEncoding encoding = options.encoding;
  if (encoding != KeyEncoding::text && encoding != KeyEncoding::u64 &&
      encoding != KeyEncoding::i64) {
    throw std::invalid_argument(parsed.name() +
                                ": rows are asked by keys written as text, u64 or i64");
  }
  if (options.connections == 0) {
    throw std::invalid_argument(parsed.name() + ": no connections, which must be one at least");
  }
  pool_ = std::make_shared<Pool>(std::move(parsed), std::move(options));
}

PostgresRows::Rows PostgresRows::operator()(std::span<const Key> keys,
                                            const CallContext& context) const {
  return pool_->rows_of(keys, context);
}

}  // namespace bloomery
