// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "bloomery/filter/parameters.h"
#include "bloomery/place/watermark.h"
#include "bloomery/redis/client/reply.h"
#include "bloomery/text/key_form.h"

namespace bloomery::redis {

// What our module says of a filter that its server asks. RedisBloom's own do not know how keys were
// written, and their server knows no BLOOM.INFO.
struct ItemDescription {
  Identity identity{};
  FilterKind kind{};
  KeyForm keys = kUnknownForm;     // as far as the server says it
  double false_positive_rate = 0;  // that was asked for; 0: it is not said
  bool forgets = false;

  // Of our own kinds; others have none.
  bool has_watermark() const noexcept;
};

// Of a reply to BLOOM.INFO; `name` is the place's. Nothing where no filter is there, or where the
// server cannot say. Throws StoreError for a kind and a form of keys that this program does not
// know.
std::optional<ItemDescription> describe_items(const Reply& info, const std::string& name);

// An identity among what it says; nil is none. Throws ProtocolError for what is none.
Identity identity_in(const Reply& value, const std::string& name);

// Whether this is what a server says to BLOOM.INFO key WATERMARK that knows it, whatever it says of
// the filter.
bool knows_watermark(const Reply& reply);

// What BLOOM.INFO says where WATERMARK alone is asked.
struct FilterNow {
  Identity filter{};
  std::optional<Watermark> reached{};
};

// Throws ProtocolError for what is no such answer.
FilterNow filter_now(const Reply& reply, const std::string& name);

}  // namespace bloomery::redis
