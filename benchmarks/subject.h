// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "benchmarks/bench_keys.h"

namespace bloomery::bench {

// A subject is what is measured: a filter of ours or of a peer, or a container in its place. Calls
// are by the chunk, so that the loop over the keys is compiled with the filter's own code in sight.
class Subject {
 public:
  virtual ~Subject() = default;

  virtual std::uint64_t byte_count() const = 0;
  virtual void clear() = 0;

  // One key a call of the filter's own.
  virtual bool inserts_singly() const { return true; }
  virtual void insert_each(const KeyChunk& keys) = 0;
  virtual std::uint64_t count_each(const KeyChunk& keys) const = 0;

  // count_dependently counts as count_each does, but the answer to a key says which is asked about
  // next.
  virtual bool answers_dependently() const { return false; }
  virtual std::uint64_t count_dependently(const KeyChunk& /*keys*/) const { return 0; }

  // Many keys a call. Subjects without it are filled by insert_each.
  virtual bool inserts_batches() const { return false; }
  virtual void insert_batches(const KeyChunk& keys, std::size_t /*batch*/) { insert_each(keys); }
  virtual bool answers_batches() const { return false; }
  virtual void answer_batches(const KeyChunk& /*keys*/, std::size_t /*batch*/,
                              std::span<bool> /*found*/) const {}

  // Subjects that are built from all their keys at once: insert_each hands keys over, finish
  // builds. What collect does is not counted: for builders that take an array which their caller
  // has.
  virtual bool builds_at_once() const { return false; }
  virtual void collect(const KeyChunk& /*keys*/) {}
  virtual void finish() {}

  // The words of the filter, when they are of our own memory.
  virtual std::span<const std::uint64_t> words() const { return {}; }
};

using SubjectPointer = std::unique_ptr<Subject>;

// How a program's loop of single calls is written: compilers make other loads of an index, which
// some processors do not overlap with stores (AMD's Zen 4). `view`: by filter.integers(loop), of
// ours.
enum class Loop { range_for, by_index, view };

template <Loop kLoop, class Keys, class Act>
[[gnu::always_inline]] inline void for_each_key(const Keys& keys, Act act) {
  if constexpr (kLoop == Loop::by_index) {
    for (std::size_t i = 0; i < keys.size(); ++i) act(keys[i]);
  } else {
    for (const auto& key : keys) act(key);
  }
}

// How many of the keys `ask` finds, each asked about once the one before is answered: one that is
// found has its successor asked about twice.
template <class Keys, class Ask>
std::uint64_t count_in_turn(const Keys& keys, Ask ask) {
  std::uint64_t found = 0;
  std::size_t skipped = 0;
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
    skipped = ask(keys[i + skipped]) ? 1 : 0;
    found += skipped;
  }
  return found;
}

// Calls visit(first, count) for each batch of `count` keys.
template <class Visit>
void for_each_batch(std::size_t keys, std::size_t batch, Visit visit) {
  for (std::size_t first = 0; first < keys; first += batch) {
    visit(first, first + batch < keys ? batch : keys - first);
  }
}

}  // namespace bloomery::bench
