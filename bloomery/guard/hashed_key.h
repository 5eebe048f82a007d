// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloomery/hash/key.h"

namespace bloomery {

// A key with its hash, for the guard's own tables: hashed once on the way in. Strangers choose the
// keys, so the hash is keyed with a secret drawn once a process: nobody can aim at one bucket.
// The key is viewed, not owned: a table keeps the bytes in the entry that the HashedKey leads to.
struct HashedKey {
  Key key;
  std::uint64_t hash = 0;

  friend bool operator==(const HashedKey& a, const HashedKey& b) noexcept {
    return a.hash == b.hash && a.key == b.key;
  }
};

// Throws std::system_error where the kernel gives no random bytes (first call only).
HashedKey hashed(Key key);

struct HashedKeyHash {
  std::size_t operator()(const HashedKey& key) const noexcept { return key.hash; }
};

}  // namespace bloomery
