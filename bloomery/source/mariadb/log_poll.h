// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "bloomery/place/call_context.h"
#include "bloomery/source/change_source.h"
#include "bloomery/source/mariadb/binlog_stream.h"

namespace bloomery::mariadb {

// Hands over what a stream of a log brings, once and only once where the consumer does not throw.
// One thread at a time.
class LogPoll {
 public:
  // `name` is the source's, for messages.
  LogPoll(std::string name, const Identity& source) : name_(std::move(name)), source_(source) {}

  // Polls as ChangeSource::poll does; calls `before` before it takes anything from the stream.
  void poll(BinlogStream& log, const std::function<void()>& before, const ChangeConsumer& consumer,
            std::chrono::milliseconds patience, const CallContext& context);

  bool has_handed() const noexcept { return has_handed_; }
  // Returns whether the source is another one now, so that nothing goes on from a watermark of it.
  bool has_changed() const noexcept { return has_changed_; }

 private:
  const std::string name_;
  const Identity source_;
  LoggedChanges changes_;
  bool is_taken_ = false;    // and not handed over: the consumer threw
  bool has_handed_ = false;  // anything over
  bool has_changed_ = false;
};

}  // namespace bloomery::mariadb
