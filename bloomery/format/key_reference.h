#pragma once

#include <cstdint>

#include "bloomery/hash/hash_pair.h"
#include "bloomery/hash/key.h"

namespace bloomery {

// For schemes whose probes are hashes of their own, more than 128 bits together: their pair says
// where the key's bytes are, and each probe hashes these. Good as long as the bytes are, which they
// are during a call; such a pair is not to be kept.
inline HashPair refer_to(Key key) noexcept {
  return {reinterpret_cast<std::uintptr_t>(key.data()), key.size()};
}

inline Key referred_key(HashPair pair) noexcept {
  return {reinterpret_cast<const char*>(static_cast<std::uintptr_t>(pair.h1)),
          static_cast<std::size_t>(pair.h2)};
}

}  // namespace bloomery
