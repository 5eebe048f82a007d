// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/filter/batch.h"
#include "bloomery/filter/growing_filter.h"
#include "bloomery/filter/pending_keys.h"

// How a batch of keys goes through the layers of a GrowingFilter: hashed once, a thousand at a
// time, and carried from layer to layer as long as none has them.
namespace bloomery {

template <Layout L, GrowthRule Rule>
void GrowingFilter<L, Rule>::may_contain_many(KeyBatch batch, Answers found) const {
  if (layer_count() == 1) return layer(0).may_contain_many(batch, found);
  found.fill(batch.size(), [&, this](std::size_t first, std::size_t count, bool* flags) {
    for (std::size_t done = 0; done < count; done += PendingKeys::kRoom) {
      const std::size_t part = std::min(PendingKeys::kRoom, count - done);
      find_chunk(batch.subbatch(first + done, part), flags + done);
    }
  });
}

template <Layout L, GrowthRule Rule>
void GrowingFilter<L, Rule>::find_chunk(KeyBatch batch, bool* found) const noexcept {
  std::array<bool, PendingKeys::kRoom> hits;
  PendingKeys pending(batch.size());
  layer(0).hash_many(batch, pending.hashes());
  std::fill_n(found, batch.size(), false);
  // The newest layer has the most keys.
  for (std::size_t i = layer_count(); i-- > 0 && pending.size() != 0;) {
    const auto asked = pending.from(0);
    layer(i).may_contain_many(asked, std::span(hits.data(), asked.size()));
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

template <Layout L, GrowthRule Rule>
void GrowingFilter<L, Rule>::insert_while_room(KeyBatch batch, bool* was_new,
                                               InsertProgress& progress) {
  progress = {};
  watch_.look_at_batch(parameters_.keys, batch);
  while (progress.done < batch.size()) {
    const std::size_t first = progress.done;
    const std::size_t count = std::min(PendingKeys::kRoom, batch.size() - first);
    insert_chunk(batch.subbatch(first, count), was_new == nullptr ? nullptr : was_new + first,
                 progress);
    if (progress.done < first + count) return;
  }
}

// Every key is asked of the older layers first; what none of them has goes to the newest, in order,
// as far as that has room.
template <Layout L, GrowthRule Rule>
void GrowingFilter<L, Rule>::insert_chunk(KeyBatch batch, bool* was_new, InsertProgress& progress) {
  const std::size_t first = progress.done;
  std::array<bool, PendingKeys::kRoom> flags;
  PendingKeys pending(batch.size());
  layer(0).hash_many(batch, pending.hashes());
  const auto drop_keys_of = [&](const LayerFilter& has, std::size_t from) {
    const auto asked = pending.from(from);
    has.may_contain_many(asked, std::span(flags.data(), asked.size()));
    pending.drop(from, flags.data());
  };
  for (std::size_t i = 0; i + 1 < layer_count(); ++i) drop_keys_of(layer(i), 0);

  if (was_new != nullptr) std::fill_n(was_new, batch.size(), false);
  for (std::size_t at = 0; at < pending.size();) {
    progress.done = first + pending.key(at);
    LayerFilter& to = newest();
    if (is_full(to)) {
      drop_keys_of(to, at);
      if (at == pending.size()) break;
      progress.done = first + pending.key(at);
      if (!Rule::grows(parameters_)) return;
      grow();
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

}  // namespace bloomery
