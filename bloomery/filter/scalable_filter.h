#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "bloomery/bits/shared_words.h"
#include "bloomery/filter/basic_filter.h"
#include "bloomery/filter/batch.h"
#include "bloomery/filter/blocked_layout.h"
#include "bloomery/filter/filter_contents.h"
#include "bloomery/filter/next_layer.h"

namespace bloomery {

// A filter that grows with its keys: a chain of blocked filters, layers, each larger than the last.
// The rate asked for is that of the whole chain, whatever it has grown to. options.capacity is what
// the first layer holds; a filter that is made large enough never has a second one, and is faster
// and smaller for it: 12 layers hold 10^7 keys that began with 100, in less than twice the memory
// of a filter made for them.
//
// A key is hashed once and asked of every layer; new keys go to the newest. Which layer a key is in
// depends on the order of inserts, so filters with the same keys may differ in their bits.
//
// Calls may run together as in BasicFilter. An insert may need a new layer, and so throw:
// std::invalid_argument or std::bad_alloc when there is no memory for it. Everything before that
// key is then in, and nothing after it.
class ScalableFilter {
 public:
  // Throws std::invalid_argument for options that are not allowed.
  explicit ScalableFilter(const FilterOptions& options)
      : ScalableFilter(make(parameters_for(FilterKind::scalable, {}, options))) {}

  // The same of parameters, whose geometry follows from the rest.
  static ScalableFilter make(FilterParameters parameters);

  // Takes layers that are there already, whose words follow each other in `words`. They passed
  // check().
  ScalableFilter(const FilterContents& contents, const SharedWords& words);

  // Throws FormatError for contents that no chain has.
  static void check(const FilterContents& contents);

  // True when the key is new: no layer had it.
  bool insert(Key key) { return insert_hash(hash(key)); }
  bool insert(std::uint64_t integer) { return insert_hash(hash(integer)); }
  bool insert_hash(HashPair hash);

  // False only for a key that was never inserted.
  bool may_contain(Key key) const noexcept { return may_contain_hash(hash(key)); }
  bool may_contain(std::uint64_t integer) const noexcept { return may_contain_hash(hash(integer)); }
  bool may_contain_hash(HashPair hash) const noexcept;

  // As in BasicFilter.
  std::size_t insert_many(KeyBatch batch) { return insert_batch(batch, nullptr); }
  std::size_t insert_many(KeyBatch batch, Answers was_new);
  void may_contain_many(KeyBatch batch, Answers found) const noexcept;

  // As insert, from any number of threads at once. A layer may get as many keys more than it is
  // made for as there are threads.
  bool insert_concurrently(Key key) { return insert_hash_concurrently(hash(key)); }
  bool insert_concurrently(std::uint64_t integer) {
    return insert_hash_concurrently(hash(integer));
  }
  bool insert_hash_concurrently(HashPair hash);

  // Afterwards holds the keys of both, layer by layer. Throws IncompatibleError unless both were
  // made alike and have grown to the same layers. Full layers are then too full: predicted_rate()
  // says what that means.
  void merge(const ScalableFilter& other) { merge(other.contents()); }
  void merge(const FilterContents& other);

  // Back to the empty first layer.
  void clear();

  // What it was made with: parameters().capacity and geometry() are the first layer's.
  const FilterParameters& parameters() const noexcept { return parameters_; }
  const Geometry& geometry() const noexcept { return parameters_.geometry; }
  HashPair hash(Key key) const noexcept { return parameters_.hash(key); }
  HashPair hash(std::uint64_t integer) const noexcept { return parameters_.hash(integer); }

  // Over all layers. capacity: keys it holds before it grows again.
  std::uint64_t capacity() const noexcept;
  std::uint64_t inserted() const noexcept;
  std::uint64_t bit_count() const noexcept;
  double fill_ratio() const noexcept;
  double cardinality() const noexcept;
  double predicted_rate() const noexcept;

  std::vector<Layer> layers() const;
  FilterContents contents() const;
  std::vector<Probe> probes(HashPair hash) const;

 private:
  using LayerFilter = BasicFilter<BlockedLayout, SharedWords>;

  // In place for good, so that a filter can be moved and its layers be read while it grows.
  struct Chain {
    std::array<std::unique_ptr<LayerFilter>, kMaxLayers> layers;
    std::atomic<std::size_t> count = 0;
    std::mutex growing;
  };

  std::size_t layer_count() const noexcept { return chain_->count.load(std::memory_order_acquire); }
  LayerFilter& layer(std::size_t i) const noexcept { return *chain_->layers[i]; }
  LayerFilter& newest() const noexcept { return layer(layer_count() - 1); }
  static bool is_full(const LayerFilter& layer) noexcept {
    return layer.inserted() >= layer.capacity();
  }
  FilterParameters parameters_of(const Layer& layer) const;
  void append(const Layer& layer, SharedWords words);
  void grow();
  std::size_t insert_batch(KeyBatch batch, bool* was_new);
  std::size_t insert_chunk(KeyBatch batch, bool* was_new);
  template <class Of>
  auto sum_layers(Of of) const noexcept {
    auto sum = of(layer(0));
    for (std::size_t i = 1; i < layer_count(); ++i) sum += of(layer(i));
    return sum;
  }

  FilterParameters parameters_;
  std::unique_ptr<Chain> chain_;
};

}  // namespace bloomery
