#pragma once

#include <utility>
#include <vector>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/filter_kinds.h"

namespace bloomery::cli {

// A new filter of any kind and the keys it gets, a batch at a time. A kind that is built once has
// their hashes in memory until then, 16 bytes a key; others have none.
class FilterFiller {
 public:
  FilterFiller(FilterKind kind, const FilterOptions& options)
      : parameters_(parameters_for(kind, {}, options)) {
    if (!is_built_once(kind)) filter_ = make_filter(kind, options);
  }

  explicit FilterFiller(AnyFilter empty)
      : parameters_(empty.parameters()), filter_(std::move(empty)) {}

  void add(KeyBatch batch) {
    if (filter_) {
      filter_->insert_many(batch);
      return;
    }
    batch.visit([&](auto keys) {
      for (const auto& key : keys) hashes_.push_back(parameters_.hash(key));
    });
  }

  // What has been filled so far; null for a kind that is built once.
  const AnyFilter* filter() const noexcept { return filter_ ? &*filter_ : nullptr; }

  AnyFilter finish() && {
    if (filter_) return std::move(*filter_);
    return AnyFilter(OwnedStaticFilter::build(parameters_, hashes_));
  }

 private:
  FilterParameters parameters_;
  std::optional<AnyFilter> filter_;
  std::vector<HashPair> hashes_;
};

}  // namespace bloomery::cli
