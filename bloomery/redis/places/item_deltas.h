// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bloomery/place/delta_source.h"
#include "bloomery/redis/client/client.h"

namespace bloomery::redis {

// A filter of a server with our module, read whole by BLOOM.READ and kept in step by BLOOM.DELTA.
class ItemDeltas final : public DeltaSource {
 public:
  // `name`: what messages call the filter.
  ItemDeltas(std::unique_ptr<Client> client, std::string name);

  Whole read_whole(std::uint64_t most_bytes, const CallContext& context) override;
  std::optional<Delta> since(const DeltaPosition& position, std::chrono::milliseconds wait,
                             const CallContext& context) override;
  // The ring and the number in it. The server believes a number only of a ring of this name, which
  // no other filter's ring ever has.
  std::string chain_at(const DeltaPosition& position) const override;
  std::optional<DeltaPosition> resume(const Kept& kept, const CallContext& context) override;

 private:
  const std::unique_ptr<Client> client_;
  const std::string name_;
};

// All of the filter at the client's location, as DeltaSource::read_whole(). Nothing where the
// server's module knows no BLOOM.READ.
std::optional<DeltaSource::Whole> read_items(Client& client, const std::string& name,
                                             std::uint64_t most_bytes, const CallContext& context);

// The filter of a location behind `bloom:`, over a connection of its own.
std::unique_ptr<DeltaSource> open_item_deltas(std::string_view location);

}  // namespace bloomery::redis
