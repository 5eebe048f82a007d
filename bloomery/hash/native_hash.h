// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "bloomery/hash/fold_hash.h"
#include "bloomery/hash/hash_pair.h"
#include "bloomery/hash/integer_hash.h"
#include "bloomery/hash/key.h"
#include "bloomery/hash/product_hash.h"
#include "bloomery/hash/secret_key.h"
#if defined(__AES__) && defined(__SSE4_1__)
#define BLOOMERY_COMPILED_FOR_AES
#include "bloomery/hash/aes_lanes_x86.h"
#endif

namespace bloomery {

static_assert(std::endian::native == std::endian::little, "an integer key is its bytes in memory");

// The function that turned keys into hash pairs. Stored in files: numbers are never reused.
enum class HashId : std::uint8_t {
  native = 1,   // IntegerHash for keys of eight bytes, XXH3-128 for all others; both seeded
  secret = 2,   // HighwayHash-128 under a secret key
  foreign = 3,  // that of another system's scheme, which its kind names; no NativeHash has it
  product = 4,  // IntegerHash for keys of eight bytes, ProductHash for all others; both seeded
  aes = 5,      // aes_hash, seeded
  fold = 6,     // FoldHash for keys of eight bytes, ProductHash for all others; both seeded
};

// Returns whether a filter without a secret may choose this hash.
constexpr bool hashes_texts(HashId id) noexcept {
  return id == HashId::native || id == HashId::product || id == HashId::aes || id == HashId::fold;
}

// Finds a hash by the name that people give it: product, fold, aes, xxh3.
constexpr std::optional<HashId> text_hash_named(std::string_view name) noexcept {
  if (name == "product") return HashId::product;
  if (name == "fold") return HashId::fold;
  if (name == "aes") return HashId::aes;
  if (name == "xxh3") return HashId::native;
  return {};
}

// Returns the name of a hash that people read; for `foreign` the filter's kind says which it is.
constexpr std::string_view hash_name(HashId id) noexcept {
  switch (id) {
    case HashId::native:
      return "XXH3-128";
    case HashId::secret:
      return "HighwayHash-128";
    case HashId::foreign:
      return "foreign";
    case HashId::product:
      return "ProductHash-128";
    case HashId::aes:
      return "AesHash-128";
    case HashId::fold:
      return "FoldHash-128";
  }
  return {};
}

// Hashes a block of keys as product_hash_block() does, by HashId::fold.
void fold_hash_block(const Key* keys, std::size_t count, std::uint64_t spread, std::uint64_t* h1,
                     std::uint64_t* h2) noexcept;

// The hash of our own filters: a value that is copied about with a filter's parameters.
// Const calls may run together; none throws.
class NativeHash {
 public:
  explicit NativeHash(std::uint64_t seed = 0) noexcept : NativeHash(HashId::native, seed) {}
  // hashes_texts(id)
  NativeHash(HashId id, std::uint64_t seed) noexcept
      : id_(id), seed_(seed), spread_(IntegerHash::spread_seed(seed)) {}
  explicit NativeHash(const SecretKey& secret) noexcept : id_(HashId::secret), secret_(secret) {}

  // Keys of eight bytes are integers, and hashed where they are met.
  HashPair operator()(Key key) const noexcept {
    if (key.size() != sizeof(std::uint64_t)) return hash_bytes(key);
    std::uint64_t integer;
    std::memcpy(&integer, key.data(), sizeof(integer));
    return (*this)(integer);
  }
  HashPair operator()(std::uint64_t integer) const noexcept {
    if (mixes_integers_) return IntegerHash::hash(integer, spread_);
    if (id_ == HashId::fold) return FoldHash::hash(integer, spread_);
#ifdef BLOOMERY_COMPILED_FOR_AES
    if (id_ == HashId::aes) {
      return AesHashBody<AesLanesX86<void>>::of_number(integer, spread_);
    }
#endif
    return hash_integer(integer);
  }
  // Returns a pair that was hashed before as it is, for callers that take keys and pairs alike.
  HashPair operator()(HashPair pair) const noexcept {
    return pair;
  }

  // Hashes keys[i] into out[i]; out has room for all.
  void hash_many(std::span<const Key> keys, HashPair* out) const noexcept;

  HashId id() const noexcept {
    return id_;
  }
  // Returns whether a key of eight bytes is hashed by IntegerHash, with spread_seed().
  bool mixes_integers() const noexcept {
    return mixes_integers_;
  }
  std::uint64_t seed() const noexcept {
    return seed_;
  }
  std::uint64_t spread_seed() const noexcept {
    return spread_;
  }
  const std::optional<SecretKey>& secret() const noexcept {
    return secret_;
  }

  friend bool operator==(const NativeHash&, const NativeHash&) = default;

 private:
  // Pure, so that a loop of single calls reads a filter's parameters once.
  [[gnu::pure]] HashPair hash_bytes(Key key) const noexcept;
  [[gnu::pure]] HashPair hash_integer(std::uint64_t integer) const noexcept;

  HashId id_;
  bool mixes_integers_ = id_ == HashId::native || id_ == HashId::product;
  std::uint64_t seed_ = 0;
  std::uint64_t spread_ = 0;  // the seed as IntegerHash wants it
  std::optional<SecretKey> secret_;
};

}  // namespace bloomery
