// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/place/call_context.h"
#include "bloomery/place/fence_source.h"  // what asks how far it is, and SourceChanged
#include "bloomery/place/watermark.h"
#include "bloomery/source/key_source.h"

namespace bloomery {

// The changes of a source's rows since it was asked before. Views are valid until the consumer
// returns.
struct Changes {
  std::span<const Key> keys;        // of rows inserted, and new keys of rows that were changed
  std::uint64_t deleted_count = 0;  // keys that rows had until now
  // `touched`, with ChangeOptions::tells_touched: the keys that changed rows had before, and those
  // of rows that are gone. Whoever remembers one of these rows has an old one.
  std::span<const Key> touched{};
  // The number of further changed rows whose keys the database did not tell.
  std::uint64_t untold_count = 0;
  // Transactions of these rows, and of some before, that have ended: by what names the source has
  // for them.
  std::span<const std::uint64_t> ended{};
  // `watermark`: set where these keys end a whole transaction: every row committed up to here has
  // been handed over. None: more of the same transaction is to come.
  std::optional<Watermark> watermark{};
  // Keys of a transaction that has not ended are among those handed over since start(): they are
  // above any watermark so far.
  bool has_open = false;
};

// The batch that a scan hands over while it waits for the database: its consumer has changes to
// carry.
inline constexpr Batch kEmptyBatch{.keys = {}, .lines = {}, .first_record = 1, .byte_count = 0};

using ChangeConsumer = std::function<void(const Changes&)>;

// Keys of some rows that are there, and a watermark by which all of them were.
struct DrawnKeys {
  std::vector<std::string> keys{};
  Watermark behind{};
};
inline constexpr std::size_t kMostDrawn = 64;

// The keys of a table of a database, and those that come after. A watermark's `source` is made of
// all that must stay as it is for keys to come without a gap (server, timeline, table, partitions,
// column); where one of these changes, it is another source.
//
// One thread at a time, but scan()'s consumer may call poll(). Throws StoreError where the database
// fails: start() again, from the watermark that the filter has.
class ChangeSource {
 public:
  virtual ~ChangeSource() = default;

  // The source's name in messages: its location, without passwords.
  virtual std::string name() const = 0;

  // Begins: from now on poll() gives what was committed after `from`, perhaps with some from
  // before. Returns false if it cannot go on from there, or no place is named: then it begins at
  // this moment, and the rows that are there already come by scan().
  virtual bool start(const std::optional<Watermark>& from, const CallContext& context = {}) = 0;
  // Why the last start() that was given a watermark did not go on from it: for people. Empty where
  // the source cannot say.
  virtual std::string why_anew() const { return {}; }

  // Every row there is, and perhaps, not counted, keys of others. What it hands over and what
  // poll() has given since it began, or since start(), are together all rows up to any watermark
  // that poll() gives after it ended.
  virtual SourceTotals scan(const BatchConsumer& consumer, const CallContext& context = {}) = 0;
  // About how many keys scan() would give.
  virtual std::optional<std::uint64_t> expected_count() = 0;

  // Hands over what has come; waits up to `patience` where nothing has. At its end, a watermark
  // moves even when no row of this table did. Throws SourceChanged.
  virtual void poll(const ChangeConsumer& consumer, std::chrono::milliseconds patience,
                    const CallContext& context = {}) = 0;

  // Takes away those of Changes::ended that everybody sees who asks the database from now on. A
  // source may have told of them before: a commit waits for a standby.
  virtual void drop_seen(std::vector<std::uint64_t>& ended, const CallContext& = {}) {
    ended.clear();
  }

  // Keys of random rows of the table, whatever poll() reported of them, at a cost that does not
  // grow with the table. Nothing if the source cannot do that.
  virtual std::optional<DrawnKeys> draw(const CallContext& = {}) { return std::nullopt; }

  // The filter keeps what came up to here, wherever it must be kept: the database need not.
  virtual void confirm(const Watermark& watermark) = 0;

  // Removes from the database whatever following has left there, also what a killed process did.
  // Whoever follows meanwhile makes it again. For people: what stays, and why; empty where nothing
  // does.
  virtual std::string remove(const CallContext& context = {}) = 0;
};

}  // namespace bloomery
