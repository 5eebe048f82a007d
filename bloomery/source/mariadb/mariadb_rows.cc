#include "bloomery/source/mariadb/mariadb_rows.h"

#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "bloomery/source/mariadb/row_session.h"

namespace bloomery {

class MariadbRows::Pool {
 public:
  Pool(ServerLocation location, MariadbRowsOptions options)
      : location_(std::move(location)), options_(std::move(options)) {}

  Rows ask(std::span<const Key> keys, const CallContext& context) {
    while (true) {
      const Place place(*this, context);
      auto session = take_idle();
      const bool was_idle = session != nullptr;
      try {
        if (!was_idle) {
          session = std::make_unique<mariadb::RowSession>(location_, options_, context);
        }
        Rows rows = session->ask(keys, context);
        give_back(std::move(session));
        return rows;
      } catch (const StoreError&) {
        const bool was_cut = session != nullptr && session->is_broken();
        if (session != nullptr && !was_cut) give_back(std::move(session));
        // Cut while nobody used it, by a restart or for its age.
        if (!was_idle || !was_cut) throw;
      }
    }
  }

 private:
  // One of the connections that there may be.
  class Place {
   public:
    Place(Pool& pool, const CallContext& context) : pool_(pool) {
      std::unique_lock lock(pool_.mutex_);
      const auto is_free = [&] { return pool_.used_ < pool_.options_.connections; };
      pool_.freed_.wait_until(lock, context.stop, context.deadline, is_free);
      if (!is_free()) {
        throw CallAborted(pool_.location_.name() +
                          ": the caller's time was over before a connection was free");
      }
      ++pool_.used_;
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() {
      {
        const std::lock_guard lock(pool_.mutex_);
        --pool_.used_;
      }
      pool_.freed_.notify_one();
    }

   private:
    Pool& pool_;
  };

  std::unique_ptr<mariadb::RowSession> take_idle() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return nullptr;
    auto session = std::move(idle_.back());
    idle_.pop_back();
    return session;
  }

  void give_back(std::unique_ptr<mariadb::RowSession> session) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(session));
  }

  const ServerLocation location_;
  const MariadbRowsOptions options_;
  std::mutex mutex_;
  std::condition_variable_any freed_;
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<mariadb::RowSession>> idle_;
};

MariadbRows::MariadbRows(std::string_view location, MariadbRowsOptions options) {
  ServerLocation parsed = parse_server_location(location);
  mariadb::Server checked(parsed);
  const bool is_known = options.encoding == KeyEncoding::text ||
                        options.encoding == KeyEncoding::u64 ||
                        options.encoding == KeyEncoding::i64;
  if (!is_known || options.connections == 0 || parsed.selection.columns.size() != 1) {
    throw std::invalid_argument(parsed.name() +
                                ": rows are loaded by one column, for keys of text, u64 or i64, "
                                "over at least one connection");
  }
  pool_ = std::make_shared<Pool>(std::move(parsed), std::move(options));
}

MariadbRows::Rows MariadbRows::operator()(std::span<const Key> keys,
                                          const CallContext& context) const {
  if (keys.empty()) return {};
  return pool_->ask(keys, context);
}

}  // namespace bloomery
