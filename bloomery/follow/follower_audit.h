// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/place/filter_place.h"
#include "bloomery/source/change_source.h"

namespace bloomery {

// Asks a filter for keys that a follower has put into it: one in so many of all that it reads, of
// which some thousand are kept, at random. No bit of a filter is ever cleared, so whoever denies
// such a key denies a row, or has denied one, whatever became of the row since. So does who denies
// a row that was drawn from the table, which the database may never have told of.
//
// A denial proves this of the very filter that the keys went into, once its watermark has come to
// the ends of their transactions: an older copy that is put back lacks what came after it, and keys
// of a transaction that was undone do not come again. So whoever finds another filter there, or one
// that somebody else has moved, lets go of the keys (forget).
class FollowerAudit {
 public:
  // 0 keeps none.
  explicit FollowerAudit(std::uint64_t one_in);

  bool is_empty() const noexcept { return kept_.empty(); }
  // Remembers some of the keys that went into the filter.
  void take(std::span<const Key> keys);
  // Remembers keys that went into a filter which was put there just now; `head` was found behind
  // it. If one of the keys is denied at once, another's filter has come in between, perhaps without
  // rows that went meanwhile: then, and where it cannot ask, it lets go of all keys.
  void begin(FilterPlace& place, const PlaceHead& head, const CallContext& context);
  // Says that the filter's watermark is above all keys that were taken.
  void settle();
  // Rows that are in the database, be they told of or not, are asked for once the watermark is
  // there. One set of them at a time.
  bool wants_drawn() const noexcept { return one_in_ != 0 && !drawn_; }
  void take_drawn(std::optional<DrawnKeys> drawn) { drawn_ = std::move(drawn); }
  void forget();

  struct Answer {
    std::uint64_t asked = 0;
    bool is_denied = false;
  };
  // Asks for the next of them, as a reader does: behind the watermark of `head`, which is what the
  // follower has left there. What cannot be asked now, or stands otherwise there, is no denial.
  Answer ask(FilterPlace& place, const PlaceHead& head, const CallContext& context);

 private:
  void keep(std::vector<std::string>& where, std::string key);
  std::vector<std::string> next_to_ask(const Watermark& there);
  static bool is_proven(FilterPlace& place, const PlaceHead& head, const std::string& key,
                        const CallContext& context);

  std::uint64_t one_in_;
  std::uint64_t to_pass_over_ = 0;
  std::vector<std::string> kept_{};
  std::vector<std::string> loose_{};  // above the watermark, perhaps
  std::optional<DrawnKeys> drawn_{};
  std::size_t next_ = 0;
  std::minstd_rand random_{std::random_device()()};
};

}  // namespace bloomery
