// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/bits/heap_words.h"
#include "bloomery/bits/shared_words.h"
#include "bloomery/errors.h"
#include "bloomery/filter/basic_filter.h"
#include "bloomery/filter/batch.h"
#include "bloomery/filter/filter_contents.h"
#include "bloomery/filter/growing_batches.h"
#include "bloomery/filter/growth_rule.h"
#include "bloomery/filter/insert.h"
#include "bloomery/filter/insert_watch.h"
#include "bloomery/filter/layout.h"
#include "bloomery/filter/stable_list.h"

namespace bloomery {

// A filter that grows with its keys: a chain of filters, layers, each made when the one before is
// full. A key is hashed once and asked of every layer; new keys go to the newest. Which layer a key
// is in depends on the order of inserts, so filters with the same keys may differ in their bits.
//
// Calls may run together as in BasicFilter. An insert may need a new layer, and so throw:
// std::invalid_argument or std::bad_alloc when there is no memory for it, and std::invalid_argument
// where the filter is full and does not grow. Everything before that key is then in, and nothing
// after it.
template <Layout L, GrowthRule Rule>
class GrowingFilter {
 public:
  using LayerFilter = BasicFilter<L, SharedWords>;
  static constexpr FilterKind kKind = Rule::kKind;
  static constexpr std::size_t kMaxLayers = Rule::kMaxLayers;
  static_assert(kMaxLayers <= StableList<LayerFilter>::kMaxSize);
  static_assert(HashesOnce<L>, "a chain asks each layer with the pair of the first");

  // Throws std::invalid_argument for options that are not allowed.
  explicit GrowingFilter(const FilterOptions& options)
      : GrowingFilter(make(Rule::parameters_for(options))) {
    watch_ = InsertWatch(parameters_);
  }

  // A new filter of parameters, whose geometry follows from the rest.
  static GrowingFilter make(FilterParameters parameters) {
    const Layer first = Rule::next(parameters, {});
    parameters.geometry = first.geometry;
    parameters.capacity = first.capacity;
    return {{.parameters = parameters, .layers = {first}}, new_words(first)};
  }

  // Takes layers that are there already, whose words follow each other in `words`. They passed
  // check().
  GrowingFilter(const FilterContents& contents, const SharedWords& words)
      : GrowingFilter(Empty{contents.parameters}) {
    std::uint64_t at = 0;
    for (const Layer& each : contents.layers) {
      const std::uint64_t count = word_count_of(each);
      append(each, words.part(at, count));
      at += count;
    }
  }
  // Takes layers that are there already, each with words of its own: words[i] for layer i.
  GrowingFilter(const FilterContents& contents, std::span<const SharedWords> words)
      : GrowingFilter(Empty{contents.parameters}) {
    for (std::size_t i = 0; i < contents.layers.size(); ++i) append(contents.layers[i], words[i]);
  }

  // A filter that was moved from says "maybe" of every key, and keeps none; see BasicFilter.
  GrowingFilter(GrowingFilter&& other) noexcept
      : parameters_(std::move(other.parameters_)),
        chain_(std::move(other.chain_)),
        watch_(other.watch_) {
    other.leave();
  }
  GrowingFilter& operator=(GrowingFilter&& other) noexcept {
    if (this == &other) return *this;
    parameters_ = std::move(other.parameters_);
    chain_ = std::move(other.chain_);
    watch_ = other.watch_;
    other.leave();
    return *this;
  }
  GrowingFilter(const GrowingFilter&) = delete;             // say .copy(), or std::move()
  GrowingFilter& operator=(const GrowingFilter&) = delete;  // say .copy(), or std::move()
  ~GrowingFilter() = default;

  // copy: see BasicFilter.
  GrowingFilter copy() const {
    const FilterContents of = contents();
    GrowingFilter copied(of, SharedWords::of(copied_words(of)));
    copied.watch_ = InsertWatch(copied.parameters_);
    return copied;
  }

  static Geometry first_geometry(const FilterOptions& options) {
    return Rule::next(Rule::parameters_for(options), {}).geometry;
  }
  static std::uint64_t word_count(std::span<const Layer> layers) noexcept {
    std::uint64_t count = 0;
    for (const Layer& each : layers) count += word_count_of(each);
    return count;
  }

  // Throws FormatError for contents that no chain has.
  static void check(const FilterContents& contents) { Rule::check(contents); }

  // True when the key is new: no layer had it.
  bool insert(Key key) { return answered(try_insert(key)); }
  bool insert(IntegerKey auto integer) {
    watch_.look_at_integer();
    return insert_hash(hash(integer));
  }
  bool insert_hash(HashPair hash) { return answered(try_insert_hash(hash)); }

  // Inserts a key as insert() does, but returns Insert::full for a new key of a filter that is full
  // and does not grow.
  Insert try_insert(Key key) {
    watch_.look(parameters_.keys, key);
    return try_insert_hash(hash(key));
  }
  Insert try_insert_hash(HashPair hash) {
    if (may_contain_hash(hash)) return Insert::present;
    if (is_full(newest())) {
      if (!Rule::grows(parameters_)) return Insert::full;
      grow();
    }
    return newest().insert_hash(hash) ? Insert::added : Insert::present;
  }

  // Inserts a key whatever the filter was made for: a filter that is full and does not grow is
  // overfilled then, and predicted_rate() says what that means. True when the key is new.
  bool insert_regardless(Key key) {
    watch_.look(parameters_.keys, key);
    const HashPair pair = hash(key);
    if (may_contain_hash(pair)) return false;
    const bool grows = Rule::grows(parameters_) && parameters_.growth.expansion != 0;
    if (grows && is_full(newest())) grow();
    return newest().insert_hash(pair);
  }

  // A null pointer is no text, and {} no key.
  bool insert(std::nullptr_t) = delete;
  bool may_contain(std::nullptr_t) const = delete;

  // False only for a key that was never inserted.
  bool may_contain(Key key) const noexcept { return may_contain_hash(hash(key)); }
  bool may_contain(IntegerKey auto integer) const noexcept {
    return may_contain_hash(hash(integer));
  }
  bool may_contain_hash(HashPair hash) const noexcept {
    // The newest layer has the most keys.
    return chain_->layers.any_of(
        [&](const LayerFilter& each) { return each.may_contain_hash(hash); });
  }

  // Batches mean what they mean in BasicFilter.
  std::size_t insert_many(KeyBatch batch) {
    InsertProgress progress;
    insert_all(batch, nullptr, progress);
    return progress.added;
  }
  std::size_t insert_many(KeyBatch batch, Answers was_new) {
    std::size_t added = 0;
    was_new.fill(batch.size(), [&, this](std::size_t first, std::size_t count, bool* flags) {
      InsertProgress progress;
      insert_all(batch.subbatch(first, count), flags, progress);
      added += progress.added;
    });
    return added;
  }
  void may_contain_many(KeyBatch batch, Answers found) const {
    find_in_layers(chain_->layers, batch, found);
  }
  std::size_t insert_many(KeyRange auto&& keys) { return insert_many(views_of(keys)); }
  std::size_t insert_many(std::initializer_list<Key> keys) {
    return insert_many(std::span<const Key>(keys.begin(), keys.size()));
  }
  template <IntegerKey I>
  std::size_t insert_many(std::initializer_list<I> integers) {
    return insert_many(std::span<const I>(integers.begin(), integers.size()));
  }
  std::size_t insert_many(KeyRange auto&& keys, Answers was_new) {
    return insert_many(views_of(keys), was_new);
  }
  void may_contain_many(KeyRange auto&& keys, Answers found) const {
    may_contain_many(views_of(keys), found);
  }

  // Inserts until there is no room, and says in `progress`, also when it throws, how far it came.
  // was_new, which may be null, is set for the keys that were done.
  void insert_while_room(KeyBatch batch, bool* was_new, InsertProgress& progress) {
    progress = {};
    watch_.look_at_batch(parameters_.keys, batch);
    insert_into_layers(chain_->layers, batch, was_new, progress, [this] {
      if (!Rule::grows(parameters_)) return false;
      grow();
      return true;
    });
  }

  // Inserts a key as insert() does, from any number of threads at once. A layer may get as many
  // keys more than it is made for as there are threads.
  bool insert_concurrently(Key key) {
    watch_.look(parameters_.keys, key);
    return insert_hash_concurrently(hash(key));
  }
  bool insert_concurrently(IntegerKey auto integer) {
    watch_.look_at_integer_of_many();
    return insert_hash_concurrently(hash(integer));
  }
  bool insert_hash_concurrently(HashPair hash) {
    if (may_contain_hash(hash)) return false;
    if (is_full(newest())) {
      const std::lock_guard lock(chain_->growing);
      if (is_full(newest())) {
        if (!Rule::grows(parameters_)) throw_full();
        grow();
      }
    }
    return newest().insert_hash_concurrently(hash);
  }

  // Afterwards holds the keys of both, layer by layer. Throws IncompatibleError unless both were
  // made alike and have grown to the same layers. Full layers are then too full: predicted_rate()
  // says what that means.
  void merge(const GrowingFilter& other) { merge(other.contents()); }
  void merge(const FilterContents& other);

  // Back to the empty first layer.
  void clear() noexcept {
    layer(0).clear();
    chain_->layers.keep_first();
  }

  // parameters: what the filter was made with. Its capacity, and geometry(), are those of the first
  // layer.
  const FilterParameters& parameters() const noexcept { return parameters_; }
  // keys, set_keys: see BasicFilter.
  KeyForm keys() const noexcept { return watch_.form(parameters_.keys); }
  void set_keys(const KeyForm& keys) noexcept {
    parameters_.keys = keys;
    watch_.say(parameters_);
  }
  const Geometry& geometry() const noexcept { return parameters_.geometry; }
  HashPair hash(Key key) const noexcept { return layer(0).hash(key); }
  HashPair hash(IntegerKey auto integer) const noexcept { return layer(0).hash(integer); }

  // Numbers of all layers together. capacity: the keys that the filter holds before it grows again.
  std::uint64_t capacity() const noexcept {
    return sum_layers([](const LayerFilter& each) { return each.capacity(); });
  }
  std::uint64_t inserted() const noexcept {
    return sum_layers([](const LayerFilter& each) { return each.inserted(); });
  }
  std::uint64_t bit_count() const noexcept {
    return sum_layers([](const LayerFilter& each) { return each.geometry().bit_count; });
  }
  double fill_ratio() const noexcept {
    const double ones = sum_layers([](const LayerFilter& each) {
      return each.fill_ratio() * static_cast<double>(each.geometry().bit_count);
    });
    return ones / static_cast<double>(bit_count());
  }
  double cardinality() const noexcept {
    return sum_layers([](const LayerFilter& each) { return each.cardinality(); });
  }
  double predicted_rate() const noexcept {
    double absent = 1;
    for (std::size_t i = 0; i < layer_count(); ++i) absent *= 1 - layer(i).predicted_rate();
    return 1 - absent;
  }

  std::vector<Layer> layers() const {
    std::vector<Layer> all;
    all.reserve(layer_count());
    for (std::size_t i = 0; i < layer_count(); ++i) all.push_back(layer_state(i));
    return all;
  }
  std::size_t layer_count() const noexcept { return chain_->layers.size(); }
  Layer layer_state(std::size_t i) const noexcept {
    const FilterParameters& of = layer(i).parameters();
    return {of.geometry, of.capacity, of.false_positive_rate, layer(i).inserted()};
  }
  FilterContents contents() const {
    watch_.require_sayable(parameters_.keys);
    FilterContents contents{.parameters = parameters_, .layers = layers()};
    contents.parameters.keys = keys();
    for (std::size_t i = 0; i < contents.layers.size(); ++i) {
      contents.inserted += contents.layers[i].inserted;
      contents.words.push_back(std::as_const(layer(i)).words());
    }
    return contents;
  }
  // Gives the words of a layer to callers who set bits by other ways.
  std::span<std::uint64_t> layer_words(std::size_t i) noexcept {
    return layer(i).storage().words();
  }
  std::vector<Probe> probes(Key key) const { return probes(hash(key)); }
  std::vector<Probe> probes(HashPair hash) const {
    std::vector<Probe> all;
    for (std::size_t i = 0; i < layer_count(); ++i) {
      for (Probe probe : layer(i).probes(hash)) {
        probe.layer = static_cast<std::uint32_t>(i);
        all.push_back(probe);
      }
    }
    return all;
  }

 private:
  // Chain stays in place for good, so that a filter can be moved and its layers be read while it
  // grows.
  struct Chain {
    StableList<LayerFilter> layers;
    std::mutex growing;
  };

  struct Empty {
    FilterParameters parameters;
  };
  explicit GrowingFilter(const Empty& of)
      : parameters_(of.parameters), chain_(std::make_unique<Chain>()) {}

  void leave() noexcept {
    try {
      parameters_.geometry.bit_count = kLeftBits;
      parameters_.capacity = 1;
      const Layer full{parameters_.geometry, 1, parameters_.false_positive_rate, 1};
      chain_ = std::make_unique<Chain>();
      append(full, SharedWords::left(word_count_of(full)));
    } catch (const std::bad_alloc&) {
      chain_.reset();
    }
  }

  LayerFilter& layer(std::size_t i) const noexcept { return chain_->layers[i]; }
  LayerFilter& newest() const noexcept { return layer(layer_count() - 1); }
  static bool is_full(const LayerFilter& layer) noexcept {
    return layer.inserted() >= layer.capacity();
  }
  FilterParameters parameters_of(const Layer& layer) const {
    return {.kind = L::kKind,
            .hash = parameters_.hash,
            .geometry = layer.geometry,
            .capacity = layer.capacity,
            .false_positive_rate = layer.false_positive_rate};
  }
  static std::uint64_t word_count_of(const Layer& layer) noexcept {
    FilterParameters parameters;
    parameters.geometry = layer.geometry;
    return L::word_count(parameters);
  }
  static SharedWords new_words(const Layer& layer) {
    return SharedWords::of(HeapWords(word_count_of(layer)));
  }
  void append(const Layer& layer, SharedWords words) {
    chain_->layers.append(
        std::make_unique<LayerFilter>(parameters_of(layer), std::move(words), layer.inserted));
  }
  void grow() {
    if (layer_count() == kMaxLayers) {
      throw std::invalid_argument("this filter has at most " + std::to_string(kMaxLayers) +
                                  " layers; begin with a larger one");
    }
    const Layer next = Rule::next(parameters_, layers());
    append(next, new_words(next));
  }
  [[noreturn]] void throw_full() const {
    throw std::invalid_argument("the filter is full: it holds the " + std::to_string(capacity()) +
                                " keys it was made for, and does not grow");
  }
  bool answered(Insert insert) const {
    if (insert == Insert::full) throw_full();
    return insert == Insert::added;
  }
  void insert_all(KeyBatch batch, bool* was_new, InsertProgress& progress) {
    insert_while_room(batch, was_new, progress);
    if (progress.done < batch.size()) throw_full();
  }
  template <class Of>
  auto sum_layers(Of of) const noexcept {
    auto sum = of(layer(0));
    for (std::size_t i = 1; i < layer_count(); ++i) sum += of(layer(i));
    return sum;
  }

  FilterParameters parameters_;
  std::unique_ptr<Chain> chain_;
  InsertWatch watch_;
};

template <Layout L, GrowthRule Rule>
void GrowingFilter<L, Rule>::merge(const FilterContents& other) {
  const auto reason = merge_obstacle(contents(), other);
  if (!reason.empty()) throw IncompatibleError("cannot merge: " + reason);
  if (other.words.size() != other.layers.size()) {
    throw std::invalid_argument("cannot merge: these are not all words of the filter");
  }
  for (std::size_t i = 0; i < other.layers.size(); ++i) {
    layer(i).merge({.parameters = parameters_of(other.layers[i]),
                    .inserted = other.layers[i].inserted,
                    .words = {other.words[i]}});
  }
  set_keys(form_of_both(keys(), other.parameters.keys));
}

}  // namespace bloomery
