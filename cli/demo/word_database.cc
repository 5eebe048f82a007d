// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/word_database.h"

#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "bloomery/errors.h"

namespace bloomery::cli {
namespace {

constexpr const char* kInsertWord = "INSERT OR IGNORE INTO words VALUES (?1, ?2, ?3)";

constexpr int kBusyMs = 5'000;

bool is_continuation(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

// A connection that writes; every failure is a StoreError.
class Writer {
 public:
  explicit Writer(const std::string& path) : path_(path) {
    sqlite3* opened = nullptr;
    const int code =
        sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    connection_.reset(opened);
    require(code);
    require(sqlite3_busy_timeout(opened, kBusyMs));
  }

  void execute(const char* sql) {
    require(sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr));
  }

  void prepare_insert(const char* sql) {
    sqlite3_stmt* prepared = nullptr;
    require(sqlite3_prepare_v2(connection_.get(), sql, -1, &prepared, nullptr));
    insert_.reset(prepared);
  }

  // Inserts a word, and returns whether it is new.
  bool insert_word(std::string_view word) {
    const std::string reversed = reversed_word(word);
    const auto length = std::ranges::count_if(word, [](char c) { return !is_continuation(c); });
    bind_text(1, word);
    require(sqlite3_bind_int64(insert_.get(), 2, length));
    bind_text(3, reversed);
    if (const int code = sqlite3_step(insert_.get()); code != SQLITE_DONE) require(code);
    require(sqlite3_reset(insert_.get()));
    return sqlite3_changes(connection_.get()) > 0;
  }

 private:
  struct Close {
    void operator()(sqlite3* connection) const noexcept { sqlite3_close(connection); }
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
  };

  void bind_text(int parameter, std::string_view text) {
    require(sqlite3_bind_text64(insert_.get(), parameter, text.data(), text.size(), SQLITE_STATIC,
                                SQLITE_UTF8));
  }

  void require(int code) const {
    if (code == SQLITE_OK) return;
    throw StoreError(path_ + ": cannot be written: " + sqlite3_errmsg(connection_.get()));
  }

  std::string path_;
  std::unique_ptr<sqlite3, Close> connection_;
  std::unique_ptr<sqlite3_stmt, Close> insert_;
};

}  // namespace

DatabaseTable fill_word_database(const std::string& path, KeySource& words,
                                 const std::function<void(std::uint64_t)>& done) {
  Writer writer(path);
  // The file is thrown away after: nothing in it must survive a power cut.
  writer.execute("PRAGMA synchronous = OFF");
  writer.execute("CREATE TABLE words(word TEXT PRIMARY KEY, length INTEGER, reversed TEXT)");
  writer.execute("BEGIN");
  writer.prepare_insert(kInsertWord);
  std::uint64_t rows = 0;
  words.for_each_batch([&](const Batch& batch) {
    for (const Key word : batch.keys) rows += writer.insert_word(word) ? 1 : 0;
    done(rows);
    return true;
  });
  writer.execute("COMMIT");
  return {.path = path, .table = "words", .column = "word", .value_column = "reversed"};
}

std::function<void(std::string_view)> word_inserter(const std::string& path) {
  const auto writer = std::make_shared<Writer>(path);
  writer->execute("PRAGMA synchronous = OFF");
  writer->execute("PRAGMA journal_mode = WAL");
  writer->prepare_insert(kInsertWord);
  return [writer](std::string_view word) { writer->insert_word(word); };
}

std::string reversed_word(std::string_view word) {
  std::string reversed(word.rbegin(), word.rend());
  // Bytes within a character the right way round again.
  auto first = reversed.begin();
  for (auto byte = reversed.begin(); byte != reversed.end(); ++byte) {
    if (is_continuation(*byte)) continue;
    std::reverse(first, byte + 1);
    first = byte + 1;
  }
  return reversed;
}

}  // namespace bloomery::cli
