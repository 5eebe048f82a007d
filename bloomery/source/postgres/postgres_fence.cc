// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/postgres_fence.h"

#include <stdexcept>

#include "bloomery/errors.h"

namespace bloomery {

using postgres::Connection;

PostgresFence::PostgresFence(const ServerLocation& location) : location_(location) {
  postgres::require_one_column(location);
}

Watermark PostgresFence::ask(const CallContext& context) {
  const bool was_open = connection_ && connection_->is_open();
  try {
    return ask_once(context);
  } catch (const postgres::SessionExchanged&) {
    question_.reset();
    if (!was_open) throw;
  } catch (const StoreError&) {
    // A connection that nobody used for a while may be gone without anybody's fault.
    if (!was_open || connection_->is_open()) throw;
  }
  return ask_once(context);
}

Watermark PostgresFence::ask_once(const CallContext& context) {
  if (!connection_ || !connection_->is_open()) {
    question_.reset();
    connection_.emplace(location_, Connection::Kind::queries, context);
  }
  if (!question_) question_.emplace(*connection_, location_.selection, context);
  return question_->ask(*connection_, context);
}

}  // namespace bloomery
