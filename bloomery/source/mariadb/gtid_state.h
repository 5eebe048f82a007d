// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace bloomery::mariadb {

// How far a server's binary log is: the last transaction of each replication domain, as in
// @@gtid_binlog_pos. In gtid_strict_mode the numbers of a domain only grow, so that each
// transaction in the log makes the sum of all of them larger.
class GtidState {
 public:
  GtidState() = default;
  // "0-1-100,7-1-3", or nothing. Throws StoreError for what is none.
  explicit GtidState(std::string_view text);

  // The next transaction of the log. Throws SourceChanged where its number does not grow.
  void advance(std::uint32_t domain, std::uint32_t server, std::uint64_t number);

  bool has(std::uint32_t domain) const { return domains_.contains(domain); }
  std::uint64_t sum() const noexcept { return sum_; }
  // text(): the state as the server writes it. domains(): the domains alone, "0,7".
  std::string text() const;
  std::string domains() const;

 private:
  struct Last {
    std::uint32_t server = 0;
    std::uint64_t number = 0;
  };

  std::map<std::uint32_t, Last> domains_;
  std::uint64_t sum_ = 0;
};

// The position of a watermark: the sum, and where that is the same, the number of the log's file.
// In one history the file has nothing to say: sums grow with each transaction. But a log that began
// anew (RESET MASTER), or whose domains were deleted, comes to sums that were there before, in
// other files.
struct LogPosition {
  static constexpr int kFileBits = 20;

  // Throws SourceChanged where the numbers are too large.
  static std::uint64_t of(std::uint64_t sum, std::uint64_t file);
  static std::uint64_t sum(std::uint64_t position) noexcept { return position >> kFileBits; }
  static std::uint64_t file(std::uint64_t position) noexcept {
    return position & ((std::uint64_t{1} << kFileBits) - 1);
  }
};

// A place in the log as one number; those that are behind it have larger ones.
constexpr int kLogOffsetBits = 64 - LogPosition::kFileBits;
constexpr std::uint64_t log_place(std::uint64_t file, std::uint64_t offset) noexcept {
  return file << kLogOffsetBits | offset;
}

// "binlog.000042".
struct LogFile {
  std::string base;
  std::uint64_t number = 0;

  // Throws StoreError for what is none.
  explicit LogFile(std::string_view name);
  std::string name() const { return name_of(number); }
  std::string name_of(std::uint64_t other_number) const;
};

}  // namespace bloomery::mariadb
