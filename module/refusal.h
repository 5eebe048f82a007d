// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace bloomery::module {

// The answer of a command that does nothing else: the text behind the "-" of an error.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct WrongType : Refusal {
  WrongType() : Refusal("WRONGTYPE Operation against a key holding the wrong kind of value") {}
};
// The filter has all that it is made for: no failure of this server's.
struct Full : Refusal {
  using Refusal::Refusal;
};
// A primary, or a node that gives a slot, adds to a filter that is not here, as this server evicted
// it.
struct Evicted : Refusal {
  Evicted() : Refusal("ERR it is not here, and this server evicts keys that the other has") {}
};
struct WrongArity {};

inline constexpr const char* kNotReady = "NOTREADY the filter is still being loaded";

}  // namespace bloomery::module
