// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/filter/growth.h"
#include "bloomery/filter/window.h"
#include "bloomery/hash/native_hash.h"
#include "bloomery/text/key_form.h"

namespace bloomery {

// FilterOptions: what a filter is asked to hold. `capacity` counts keys, never bits.
struct FilterOptions {
  std::uint64_t capacity = 0;         // at least 1
  double false_positive_rate = 0.01;  // from kMinRate to below 1, kept up to `capacity` keys
  std::uint64_t seed = 0;             // filters merge only when their seeds agree
  bool secret = false;  // hash under a key from the kernel, for keys chosen by strangers
  Growth growth{};      // of a ScalableFilter; others do not read it
  Window window{};      // of a WindowedFilter; others do not read it
  // How the caller's keys are written; only carried, and kept in its file. Whoever inserts texts
  // alone, or integers alone, may say so: then others are refused who would ask for other bytes.
  KeyForm keys = kUnknownForm;
  // `hash`: HashId::product; or HashId::fold, for blocked filters that are asked one integer a call
  // (hash/fold_hash.h); or HashId::aes, for processors that are known to have AES
  // (hash/aes_hash.h); or HashId::native, for filters that merge with those of earlier versions or
  // that those versions can open.
  HashId hash = HashId::product;
};

// 128 bits of hash cannot tell keys apart more often than this for 10^10 of them.
inline constexpr double kMinRate = 1e-25;

// Throws std::invalid_argument, naming the value and what is allowed.
void validate(const FilterOptions& options);

}  // namespace bloomery
