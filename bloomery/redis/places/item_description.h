// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "bloomery/filter/parameters.h"
#include "bloomery/place/watermark.h"
#include "bloomery/redis/client/reply.h"
#include "bloomery/text/key_form.h"

namespace bloomery::redis {

// The description that our module gives of a filter that its server asks. RedisBloom's own filters
// do not know how keys were written, and their server knows no BLOOM.INFO.
struct ItemDescription {
  Identity identity{};
  FilterKind kind{};
  KeyForm keys = kUnknownForm;     // as far as the server says it
  double false_positive_rate = 0;  // that was asked for; 0: it is not said
  bool forgets = false;

  // Returns whether the filter can have a watermark: only those of our own kinds that do not forget
  // can.
  bool has_watermark() const noexcept;
};

// Reads a reply to BLOOM.INFO; `name` is the place's. Returns nothing if no filter is there, or if
// the server refuses to say. A server that does not know the command has filters of RedisBloom.
// Throws StoreError for a kind, or a form of keys, that this program does not know.
std::optional<ItemDescription> describe_items(const Reply& info, const std::string& name);

// An identity among what it says; nil is none. Throws ProtocolError for what is none.
Identity identity_in(const Reply& value, const std::string& name);

// Returns whether the reply is what a server that knows BLOOM.INFO key WATERMARK says to it,
// whatever it says of the filter.
bool knows_watermark(const Reply& reply);

// The reply to BLOOM.INFO key WATERMARK.
struct FilterNow {
  Identity filter{};
  std::optional<Watermark> reached{};
};

// Throws ProtocolError for what is no such answer.
FilterNow filter_now(const Reply& reply, const std::string& name);

}  // namespace bloomery::redis
