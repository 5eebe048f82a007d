// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/log_poll.h"

#include "bloomery/errors.h"

namespace bloomery::mariadb {

void LogPoll::poll(BinlogStream& log, const std::function<void()>& before,
                   const ChangeConsumer& consumer, std::chrono::milliseconds patience,
                   const CallContext& context) {
  try {
    if (!is_taken_) {
      before();
      is_taken_ = log.take(changes_, CallContext::Clock::now() + patience, context);
    }
  } catch (const SourceChanged& changed) {
    has_changed_ = true;
    throw SourceChanged(name_ + ": " + changed.what());
  }
  if (!is_taken_) {
    if (context.is_over()) throw CallAborted(name_ + ": the caller's time is over");
    return;
  }
  Changes handed{.keys = changes_.keys.keys(),
                 .deleted_count = changes_.deleted_count,
                 .touched = changes_.touched.keys(),
                 .untold_count = changes_.untold_count,
                 .has_open = changes_.is_open};
  if (changes_.position) handed.watermark = {source_, *changes_.position};
  if (changes_.end) handed.ended = {&*changes_.end, 1};
  has_handed_ = true;
  consumer(handed);
  is_taken_ = false;
}

}  // namespace bloomery::mariadb
