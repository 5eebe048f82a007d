// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/filter/batch.h"
#include "bloomery/filter/insert.h"
#include "bloomery/filter/pending_keys.h"

// How a batch of keys goes through the layers of a filter that grows: hashed once, a thousand at a
// time, and carried from layer to layer as long as none has them. `layers` are filters in the order
// in which they were made, at least one.
namespace bloomery {

// Finds at most PendingKeys::kRoom keys.
template <class Layers>
void find_chunk_in_layers(const Layers& layers, KeyBatch batch, bool* found) noexcept {
  std::array<bool, PendingKeys::kRoom> hits;
  PendingKeys pending(batch.size());
  layers[0].hash_many(batch, pending.hashes());
  std::fill_n(found, batch.size(), false);
  // The newest layer has the most keys.
  for (std::size_t i = layers.size(); i-- > 0 && pending.size() != 0;) {
    const auto asked = pending.from(0);
    layers[i].may_contain_many(asked, std::span(hits.data(), asked.size()));
    if (asked.size() == batch.size()) {
      for (std::size_t j = 0; j < asked.size(); ++j) found[j] |= hits[j];
    } else {
      for (std::size_t j = 0; j < asked.size(); ++j) found[pending.key(j)] |= hits[j];
    }
    // A few are asked of again more cheaply than left out.
    const auto hit_count = std::count(hits.begin(), hits.begin() + asked.size(), true);
    if (hit_count > static_cast<std::ptrdiff_t>(asked.size() / 8)) pending.drop(0, hits.data());
  }
}

template <class Layers>
void find_in_layers(const Layers& layers, KeyBatch batch, Answers found) {
  if (layers.size() == 1) return layers[0].may_contain_many(batch, found);
  found.fill(batch.size(), [&](std::size_t first, std::size_t count, bool* flags) {
    for (std::size_t done = 0; done < count; done += PendingKeys::kRoom) {
      const std::size_t part = std::min(PendingKeys::kRoom, count - done);
      find_chunk_in_layers(layers, batch.subbatch(first + done, part), flags + done);
    }
  });
}

// Asks the older layers for every key first; what none of them has goes to the newest, in order, as
// far as that has room. `grow` appends a layer, or returns false where the filter does not grow. At
// most PendingKeys::kRoom keys.
template <class Layers, class Grow>
void insert_chunk_into_layers(const Layers& layers, KeyBatch batch, bool* was_new,
                              InsertProgress& progress, Grow grow) {
  const std::size_t first = progress.done;
  std::array<bool, PendingKeys::kRoom> flags;
  PendingKeys pending(batch.size());
  layers[0].hash_many(batch, pending.hashes());
  const auto drop_keys_of = [&](const auto& has, std::size_t from) {
    const auto asked = pending.from(from);
    has.may_contain_many(asked, std::span(flags.data(), asked.size()));
    pending.drop(from, flags.data());
  };
  for (std::size_t i = 0; i + 1 < layers.size(); ++i) drop_keys_of(layers[i], 0);

  if (was_new != nullptr) std::fill_n(was_new, batch.size(), false);
  for (std::size_t at = 0; at < pending.size();) {
    progress.done = first + pending.key(at);
    auto& to = layers[layers.size() - 1];
    if (to.inserted() >= to.capacity()) {
      drop_keys_of(to, at);
      if (at == pending.size()) break;
      progress.done = first + pending.key(at);
      if (!grow()) return;
      continue;
    }
    const auto part = pending.from(at).first(
        std::min<std::uint64_t>(pending.size() - at, to.capacity() - to.inserted()));
    progress.added += to.insert_many(part, std::span(flags.data(), part.size()));
    for (std::size_t i = 0; was_new != nullptr && i < part.size(); ++i) {
      was_new[pending.key(at + i)] = flags[i];
    }
    at += part.size();
  }
  progress.done = first + batch.size();
}

// Inserts until there is no room, and says in `progress`, also when it throws, how far it came.
// `was_new`, which may be null, is set for the keys that were done.
template <class Layers, class Grow>
void insert_into_layers(const Layers& layers, KeyBatch batch, bool* was_new,
                        InsertProgress& progress, Grow grow) {
  progress = {};
  while (progress.done < batch.size()) {
    const std::size_t first = progress.done;
    const std::size_t count = std::min(PendingKeys::kRoom, batch.size() - first);
    insert_chunk_into_layers(layers, batch.subbatch(first, count),
                             was_new == nullptr ? nullptr : was_new + first, progress, grow);
    if (progress.done < first + count) return;
  }
}

}  // namespace bloomery
