// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/hash/hash_pair.h"
#include "bloomery/place/call_context.h"
#include "bloomery/place/watermark.h"

namespace bloomery {

// The position of a copy of a filter among all that came into the filter.
struct DeltaPosition {
  Identity ring{};  // the name of the list of what came; another one after whatever breaks it
  std::uint64_t sequence = 0;

  friend bool operator==(const DeltaPosition&, const DeltaPosition&) = default;
};

// A filter elsewhere that says what came into it. One thread at a time calls it.
class DeltaSource {
 public:
  virtual ~DeltaSource() = default;

  // Thrown if there is no such filter any more, or none that may be copied.
  struct Gone : StoreError {
    using StoreError::StoreError;
  };

  // All of the filter. The watermark was read no later than the bits, and every key that came
  // behind `position` comes again by since().
  struct Whole {
    AnyFilter filter;
    Identity identity{};
    std::optional<Watermark> reached{};
    std::uint64_t beat = 0;
    DeltaPosition position{};
  };
  // Throws Gone; StoreError, naming the filter, where it has more than `most_bytes`, or cannot be
  // read; CallAborted.
  virtual Whole read_whole(std::uint64_t most_bytes, const CallContext& context) = 0;

  // The hashes of keys that came. Identity and watermark are those of the filter with all hashes up
  // to `position`; only the last of several answers has them.
  struct Delta {
    std::vector<HashPair> hashes{};
    DeltaPosition position{};
    bool is_last = false;
    Identity identity{};
    std::optional<Watermark> reached{};
  };
  // Awaits: what ends the wait of since(). `nothing`: since() does not wait, and is asked now and
  // then. `steps`: it waits for most of what may come, and asks for the rest when its wait is over.
  enum class Awaits : std::uint8_t { nothing, steps, everything };
  virtual Awaits awaits() const noexcept { return Awaits::everything; }
  // Waits up to `wait` for something to come. Nothing: the whole filter must be read again. Throws
  // as read_whole().
  virtual std::optional<Delta> since(const DeltaPosition& position, std::chrono::milliseconds wait,
                                     const CallContext& context) = 0;

  // Returns the place of the copy that stands at `position`, as bytes by which another process goes
  // on with the same bits; empty where there is none.
  virtual std::string chain_at(const DeltaPosition&) const { return {}; }
  // A copy that was kept with such bytes: it has all bits of that place. `name`: what messages call
  // it.
  struct Kept {
    std::string name{};
    AnyFilter filter;
    Identity identity{};
    std::optional<Watermark> reached{};
    std::uint64_t beat = 0;
    std::string chain{};
  };
  // The position of a kept copy. Nothing: its bytes are no place of this filter. The copy is good
  // only if since() leads from there to a last answer. Throws as read_whole().
  virtual std::optional<DeltaPosition> resume(const Kept&, const CallContext&) {
    return std::nullopt;
  }
};

}  // namespace bloomery
