// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/hash/key.h"
#include "bloomery/place/call_context.h"
#include "cli/stage.h"

namespace bloomery::cli {

// A session of the application's, which has never heard of filters.
class SqlSession {
 public:
  virtual ~SqlSession() = default;
  // One statement, which is committed when this returns.
  virtual void run(const std::string& sql) = 0;
  virtual std::string ask(const std::string& sql) = 0;
};

// A database server of the demo's own, with a table users(id, name).
class LiveDatabase {
 public:
  using Rows = std::function<std::vector<std::optional<std::string>>(std::span<const Key> keys,
                                                                     const CallContext& context)>;

  virtual ~LiveDatabase() = default;

  virtual std::string title() const = 0;     // "PostgreSQL 15.14"
  virtual std::string location() const = 0;  // of the column
  virtual pid_t process() const = 0;         // the server's, whose children are its own
  virtual std::unique_ptr<SqlSession> connect() const = 0;
  // Names of users by their ids, for a guard.
  virtual Rows rows(std::size_t connections) const = 0;
};

// Each waits until the server answers. Throws StoreError where it cannot be started, Interrupted.
std::unique_ptr<LiveDatabase> start_postgres(const Stage& stage, const EndingSignals& signals);
std::unique_ptr<LiveDatabase> start_mariadb(const Stage& stage, const EndingSignals& signals);
// The server is the one that MYSQL_SERVER names.
std::unique_ptr<LiveDatabase> start_mysql(const Stage& stage, const EndingSignals& signals);

}  // namespace bloomery::cli
