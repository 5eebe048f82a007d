// SPDX-License-Identifier: Apache-2.0
#include "cli/prepared_hashes.h"

#include <span>

#include "bloomery/source/in_order.h"

namespace bloomery::cli {

PreparedHashes::PreparedHashes(const FilterParameters& parameters, unsigned threads)
    : threads_(threads), hashes_(slot_count(threads)) {
  if (!is_foreign(parameters.kind)) hash_ = parameters.hash;
}

Preparation PreparedHashes::preparation() {
  if (!hash_) return {threads_, {}};
  return {threads_, [this](const Batch& batch) {
            std::vector<HashPair>& hashes = hashes_[batch.slot];
            if (hashes.size() < batch.keys.size()) hashes.resize(batch.keys.size());
            hash_->hash_many(batch.keys, hashes.data());
          }};
}

KeyBatch PreparedHashes::of(const Batch& batch) const noexcept {
  if (!hash_) return batch.keys;
  return std::span(hashes_[batch.slot]).first(batch.keys.size());
}

}  // namespace bloomery::cli
