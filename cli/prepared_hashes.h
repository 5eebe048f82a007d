// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "bloomery/filter/batch.h"
#include "bloomery/filter/parameters.h"
#include "bloomery/source/key_source.h"

namespace bloomery::cli {

// Keys hashed as some filter wants them before it gets them, a batch at a time, by several threads.
// Keys of another system's filter stay as they are: hashing is its own affair.
class PreparedHashes {
 public:
  PreparedHashes(const FilterParameters& parameters, unsigned threads);
  PreparedHashes(const PreparedHashes&) = delete;
  PreparedHashes& operator=(const PreparedHashes&) = delete;

  // The source is read with this, while the object lives.
  Preparation preparation();

  // The keys of a batch that was prepared; valid as long as the batch is.
  KeyBatch of(const Batch& batch) const noexcept;

 private:
  std::optional<NativeHash> hash_;
  unsigned threads_;
  std::vector<std::vector<HashPair>> hashes_;  // of each slot
};

}  // namespace bloomery::cli
