// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace bloomery {

// A connection to an SQLite file, only ever read unless it is opened to be written. Never makes a
// database, though SQLite may leave its -shm and empty -wal file beside one in write-ahead mode.
// Its failures name the file: StoreError where it cannot be opened or stays locked, FormatError
// where it is damaged or no database, std::invalid_argument for a statement that SQLite does not
// understand.
class SqliteDatabase {
 public:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

  // `busy_timeout_ms`: how long to wait for a lock that another process holds.
  SqliteDatabase(std::string path, std::uint32_t busy_timeout_ms, bool writes = false);

  // Prepares the first statement of `sql`; `rest`, if given, becomes what follows it. The statement
  // is empty where there was none.
  Statement prepare(std::string_view sql, std::string_view* rest = nullptr);

  // Returns whether there is another row.
  bool step(const Statement& statement);

  // The first column of all rows, as text.
  std::vector<std::string> texts(std::string_view sql, std::string_view parameter = {});

  // Runs a statement that gives no rows.
  void run(std::string_view sql) { step(prepare(sql)); }

  // Waits for locks from now on, as a call's deadline wants it.
  void wait_for_locks(std::uint32_t busy_timeout_ms);

  // Returns whether the path leads to another file by now, or to none, be it by a link or a file
  // system that was exchanged on the way: this is not the database any more.
  bool has_moved() const;

  // An identity of the file: a copy has another one, and a renamed file keeps it.
  const std::string& file_identity() const noexcept { return opened_.identity; }

  // A stamp that changes when anybody writes to the file, even without SQLite.
  struct FileStamp {
    std::int64_t seconds = 0;
    std::uint32_t nanoseconds = 0;
    std::uint64_t byte_count = 0;

    friend bool operator==(const FileStamp&, const FileStamp&) = default;
  };
  FileStamp file_stamp() const;

  // Throws what the result code of SQLite means, with its message. Never returns.
  [[noreturn]] void fail(int code) const;

  sqlite3* handle() const noexcept { return connection_.get(); }
  const std::string& path() const noexcept { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* connection) const noexcept;
  };
  // FileName: tells a file from all others that there are now.
  struct FileName {
    std::uint32_t device_major = 0;
    std::uint32_t device_minor = 0;
    std::string identity{};

    friend bool operator==(const FileName&, const FileName&) = default;
  };
  static FileName file_at(const std::string& path);

  std::string path_;
  FileName opened_;
  std::uint32_t busy_timeout_ms_;
  std::unique_ptr<sqlite3, Close> connection_;
};

// A name as SQL wants it, whatever is in it: in double quotes, inner ones doubled.
std::string quote_identifier(std::string_view name);

}  // namespace bloomery
