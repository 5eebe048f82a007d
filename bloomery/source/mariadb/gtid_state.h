#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace bloomery::mariadb {

// How far a server's binary log is: the last transaction of each replication domain, as in
// @@gtid_binlog_pos. In gtid_strict_mode the numbers of a domain only grow, so that each
// transaction in the log makes the sum of all of them larger: that is the position.
class GtidState {
 public:
  GtidState() = default;
  // "0-1-100,7-1-3", or nothing. Throws StoreError for what is none.
  explicit GtidState(std::string_view text);

  // The next transaction of the log. Throws SourceChanged where its number does not grow.
  void advance(std::uint32_t domain, std::uint32_t server, std::uint64_t number);

  std::uint64_t position() const noexcept { return position_; }
  // As the server writes it.
  std::string text() const;

 private:
  struct Last {
    std::uint32_t server = 0;
    std::uint64_t number = 0;
  };

  std::map<std::uint32_t, Last> domains_;
  std::uint64_t position_ = 0;
};

}  // namespace bloomery::mariadb
