#pragma once

#include <cstdint>

#include "bloomery/filter/blocked_shape.h"
#include "bloomery/hash/hash_pair.h"

// One key by a kernel, called by the kernel's name: a processor may be kept from predicting calls
// by pointer, as those of virtual machines are against attacks, and then such a call takes longer
// than all the rest.
namespace bloomery {

enum class InstructionSet : std::uint8_t { scalar, avx2, avx512, neon };

bool may_contain_scalar(const std::uint64_t* words, const BlockedShape& shape,
                        HashPair hash) noexcept;
bool insert_scalar(std::uint64_t* words, const BlockedShape& shape, HashPair hash) noexcept;
#if defined(__x86_64__)
bool may_contain_avx2(const std::uint64_t* words, const BlockedShape& shape,
                      HashPair hash) noexcept;
bool insert_avx2(std::uint64_t* words, const BlockedShape& shape, HashPair hash) noexcept;
bool may_contain_avx512(const std::uint64_t* words, const BlockedShape& shape,
                        HashPair hash) noexcept;
bool insert_avx512(std::uint64_t* words, const BlockedShape& shape, HashPair hash) noexcept;
#elif defined(__aarch64__)
bool may_contain_neon(const std::uint64_t* words, const BlockedShape& shape,
                      HashPair hash) noexcept;
bool insert_neon(std::uint64_t* words, const BlockedShape& shape, HashPair hash) noexcept;
#endif

[[gnu::always_inline]] inline bool may_contain_by([[maybe_unused]] InstructionSet set,
                                                  const std::uint64_t* words,
                                                  const BlockedShape& shape,
                                                  HashPair hash) noexcept {
#if defined(__x86_64__)
  if (set == InstructionSet::avx512) return may_contain_avx512(words, shape, hash);
  if (set == InstructionSet::avx2) return may_contain_avx2(words, shape, hash);
#elif defined(__aarch64__)
  if (set == InstructionSet::neon) return may_contain_neon(words, shape, hash);
#endif
  return may_contain_scalar(words, shape, hash);
}

[[gnu::always_inline]] inline bool insert_by([[maybe_unused]] InstructionSet set,
                                             std::uint64_t* words, const BlockedShape& shape,
                                             HashPair hash) noexcept {
#if defined(__x86_64__)
  if (set == InstructionSet::avx512) return insert_avx512(words, shape, hash);
  if (set == InstructionSet::avx2) return insert_avx2(words, shape, hash);
#elif defined(__aarch64__)
  if (set == InstructionSet::neon) return insert_neon(words, shape, hash);
#endif
  return insert_scalar(words, shape, hash);
}

}  // namespace bloomery
