// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stdexcept>

#include "bloomery/place/filter_place.h"
#include "bloomery/source/change_source.h"

namespace bloomery {

// Somebody else moved the filter's watermark, or put another filter there: begin again from what is
// there now.
struct Overtaken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Carries changes into a filter and moves its watermark behind them, only in a filter that is as
// the last step left it. One thread; the place outlives it.
class FilterStepper {
 public:
  explicit FilterStepper(FilterPlace& place) : place_(place) {}

  // Goes on from what is there now.
  void begin(const CallContext& context);
  // A new filter was put there, which has all up to `reached`, and where it `has_open` something of
  // a transaction that has not ended. Whether it is what is there now.
  bool begin_new(const Watermark& reached, bool has_open, bool keeps_watermark,
                 const CallContext& context);

  // Keys first, or with the watermark; and never a watermark without its keys. False: the filter
  // was not as it was left, but had all that came before. Throws Overtaken where it had not.
  bool carry(const Changes& changes, const CallContext& context);
  // Looks at the filter while nothing changes: no step would notice that it was lost or exchanged.
  bool look(const CallContext& context);
  // Writes what was not written yet.
  void flush(const CallContext& context);

  // The filter's head as the last step left it.
  const PlaceHead& head() const noexcept { return head_; }
  // The place keeps one; else head().watermark is none.
  bool has_watermark() const noexcept { return has_watermark_; }
  // All up to here is in, once it is flushed.
  const std::optional<Watermark>& reached() const noexcept {
    return has_watermark_ ? head_.watermark : passed_;
  }
  // Returns whether it holds keys of a transaction that has not ended.
  bool has_loose() const noexcept { return has_loose_; }
  // Something is to be flushed.
  bool is_dirty() const noexcept { return is_dirty_; }

 private:
  bool step(const Changes& changes, const CallContext& context);

  FilterPlace& place_;
  PlaceHead head_{};
  std::optional<Watermark> carried_{};  // all that came up to here was in
  bool has_loose_ = false;
  bool has_watermark_ = true;
  std::optional<Watermark> passed_{};  // of a place that keeps none: what it has
  bool is_dirty_ = false;
};

}  // namespace bloomery
