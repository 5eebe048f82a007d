// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/bulk/bulk_builder.h"
#include "bloomery/filter/filter_kinds.h"

namespace bloomery::cli {

// A new filter of any kind and the keys it gets, a batch at a time. A kind that is built once has
// their hashes in memory until then, 16 bytes a key; a large blocked one up to half of its own size
// (bulk_builder.h); others have none. Stays where it is once keys came.
class FilterFiller {
 public:
  FilterFiller(FilterKind kind, const FilterOptions& options, unsigned threads = 0)
      : parameters_(parameters_for(kind, {}, options)), threads_(threads) {
    if (is_built_once(kind)) return;
    filter_ = make_filter(kind, options);
    parameters_ = filter_->parameters();  // with the secret key that was drawn for it
  }

  explicit FilterFiller(AnyFilter empty, unsigned threads = 0)
      : parameters_(empty.parameters()), threads_(threads), filter_(std::move(empty)) {}

  // The caller may hash keys by these before they are given.
  const FilterParameters& parameters() const noexcept { return parameters_; }

  void add(KeyBatch batch) {
    if (filter_) {
      if (!builder_)
        builder_.emplace(*filter_, parameters_.capacity, BulkOptions{.threads = threads_});
      builder_->add(batch);
      return;
    }
    batch.visit([&](auto keys) {
      for (const auto& key : keys) hashes_.push_back(parameters_.hash(key));
    });
  }

  // Returns the filter that is filled, which has all its keys only after finish(). Null for a kind
  // that is built once.
  const AnyFilter* filter() const noexcept { return filter_ ? &*filter_ : nullptr; }

  AnyFilter finish() && {
    builder_.reset();
    if (filter_) return std::move(*filter_);
    return AnyFilter(OwnedStaticFilter::build(parameters_, hashes_));
  }

 private:
  FilterParameters parameters_;
  unsigned threads_;
  std::optional<AnyFilter> filter_;
  std::optional<BulkBuilder> builder_;
  std::vector<HashPair> hashes_;
};

}  // namespace bloomery::cli
