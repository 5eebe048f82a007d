// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/hash/key.h"

namespace bloomery {

// Batch: up to some thousand keys that came out of a source together. All views are valid until the
// consumer returns.
struct Batch {
  std::span<const Key> keys;
  // The whole record that keys[i] was taken from, as it came. The keys themselves where a record is
  // its key, and in databases.
  std::span<const std::string_view> lines;
  std::uint64_t first_record;  // number of lines[0], from 1
  std::uint64_t byte_count;    // read from the source up to the end of this batch
  std::size_t slot = 0;        // where a preparation may leave what it has found out
};

// Takes a batch; true asks for more, false for no more. What it throws ends the reading and reaches
// the caller of for_each_batch.
using BatchConsumer = std::function<bool(const Batch&)>;

// Work on batches before their turn, several at a time. `work` runs on any of so many
// threads, with the slot of its batch for itself until the consumer has had it (slot_count() of
// in_order.h says how many there are), and before the number of the first record is known. What it
// throws reaches the caller in the batch's turn.
struct Preparation {
  unsigned threads = 1;
  std::function<void(const Batch&)> work{};
};

struct SourceTotals {
  std::uint64_t key_count = 0;   // handed to the consumer
  std::uint64_t null_count = 0;  // rows without a key, skipped
  std::uint64_t byte_count = 0;
};

// KeySource: where keys come from, a text or a table of a database. It pushes, because a database
// does; a batch costs one call. One thread at a time.
class KeySource {
 public:
  virtual ~KeySource() = default;

  // Reads everything, from the start. Throws StoreError where reading fails, FormatError for a file
  // that is damaged, and std::invalid_argument at a record that spells no key; every key before it
  // has then been handed over.
  virtual SourceTotals for_each_batch(const BatchConsumer& consumer) = 0;

  // Reads everything as for_each_batch() does, with each batch prepared before the consumer has it:
  // by this thread if the source cannot use several.
  virtual SourceTotals for_each_prepared(const Preparation& preparation,
                                         const BatchConsumer& consumer) {
    return for_each_batch([&](const Batch& batch) {
      if (preparation.work) preparation.work(batch);
      return consumer(batch);
    });
  }

  // How many keys will come: exact at this moment or, with NULLs among them, a little more. Nothing
  // where that cannot be known (a pipe). May read the whole source, faster than for_each_batch
  // does.
  virtual std::optional<std::uint64_t> expected_count() = 0;

  // How many bytes will come, where that is known at no cost.
  virtual std::optional<std::uint64_t> expected_byte_count() = 0;

  // Returns a sentence where the keys' origin calls equal what their bytes tell apart, so that a
  // row is found by what a filter calls absent. Empty where nothing is known of that.
  virtual std::string equality_advice() const { return {}; }
};

}  // namespace bloomery
