// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
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
#include "bloomery/filter/key_watch.h"

namespace bloomery {

// Filter: what every kind of filter has. Kinds that take keys, erase or merge have functions for
// that as well.
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
//
// The form of keys that the filter's file records holds (filter/key_watch.h). In a filter of texts,
// an integer is also asked about by its digits, and an integer that is inserted makes the form
// unknown. In a filter of integers, a text is also asked about as the integer that it spells, and a
// text that is inserted makes the form unknown. An insert throws std::invalid_argument where
// nothing can remember that the form is unknown: in a file that is mapped or shared, and in other
// forms.
class AnyFilter {
 public:
  // Tested first: checking Filter<AnyFilter> would recurse.
  template <class F>
  requires(!std::same_as<F, AnyFilter> && Filter<F>) explicit AnyFilter(F filter)
      : body_(std::make_unique<Body<F>>(std::move(filter))), is_blocked_(std::same_as<F, Blocked>) {
    watch();
  }

  // A filter that was moved from says "maybe" of every key, and keeps none; see BasicFilter.
  AnyFilter(AnyFilter&& other) noexcept { take(other); }
  AnyFilter& operator=(AnyFilter&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }
  AnyFilter(const AnyFilter&) = delete;             // say .copy(), or std::move()
  AnyFilter& operator=(const AnyFilter&) = delete;  // say .copy(), or std::move()
  ~AnyFilter() = default;

  // Returns a filter of the same kind and keys in memory of its own, whose bits are read while
  // others insert concurrently. Throws std::invalid_argument for a kind that a program wrote and
  // that has neither a copy() nor a constructor of FilterContents and SharedWords.
  AnyFilter copy() const;

  // Returns whether hash(), probes(pair) and batches of pairs can be asked for; else only keys can.
  bool hashes_once() const noexcept { return body_->hashes_once(); }
  // Returns false for a static filter, which is built of all its keys.
  bool can_insert() const noexcept { return body_->can_insert(); }
  bool can_erase() const noexcept { return body_->can_erase(); }

  // A null pointer is no text, and {} no key.
  bool insert(std::nullptr_t) = delete;
  bool may_contain(std::nullptr_t) const = delete;

  // Returns whether the key seemed to be new.
  [[gnu::always_inline]] bool insert(Key key) {
    if (is_direct(kInsertTexts)) return blocked().insert(key);
    look_at(key);
    return body_->insert(key);
  }
  [[gnu::always_inline]] bool insert(IntegerKey auto integer) {
    if (is_direct(kInsertIntegers)) return blocked().insert(integer);
    look_at_integer();
    return body_->insert(eight_bytes(integer));
  }
  // Inserts a key as insert() does, but returns Insert::full for a new key of a chain that is full
  // and does not grow.
  [[gnu::always_inline]] Insert try_insert(Key key) {
    if (is_direct(kInsertTexts)) return blocked().insert(key) ? Insert::added : Insert::present;
    look_at(key);
    return body_->try_insert(key);
  }
  // Inserts even where the filter is full and does not grow.
  bool insert_regardless(Key key) {
    look_at(key);
    return body_->insert_regardless(key);
  }
  [[gnu::always_inline]] bool may_contain(Key key) const noexcept {
    if (is_direct(kAskTexts)) return blocked().may_contain(key);
    return is_watched(kAskTexts) ? may_contain_watched(key) : body_->may_contain(key);
  }
  [[gnu::always_inline]] bool may_contain(IntegerKey auto integer) const noexcept {
    if (is_direct(kAskIntegers)) return blocked().may_contain(integer);
    const std::uint64_t bytes = eight_bytes(integer);
    return is_watched(kAskIntegers) ? may_contain_watched(bytes) : body_->may_contain(bytes);
  }
  std::size_t insert_many(KeyBatch batch) {
    if (watched_ != 0) look_at_batch(batch);
    return body_->insert_many(batch);
  }
  std::size_t insert_many(KeyBatch batch, Answers was_new) {
    if (watched_ != 0) look_at_batch(batch);
    return body_->insert_many(batch, was_new);
  }
  // Stops where the filter is full or out of memory; filters that are never full take all.
  void insert_while_room(KeyBatch batch, bool* was_new, InsertProgress& progress) {
    if (watched_ != 0) look_at_batch(batch);
    body_->insert_while_room(batch, was_new, progress);
  }
  void may_contain_many(KeyBatch batch, Answers found) const {
    if (watched_ != 0) return may_contain_watched(batch, found);
    body_->may_contain_many(batch, found);
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
  bool insert_concurrently(Key key) {
    if (is_watched(kInsertTexts) && !is_as_said(key)) take_others();
    return body_->insert_concurrently(key);
  }
  bool insert_concurrently(IntegerKey auto integer) {
    if (is_watched(kInsertIntegers)) take_others();
    const std::uint64_t bytes = eight_bytes(integer);
    return body_->insert_concurrently(as_key(bytes));
  }
  bool erase(Key key) { return try_erase(key) != Erase::absent; }
  bool erase(IntegerKey auto integer) { return try_erase(integer) != Erase::absent; }
  Erase try_erase(Key key) {
    if (is_watched(kInsertTexts) && !has_others() && !is_as_said(key)) return Erase::absent;
    return body_->try_erase(key);
  }
  Erase try_erase(IntegerKey auto integer) {
    if (is_watched(kInsertIntegers) && !has_others()) return Erase::absent;
    const std::uint64_t bytes = eight_bytes(integer);
    return body_->try_erase(as_key(bytes));
  }
  using ChangeWords = std::function<std::size_t(std::span<std::uint64_t>)>;
  std::size_t change_words(const ChangeWords& change) { return body_->change_words(change); }
  // The words of one layer of a chain.
  std::span<std::uint64_t> layer_words(std::size_t layer) { return body_->layer_words(layer); }

  // Inserts the keys of a filter that was made alike. Throws IncompatibleError for others.
  void merge(const AnyFilter& other) { merge(other.contents()); }
  void merge(const FilterContents& other);
  void clear() { body_->clear(); }

  // The parameters that it was made with.
  const FilterParameters& parameters() const noexcept { return body_->parameters(); }
  const Geometry& geometry() const noexcept { return parameters().geometry; }
  // How the keys were written: carried along, saved, and asked for by merge. No bit changes.
  const KeyForm& keys() const noexcept;
  void set_keys(const KeyForm& keys) noexcept;
  // Looks at no call's keys any more: for callers who read keys() themselves, and write keys so, be
  // they bytes or integers.
  void take_keys_as_said() noexcept {
    as_said_ = true;
    watch();
  }
  std::uint64_t capacity() const noexcept { return body_->capacity(); }
  FilterContents contents() const;
  std::uint64_t inserted() const noexcept { return body_->inserted(); }
  double fill_ratio() const { return body_->fill_ratio(); }
  double cardinality() const { return body_->cardinality(); }
  double predicted_rate() const { return body_->predicted_rate(); }

  // The hash pair of a key, and the bits that a key or a pair has (Probe).
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
    virtual Erase try_erase(Key key) = 0;
    virtual std::size_t change_words(const ChangeWords& change) = 0;
    virtual std::span<std::uint64_t> layer_words(std::size_t layer) = 0;
    virtual void merge(const FilterContents& other) = 0;
    virtual void clear() = 0;
    virtual const FilterParameters& parameters() const noexcept = 0;
    virtual void set_keys(const KeyForm& keys) noexcept = 0;
    virtual bool keeps_form() const noexcept = 0;
    virtual std::uint64_t capacity() const noexcept = 0;
    virtual FilterContents contents() const = 0;
    virtual AnyFilter copy() const = 0;
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

    explicit Body(F f) : filter(std::move(f)) {
      // A form that no longer holds is not passed on.
      if constexpr (requires {
                      { filter.keys() } -> std::same_as<KeyForm>;
                    }) {
        if (const KeyForm keys = filter.keys(); keys != parameters().keys) filter.set_keys(keys);
      }
    }

    bool hashes_once() const noexcept override {
      // A filter that passes on what another AnyFilter says has a hashes_once() that asks it.
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
    Erase try_erase(Key key) override {
      if constexpr (requires { filter.try_erase(key); }) {
        return filter.try_erase(key);
      } else if constexpr (kErases) {
        return filter.erase(key) ? Erase::erased : Erase::absent;
      }
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
    bool keeps_form() const noexcept override {
      if constexpr (requires { filter.keeps_form(); }) return filter.keeps_form();
      return false;
    }
    std::uint64_t capacity() const noexcept override { return filter.capacity(); }
    FilterContents contents() const override { return filter.contents(); }
    AnyFilter copy() const override {
      if constexpr (requires {
                      { filter.copy() } -> std::same_as<AnyFilter>;
                    }) {
        return filter.copy();
      } else if constexpr (requires { typename F::LayoutType; }) {
        const FilterContents of = filter.contents();
        return AnyFilter(BasicFilter<typename F::LayoutType, SharedWords>(
            of.parameters, SharedWords::of(copied_words(of)), of.inserted));
      } else if constexpr (std::constructible_from<F, const FilterContents&, SharedWords>) {
        const FilterContents of = filter.contents();
        return AnyFilter(F(of, SharedWords::of(copied_words(of))));
      }
      refuse("such a filter cannot be copied");
    }
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

  // Blocked: the type of blocked filters that make_filter() and open_filter() give. Single calls go
  // to it directly: a virtual call costs as much as the answer.
  using Blocked = BasicFilter<BlockedLayout, SharedWords>;
  [[gnu::always_inline]] Blocked& blocked() const noexcept {
    return static_cast<Body<Blocked>&>(*body_).filter;
  }

  void take(AnyFilter& other) noexcept;
  bool is_direct(WatchedCalls call) const noexcept { return (direct_ & call) != 0; }
  bool is_watched(WatchedCalls call) const noexcept { return (watched_ & call) != 0; }
  void look_at(Key key) {
    if (is_watched(kInsertTexts) && !is_as_said(key)) become_unknown();
  }
  void look_at_integer() {
    if (is_watched(kInsertIntegers)) become_unknown();
  }
  bool is_as_said(Key key) const noexcept;
  void look_at_batch(const KeyBatch& batch);
  void take_others();
  void become_unknown();
  bool may_contain_watched(Key key) const noexcept;
  bool may_contain_watched(std::uint64_t integer) const noexcept;
  void may_contain_watched(const KeyBatch& batch, const Answers& found) const;
  bool has_others() const noexcept { return load_word(&has_others_) != 0; }
  void watch() noexcept;

  std::unique_ptr<Interface> body_;
  bool is_blocked_ = false;
  bool as_said_ = false;
  std::uint8_t direct_ = 0;       // calls that go to blocked()
  std::uint8_t watched_ = 0;      // calls that are looked at
  std::uint64_t has_others_ = 0;  // 1: keys that are not as is said; threads set it together
};

}  // namespace bloomery
