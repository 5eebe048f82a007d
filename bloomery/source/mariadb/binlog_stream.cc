// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/binlog_stream.h"

#include <errmsg.h>
#include <fcntl.h>
#include <mariadb_rpl.h>
#include <mysqld_error.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <random>
#include <system_error>
#include <utility>

#include "bloomery/source/mariadb/history.h"

namespace bloomery::mariadb {
namespace {

// Limits of what may wait to be taken; the server keeps the rest.
constexpr std::size_t kMostKeys = 64 * 1024;
constexpr std::size_t kMostBytes = std::size_t{4} << 20;

// How often the server says that it has nothing.
constexpr const char* kHeartbeatNanoseconds = "100000000";

// The server ends another reader of its log that has the same number, such as a true replica, so
// ours is one of two thousand million that people do not choose.
std::uint32_t draw_server_number() {
  std::random_device random;
  return (static_cast<std::uint32_t>(random()) | 0x80000000U) & 0xfffffffeU;
}

bool is_full(const LoggedChanges& changes) noexcept {
  return changes.key_count() >= kMostKeys || changes.byte_count() >= kMostBytes;
}

bool is_empty(const LoggedChanges& changes) noexcept {
  return changes.key_count() == 0 && changes.deleted_count == 0 && changes.untold_count == 0 &&
         !changes.position;
}

}  // namespace

BinlogStream::BinlogStream(const Server& server, const std::string& of_run, Reader reader,
                           const std::string& file, std::uint32_t offset,
                           const CallContext& context)
    : connection_(server, context, server.timeout),
      breaker_(static_cast<int>(mysql_get_socket(connection_.handle()))),
      reader_(std::move(reader)) {
  require_run(connection_, of_run, context);
  request(file, offset, context);
  // An error of the server comes in place of the first event.
  reader_(next_packet(), reading_);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

BinlogStream::~BinlogStream() {
  thread_.request_stop();
  breaker_.cut();
}

BinlogStream::Breaker::Breaker(int socket) : file_(fcntl(socket, F_DUPFD_CLOEXEC, 0)) {
  if (file_ < 0) throw std::system_error(errno, std::generic_category(), "dup");
}

BinlogStream::Breaker::~Breaker() {
  close(file_);
}

void BinlogStream::Breaker::cut() const noexcept {
  shutdown(file_, SHUT_RDWR);
}

void BinlogStream::request(const std::string& file, std::uint32_t offset,
                           const CallContext& context) {
  const std::string period = kHeartbeatNanoseconds;
  connection_.ask(
      connection_.is_mariadb()
          ? "SET @mariadb_slave_capability=4, @master_binlog_checksum=@@global.binlog_checksum, "
            "@master_heartbeat_period=" +
                period
          : "SET @source_binlog_checksum=@@global.binlog_checksum, "
            "@master_binlog_checksum=@@global.binlog_checksum, @source_heartbeat_period=" +
                period + ", @master_heartbeat_period=" + period,
      context);
  MYSQL* const mysql = connection_.handle();
  const std::unique_ptr<MARIADB_RPL, decltype((mariadb_rpl_close))> dump(mariadb_rpl_init(mysql),
                                                                         mariadb_rpl_close);
  if (dump == nullptr) throw std::bad_alloc();
  mariadb_rpl_optionsv(dump.get(), MARIADB_RPL_SERVER_ID, draw_server_number());
  mariadb_rpl_optionsv(dump.get(), MARIADB_RPL_FILENAME, file.c_str(), file.size());
  mariadb_rpl_optionsv(dump.get(), MARIADB_RPL_START, static_cast<unsigned long>(offset));
  mariadb_rpl_optionsv(dump.get(), MARIADB_RPL_FLAGS, 0U);
  if (mariadb_rpl_open(dump.get()) != 0) connection_.fail("asking for the binary log");
}

std::string_view BinlogStream::next_packet() {
  MYSQL* const mysql = connection_.handle();
  const unsigned long length = mysql_net_read_packet(mysql);
  if (length == packet_error) {
    if (mysql_errno(mysql) == ER_MASTER_FATAL_ERROR_READING_BINLOG) {
      throw LogGone(connection_.server().name + ": " + mysql_error(mysql));
    }
    connection_.fail("reading the binary log");
  }
  const std::string_view packet(reinterpret_cast<const char*>(mysql->net.read_pos), length);
  constexpr std::size_t kMostOfEnd = 9;
  if (packet.size() < kMostOfEnd && packet.starts_with('\xfe')) {
    // The server ends the reading when the log begins anew (RESET MASTER).
    throw SourceChanged(connection_.server().name +
                        ": the server ended the binary log's reading, as RESET MASTER does");
  }
  return packet;
}

void BinlogStream::run(const std::stop_token& stop) {
  try {
    while (!stop.stop_requested()) {
      reader_(next_packet(), reading_);
      if (is_empty(reading_)) continue;
      if (!wait_for_room(stop)) return;
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    // Hands over keys of a transaction that did not end, which do no harm.
    ready_.append(reading_);
    failure_ = std::current_exception();
  }
  changed_.notify_all();
}

// Hands over what was read; waits only where too much was handed over already.
bool BinlogStream::wait_for_room(const std::stop_token& stop) {
  {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return !is_full(ready_); })) return false;
    ready_.append(reading_);
  }
  changed_.notify_all();
  return true;
}

bool BinlogStream::take(LoggedChanges& changes, CallContext::Clock::time_point until,
                        const CallContext& context) {
  changes.clear();
  std::unique_lock lock(mutex_);
  const auto has_come = [this] { return !is_empty(ready_) || failure_ != nullptr; };
  changed_.wait_until(lock, context.stop, std::min(until, context.deadline), has_come);
  if (!is_empty(ready_)) {
    std::swap(changes, ready_);
    lock.unlock();
    changed_.notify_all();
    return true;
  }
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  return false;
}

}  // namespace bloomery::mariadb
