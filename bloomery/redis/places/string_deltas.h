// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/place/delta_source.h"
#include "bloomery/redis/client/client.h"
#include "bloomery/redis/places/own_string.h"

namespace bloomery::redis {

// A filter of our own in a string of a server, or in several, read whole and kept in step by the
// streams that steps leave beside the strings (step_stream.h). Without a stream, or where anybody
// has stepped who leaves none, it is read whole whenever its head has moved.
//
// since() looks, and where nothing came it waits for the next entry of a stream (XREAD BLOCK). What
// no entry tells of is seen when the wait is over: a string that was replaced, steps without a
// stream.
class StringDeltas final : public DeltaSource {
 public:
  // `name`: what messages call the filter.
  StringDeltas(std::shared_ptr<Client> client, std::string name);

  Whole read_whole(std::uint64_t most_bytes, const CallContext& context) override;
  std::optional<Delta> since(const DeltaPosition& position, std::chrono::milliseconds wait,
                             const CallContext& context) override;
  // Not where the user may not, nor where several nodes of a cluster have the partitions.
  Awaits awaits() const noexcept override {
    return may_wait_ && reads_streams_ ? Awaits::steps : Awaits::nothing;
  }
  // The states of all strings, which no other step led to. Empty for a copy that is not the one
  // that was read and followed here, and for one without a watermark.
  std::string chain_at(const DeltaPosition& position) const override;
  std::optional<DeltaPosition> resume(const Kept& kept, const CallContext& context) override;

 private:
  // One string, and the state that the copy has of it.
  struct Part {
    std::unique_ptr<OwnString> string;
    StepState state{};
  };

  void open_parts(const NativeBitmapHead& head);
  // Returns whether the copy has all keys of the state from which its reading began, whatever
  // happened meanwhile.
  bool is_one_chain(Part& part, const std::vector<OwnString::Head>& heads,
                    const CallContext& context);
  // A look at all parts, which begins with the entries of each that came already. `has_moved`:
  // whether it brought anything.
  using Entries = std::vector<std::vector<StepEntry>>;
  std::optional<Delta> look(const Entries& came, bool& has_moved, const CallContext& context);
  // Waits for entries behind the states of the parts. Returns false if none came in time.
  bool wait_for_entries(std::chrono::milliseconds wait, Entries& came, const CallContext& context);
  void pause_until(CallContext::Clock::time_point time, const CallContext& context) const;
  std::optional<Watermark> reached() const;

  const std::shared_ptr<Client> client_;
  const std::string name_;
  std::unique_ptr<OwnString> index_{};  // of a filter in several strings
  std::vector<Part> parts_{};
  bool reads_streams_ = true;
  bool may_wait_ = true;
  CallContext::Clock::time_point next_look_{};
  Identity identity_{};
  // `position_` is the copy's, made anew by each whole read. Not set: the next read is a whole one.
  DeltaPosition position_{};
};

// The filter of a location behind `bitmap:`, over connections of its own.
std::unique_ptr<DeltaSource> open_string_deltas(std::string_view location);

}  // namespace bloomery::redis
