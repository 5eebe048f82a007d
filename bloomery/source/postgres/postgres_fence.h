// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "bloomery/place/fence_source.h"
#include "bloomery/source/postgres/postgres_connection.h"
#include "bloomery/source/postgres/table_question.h"

namespace bloomery {

// How far a PostgreSQL server is with a table (TableQuestion), in one round trip. Connects when
// it is asked first, and again where the connection is lost.
class PostgresFence final : public FenceSource {
 public:
  // Throws std::invalid_argument where the location names no column of a table.
  explicit PostgresFence(const ServerLocation& location);

  Watermark ask(const CallContext& context = {}) override;
  // Each answer has the server's start and timeline.
  bool names_history() const noexcept override { return true; }

 private:
  Watermark ask_once(const CallContext& context);

  ServerLocation location_;
  std::optional<postgres::Connection> connection_;
  std::optional<postgres::TableQuestion> question_;
};

}  // namespace bloomery
