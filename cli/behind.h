// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "bloomery/place/coalesced_fence.h"
#include "bloomery/place/filter_place.h"
#include "bloomery/source/change_options.h"

namespace bloomery::cli {

// --behind SOURCE: a database whose rows a follower brings into filters. "Absent" is said only
// behind a fence that the database gave after the question came. Many threads may use it.
class Behind {
 public:
  // Asks the database once. Throws std::invalid_argument for what is no table of a database, and
  // otherwise as open_fence() and FenceSource::ask() do.
  Behind(const std::string& source, const ChangeOptions& options);

  // Returns a place in front of `place`, which outlives it, as this does.
  std::unique_ptr<FilterPlace> in_front_of(FilterPlace& place);
  // Returns why the place says `unknown`, as a sentence for people. Throws StoreError where the
  // place or the database fails.
  std::string why_unknown(FilterPlace& place);

 private:
  CoalescedFence fence_;
};

}  // namespace bloomery::cli
