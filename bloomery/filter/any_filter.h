// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bloomery/bits/shared_words.h"
#include "bloomery/filter/basic_filter.h"
#include "bloomery/filter/batch.h"
#include "bloomery/filter/blocked_layout.h"
#include "bloomery/filter/filter_contents.h"
#include "bloomery/filter/insert.h"

namespace bloomery {

// What every kind of filter has. Those that take keys, erase or merge have that as well.
template <class F>
concept Filter = std::movable<F> &&
    requires(const F& filter, std::span<const Key> keys, Answers answers, Key key) {
  { filter.may_contain(key) } -> std::same_as<bool>;
  filter.may_contain_many(keys, answers);
  { filter.parameters() } -> std::same_as<const FilterParameters&>;
  { filter.capacity() } -> std::same_as<std::uint64_t>;
  { filter.inserted() } -> std::same_as<std::uint64_t>;
  { filter.contents() } -> std::same_as<FilterContents>;
  { filter.fill_ratio() } -> std::same_as<double>;
  { filter.cardinality() } -> std::same_as<double>;
  { filter.predicted_rate() } -> std::same_as<double>;
  { filter.probes(key) } -> std::same_as<std::vector<Probe>>;
};

// A filter whose kind is known only at run time: opened from a file, or chosen on a command line.
// Costs one virtual call a key or batch; a key in a blocked filter, which nearly all are, none. The
// calls are those of the filters themselves, where their meaning, errors and thread-safety stand;
// std::invalid_argument for one that the kind does not have. So also a question may throw, of a
// batch of pairs where the kind has none (hashes_once()); of keys it never does.
class AnyFilter {
 public:
  // Tested first: checking Filter<AnyFilter> would recurse.
  template <class F>
  requires(!std::same_as<F, AnyFilter> && Filter<F>) explicit AnyFilter(F filter)
      : body_(std::make_unique<Body<F>>(std::move(filter))),
        is_blocked_(std::same_as<F, Blocked>) {}

  // Whether hash(), probes(pair) and batches of pairs can be asked for; else only keys can.
  bool hashes_once() const noexcept { return body_->hashes_once(); }
  // Not a static filter, which is built of all its keys.
  bool can_insert() const noexcept { return body_->can_insert(); }
  bool can_erase() const noexcept { return body_->can_erase(); }

  // A null pointer is no text, and {} no key.
  bool insert(std::nullptr_t) = delete;
  bool may_contain(std::nullptr_t) const = delete;

  [[gnu::always_inline]] bool insert(Key key) {
    return is_blocked_ ? blocked().insert(key) : body_->insert(key);
  }
  [[gnu::always_inline]] bool insert(IntegerKey auto integer) {
    return is_blocked_ ? blocked().insert(integer) : body_->insert(eight_bytes(integer));
  }
  // The same, where a chain that is full and does not grow says so.
  [[gnu::always_inline]] Insert try_insert(Key key) {
    if (is_blocked_) return blocked().insert(key) ? Insert::added : Insert::present;
    return body_->try_insert(key);
  }
  // Inserts even where the filter is full and does not grow.
  bool insert_regardless(Key key) { return body_->insert_regardless(key); }
  [[gnu::always_inline]] bool may_contain(Key key) const noexcept {
    return is_blocked_ ? blocked().may_contain(key) : body_->may_contain(key);
  }
  [[gnu::always_inline]] bool may_contain(IntegerKey auto integer) const noexcept {
    return is_blocked_ ? blocked().may_contain(integer) : body_->may_contain(eight_bytes(integer));
  }
  std::size_t insert_many(KeyBatch batch) { return body_->insert_many(batch); }
  std::size_t insert_many(KeyBatch batch, Answers was_new) {
    return body_->insert_many(batch, was_new);
  }
  // Stops where the filter is full or out of memory; filters that are never full take all.
  void insert_while_room(KeyBatch batch, bool* was_new, InsertProgress& progress) {
    body_->insert_while_room(batch, was_new, progress);
  }
  void may_contain_many(KeyBatch batch, Answers found) const {
    body_->may_contain_many(batch, found);
  }
  std::size_t insert_many(const OwnedTexts auto& texts) { return insert_many(views_of(texts)); }
  std::size_t insert_many(const OwnedTexts auto& texts, Answers was_new) {
    return insert_many(views_of(texts), was_new);
  }
  void may_contain_many(const OwnedTexts auto& texts, Answers found) const {
    may_contain_many(views_of(texts), found);
  }
  bool insert_concurrently(Key key) { return body_->insert_concurrently(key); }
  bool insert_concurrently(IntegerKey auto integer) {
    const std::uint64_t bytes = eight_bytes(integer);
    return body_->insert_concurrently(as_key(bytes));
  }
  bool erase(Key key) { return body_->erase(key); }
  bool erase(IntegerKey auto integer) {
    const std::uint64_t bytes = eight_bytes(integer);
    return body_->erase(as_key(bytes));
  }
  using ChangeWords = std::function<std::size_t(std::span<std::uint64_t>)>;
  std::size_t change_words(const ChangeWords& change) { return body_->change_words(change); }
  // The words of one layer of a chain.
  std::span<std::uint64_t> layer_words(std::size_t layer) { return body_->layer_words(layer); }

  void merge(const AnyFilter& other) { merge(other.contents()); }
  void merge(const FilterContents& other) { body_->merge(other); }
  void clear() { body_->clear(); }

  const FilterParameters& parameters() const noexcept { return body_->parameters(); }
  const Geometry& geometry() const noexcept { return parameters().geometry; }
  // How the keys were written: carried along, saved, and asked for by merge. No bit changes.
  const KeyForm& keys() const noexcept { return parameters().keys; }
  void set_keys(const KeyForm& keys) noexcept { body_->set_keys(keys); }
  std::uint64_t capacity() const noexcept { return body_->capacity(); }
  FilterContents contents() const { return body_->contents(); }
  std::uint64_t inserted() const noexcept { return body_->inserted(); }
  double fill_ratio() const { return body_->fill_ratio(); }
  double cardinality() const { return body_->cardinality(); }
  double predicted_rate() const { return body_->predicted_rate(); }

  HashPair hash(Key key) const { return body_->hash(key); }
  std::vector<Probe> probes(Key key) const { return body_->probes(key); }
  std::vector<Probe> probes(HashPair hash) const { return body_->probes(hash); }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual bool hashes_once() const noexcept = 0;
    virtual bool can_insert() const noexcept = 0;
    virtual bool can_erase() const noexcept = 0;
    virtual bool insert(Key key) = 0;
    virtual bool insert(std::uint64_t integer) = 0;
    virtual Insert try_insert(Key key) = 0;
    virtual bool insert_regardless(Key key) = 0;
    virtual bool may_contain(Key key) const noexcept = 0;
    virtual bool may_contain(std::uint64_t integer) const noexcept = 0;
    virtual std::size_t insert_many(KeyBatch batch) = 0;
    virtual std::size_t insert_many(KeyBatch batch, Answers was_new) = 0;
    virtual void insert_while_room(KeyBatch batch, bool* was_new, InsertProgress& progress) = 0;
    virtual void may_contain_many(KeyBatch batch, Answers found) const = 0;
    virtual bool insert_concurrently(Key key) = 0;
    virtual bool erase(Key key) = 0;
    virtual std::size_t change_words(const ChangeWords& change) = 0;
    virtual std::span<std::uint64_t> layer_words(std::size_t layer) = 0;
    virtual void merge(const FilterContents& other) = 0;
    virtual void clear() = 0;
    virtual const FilterParameters& parameters() const noexcept = 0;
    virtual void set_keys(const KeyForm& keys) noexcept = 0;
    virtual std::uint64_t capacity() const noexcept = 0;
    virtual FilterContents contents() const = 0;
    virtual std::uint64_t inserted() const noexcept = 0;
    virtual double fill_ratio() const = 0;
    virtual double cardinality() const = 0;
    virtual double predicted_rate() const = 0;
    virtual HashPair hash(Key key) const = 0;
    virtual std::vector<Probe> probes(Key key) const = 0;
    virtual std::vector<Probe> probes(HashPair hash) const = 0;
  };

  [[noreturn]] static void refuse(const char* what) { throw std::invalid_argument(what); }

  template <Filter F>
  struct Body final : Interface {
    static constexpr bool kInserts = requires(F & f, Key key) { f.insert(key); };
    static constexpr bool kTakesIntegers = requires(const F& f, std::uint64_t integer) {
      f.may_contain(integer);
    };
    static constexpr bool kErases = requires(F & f, Key key) { f.erase(key); };
    static constexpr const char* kBuiltOnce = "a static filter is built once, of all its keys";

    explicit Body(F f) : filter(std::move(f)) {}

    bool hashes_once() const noexcept override {
      // Who passes on what another AnyFilter says has to ask it.
      if constexpr (requires { filter.hashes_once(); }) return filter.hashes_once();
      return HashesOnce<F>;
    }
    bool can_insert() const noexcept override { return kInserts; }
    bool can_erase() const noexcept override { return kErases; }
    bool insert(Key key) override {
      if constexpr (kInserts) return filter.insert(key);
      refuse(kBuiltOnce);
    }
    bool insert(std::uint64_t integer) override {
      if constexpr (kInserts && kTakesIntegers) return filter.insert(integer);
      return insert(as_key(integer));
    }
    Insert try_insert(Key key) override {
      if constexpr (requires { filter.try_insert(key); }) return filter.try_insert(key);
      return insert(key) ? Insert::added : Insert::present;
    }
    bool insert_regardless(Key key) override {
      if constexpr (requires { filter.insert_regardless(key); }) {
        return filter.insert_regardless(key);
      } else {
        return insert(key);
      }
    }
    bool may_contain(Key key) const noexcept override { return filter.may_contain(key); }
    bool may_contain(std::uint64_t integer) const noexcept override {
      if constexpr (kTakesIntegers) return filter.may_contain(integer);
      return filter.may_contain(as_key(integer));
    }
    std::size_t insert_many(KeyBatch batch) override {
      if constexpr (kInserts) return filter.insert_many(taken(batch));
      refuse(kBuiltOnce);
    }
    std::size_t insert_many(KeyBatch batch, Answers was_new) override {
      if constexpr (kInserts) return filter.insert_many(taken(batch), was_new);
      refuse(kBuiltOnce);
    }
    void insert_while_room(KeyBatch batch, bool* was_new, InsertProgress& progress) override {
      if constexpr (requires { filter.insert_while_room(batch, was_new, progress); }) {
        filter.insert_while_room(batch, was_new, progress);
      } else {
        progress.added = insert_many(batch, {was_new, batch.size()});
        progress.done = batch.size();
      }
    }
    void may_contain_many(KeyBatch batch, Answers found) const override {
      filter.may_contain_many(taken(batch), found);
    }
    bool insert_concurrently(Key key) override {
      if constexpr (kInserts) return filter.insert_concurrently(key);
      refuse(kBuiltOnce);
    }
    bool erase(Key key) override {
      if constexpr (kErases) return filter.erase(key);
      refuse("only a counting filter can erase keys");
    }
    std::size_t change_words(const ChangeWords& change) override {
      if constexpr (requires { filter.change_words(change); }) return filter.change_words(change);
      refuse("only filters of one array let it be changed");
    }
    std::span<std::uint64_t> layer_words(std::size_t layer) override {
      if constexpr (requires { filter.layer_words(layer); }) return filter.layer_words(layer);
      refuse("only chains have layers");
    }
    void merge(const FilterContents& other) override {
      if constexpr (kInserts) return filter.merge(other);
      refuse(kBuiltOnce);
    }
    void clear() override {
      if constexpr (kInserts) return filter.clear();
      refuse(kBuiltOnce);
    }
    const FilterParameters& parameters() const noexcept override { return filter.parameters(); }
    void set_keys(const KeyForm& keys) noexcept override { filter.set_keys(keys); }
    std::uint64_t capacity() const noexcept override { return filter.capacity(); }
    FilterContents contents() const override { return filter.contents(); }
    std::uint64_t inserted() const noexcept override { return filter.inserted(); }
    double fill_ratio() const override { return filter.fill_ratio(); }
    double cardinality() const override { return filter.cardinality(); }
    double predicted_rate() const override { return filter.predicted_rate(); }
    HashPair hash(Key key) const override {
      if constexpr (HashesOnce<F>) return filter.hash(key);
      refuse(kNoPairs);
    }
    std::vector<Probe> probes(Key key) const override { return filter.probes(key); }
    std::vector<Probe> probes(HashPair hash) const override {
      if constexpr (HashesOnce<F>) return filter.probes(hash);
      refuse(kNoPairs);
    }

    // The form of a batch that such a filter takes.
    static auto taken(const KeyBatch& batch) {
      if constexpr (HashesOnce<F>) {
        return batch;
      } else {
        return unhashed(batch);
      }
    }

    F filter;
  };

  // As make_filter() and open_filter() have it. A virtual call costs as much as the answer.
  using Blocked = BasicFilter<BlockedLayout, SharedWords>;
  [[gnu::always_inline]] Blocked& blocked() const noexcept {
    return static_cast<Body<Blocked>&>(*body_).filter;
  }

  std::unique_ptr<Interface> body_;
  bool is_blocked_;
};

}  // namespace bloomery
