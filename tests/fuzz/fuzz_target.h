// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

// Each fuzz target defines it; libFuzzer or replay_main.cc calls it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace bloomery {

// A broken promise: ends the process, as fuzzers expect. Unlike assert it is never compiled away.
inline void promise(bool kept) {
  if (!kept) std::abort();
}

}  // namespace bloomery
