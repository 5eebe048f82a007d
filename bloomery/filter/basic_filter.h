// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bloomery/bits/bit_storage.h"
#include "bloomery/bits/bit_view.h"
#include "bloomery/bits/borrowed_words.h"
#include "bloomery/bits/heap_words.h"
#include "bloomery/errors.h"
#include "bloomery/filter/batch.h"
#include "bloomery/filter/filter_contents.h"
#include "bloomery/filter/hashes_once.h"
#include "bloomery/filter/insert.h"
#include "bloomery/filter/insert_watch.h"
#include "bloomery/filter/layout.h"
#include "bloomery/filter/parameters.h"
#include "bloomery/filter/rates.h"
#include "bloomery/filter/whole_layout.h"

namespace bloomery {

// A layout of counters: its filters can erase.
template <class L>
concept Counts = requires {
  typename L::Erased;
};

template <class Filter>
class IntegerView;

// A Bloom filter: answers "surely never inserted" or "maybe" about keys, in about a byte a key. `L`
// says which bits a key means (see layout.h), `Storage` who owns them.
//
// Const calls may run together, and insert_concurrently with them and with itself; every other call
// that changes the filter needs it alone. Inserts and questions never throw, but for batches of
// texts that own their bytes: these take memory for views of them.
template <Layout L, BitStorage Storage>
class BasicFilter {
 public:
  using LayoutType = L;
  // Over words that somebody else owns.
  static constexpr bool kIsView = std::same_as<Storage, BorrowedWords>;
  using Batch = std::conditional_t<HashesOnce<L>, KeyBatch, UnhashedBatch>;

  // Holds options.capacity keys at options.false_positive_rate; goes on beyond, at a rising rate.
  // Throws std::invalid_argument for options that are not allowed or bits that the machine's memory
  // cannot hold.
  explicit BasicFilter(const FilterOptions& options) requires std::same_as<Storage, HeapWords>
      : BasicFilter(Empty{parameters_for(L::kKind, L::geometry(options), options)}) {}

  // Takes bits that are there already. `parameters` passed L::check, and `storage` has exactly
  // their bits.
  BasicFilter(const FilterParameters& parameters, Storage storage, std::uint64_t inserted)
      : parameters_(parameters),
        layout_(parameters),
        storage_(std::move(storage)),
        inserted_(inserted),
        watch_(watch_of(parameters)) {}

  // A filter that was moved from stays a filter, of capacity 1, that says "maybe" of every key: all
  // calls may be made, and what they insert is not kept. (A filter over words that somebody else
  // owns stays as it was.)
  BasicFilter(BasicFilter&& other) noexcept
      : parameters_(std::move(other.parameters_)),
        layout_(std::move(other.layout_)),
        storage_(std::move(other.storage_)),
        inserted_(other.inserted_),
        watch_(other.watch_) {
    other.leave();
  }
  BasicFilter& operator=(BasicFilter&& other) noexcept {
    if (this == &other) return *this;
    parameters_ = std::move(other.parameters_);
    layout_ = std::move(other.layout_);
    storage_ = std::move(other.storage_);
    inserted_ = other.inserted_;
    watch_ = other.watch_;
    other.leave();
    return *this;
  }
  // No filter is copied by chance: copy() makes one with bits of its own.
  BasicFilter(const BasicFilter&) = delete;             // say .copy(), or std::move()
  BasicFilter& operator=(const BasicFilter&) = delete;  // say .copy(), or std::move()
  ~BasicFilter() = default;

  // Returns a filter of the same keys in memory of its own. Throws as the constructor and as
  // contents() do.
  auto copy() const {
    const FilterContents of = contents();
    return BasicFilter<L, HeapWords>(of.parameters, copied_words(of), of.inserted);
  }

  // True when the key is new: at least one of its bits was clear.
  //
  // Single calls are inlined: a program that is compiled for a processor (-march) then makes no
  // call at all for an integer in a blocked filter.
  [[gnu::always_inline]] bool insert(Key key) noexcept {
    watch_.look(parameters_.keys, key);
    return count(layout_.insert(storage_.words(), layout_.hash(key)));
  }
  [[gnu::always_inline]] bool insert(IntegerKey auto integer) noexcept {
    watch_.look_at_integer();
    return count(layout_.insert_integer(storage_.words(), eight_bytes(integer)));
  }
  [[gnu::always_inline]] bool insert_hash(HashPair hash) noexcept requires HashesOnce<L> {
    return count(layout_.insert(storage_.words(), hash));
  }

  // A null pointer is no text, and {} no key.
  bool insert(std::nullptr_t) = delete;
  bool may_contain(std::nullptr_t) const = delete;

  // False only for a key that was never inserted; true for every one that was, and for a few
  // others.
  [[gnu::always_inline]] bool may_contain(Key key) const noexcept {
    return layout_.may_contain(words(), layout_.hash(key));
  }
  [[gnu::always_inline]] bool may_contain(IntegerKey auto integer) const noexcept {
    return layout_.may_contain_integer(words(), eight_bytes(integer));
  }
  [[gnu::always_inline]] bool may_contain_hash(HashPair hash) const noexcept requires
      HashesOnce<L> {
    return layout_.may_contain(words(), hash);
  }

  // The pair stands for the key in this filter and all that share its hash, for as long as one
  // likes.
  HashPair hash(Key key) const noexcept requires HashesOnce<L> { return layout_.hash(key); }
  HashPair hash(IntegerKey auto integer) const noexcept requires HashesOnce<L> {
    return layout_.hash(eight_bytes(integer));
  }
  // out[i] = hash of key i.
  void hash_many(KeyBatch batch, HashPair* out) const noexcept requires HashesOnce<L> {
    batch.visit([&, this](auto keys) { layout_.hash_many(keys, out); });
  }

  // Inserts many keys, whose cache misses overlap. Returns how many were new; a key that stands
  // twice in the batch is new once.
  std::size_t insert_many(Batch batch) noexcept { return insert_batch(batch, nullptr); }
  std::size_t insert_many(KeyRange auto&& keys) { return insert_many(views_of(keys)); }
  std::size_t insert_many(std::initializer_list<Key> keys) {
    return insert_many(std::span<const Key>(keys.begin(), keys.size()));
  }
  template <IntegerKey I>
  std::size_t insert_many(std::initializer_list<I> integers) {
    return insert_many(std::span<const I>(integers.begin(), integers.size()));
  }
  std::size_t insert_many(Batch batch, Answers was_new) {
    std::size_t added = 0;
    was_new.fill(batch.size(), [&, this](std::size_t first, std::size_t count, bool* flags) {
      added += insert_batch(batch.subbatch(first, count), flags);
    });
    return added;
  }
  std::size_t insert_many(KeyRange auto&& keys, Answers was_new) {
    return insert_many(views_of(keys), was_new);
  }
  void may_contain_many(Batch batch, Answers found) const {
    found.fill(batch.size(), [&, this](std::size_t first, std::size_t count, bool* flags) {
      batch.subbatch(first, count).visit([&, this](auto keys) {
        layout_.may_contain_batch(words(), keys, flags);
      });
    });
  }

  void may_contain_many(KeyRange auto&& keys, Answers found) const {
    may_contain_many(views_of(keys), found);
  }

  // A view for loops of single calls on integers: see IntegerView, whose header who calls this
  // includes (blocked_filter.h does).
  auto integers() & noexcept requires requires(const L& l) { l.one_step(); }
  {
    watch_.look_at_integer();
    return IntegerView<BasicFilter>(*this);
  }
  auto integers() const& noexcept requires requires(const L& l) { l.one_step(); }
  { return IntegerView<const BasicFilter>(*this); }
  void integers() && = delete;  // of a filter that is gone when it is asked
  // Returns loop(view): the calls are chosen once, before the loop.
  template <class Loop>
  auto integers(Loop&& loop) requires requires(const L& l) {
    l.one_step();
  }
  {
    watch_.look_at_integer();
    return IntegerView<BasicFilter>::run(*this, loop);
  }
  template <class Loop>
  auto integers(Loop&& loop) const requires requires(const L& l) {
    l.one_step();
  }
  { return IntegerView<const BasicFilter>::run(*this, loop); }

  // Inserts in a way of the caller's: change(words) sets bits of keys and returns how many of the
  // keys were new.
  template <class Change>
  std::size_t change_words(Change change) {
    const std::size_t added = change(storage_.words());
    inserted_ += added;
    return added;
  }

  // Inserts a key as insert() does, from any number of threads at once; no bit is lost. If threads
  // insert one new key together, more than one of the calls may return true.
  bool insert_concurrently(Key key) noexcept {
    watch_.look(parameters_.keys, key);
    return insert_hashed_concurrently(layout_.hash(key));
  }
  bool insert_concurrently(IntegerKey auto integer) noexcept {
    watch_.look_at_integer_of_many();
    return insert_hashed_concurrently(layout_.hash(eight_bytes(integer)));
  }
  bool insert_hash_concurrently(HashPair hash) noexcept requires HashesOnce<L> {
    return insert_hashed_concurrently(hash);
  }

  // Takes out one insert of the key. False, and nothing changes, for a key that is not there. Only
  // for keys that were inserted: one that is there by chance takes others with it. True, and
  // nothing changes, for one that was inserted 15 times or more, which is more than its counters
  // count: it stays for ever, and try_erase() says so.
  bool erase(Key key) noexcept requires Counts<L> { return erase_hash(layout_.hash(key)); }
  bool erase(IntegerKey auto integer) noexcept requires Counts<L> {
    return erase_hash(layout_.hash(eight_bytes(integer)));
  }
  bool erase_hash(HashPair hash) noexcept requires Counts<L> {
    return try_erase_hash(hash) != Erase::absent;
  }
  Erase try_erase(Key key) noexcept requires Counts<L> { return try_erase_hash(layout_.hash(key)); }
  Erase try_erase(IntegerKey auto integer) noexcept requires Counts<L> {
    return try_erase_hash(layout_.hash(eight_bytes(integer)));
  }
  Erase try_erase_hash(HashPair hash) noexcept requires Counts<L> {
    using Erased = typename L::Erased;
    const Erased erased = layout_.erase(storage_.words(), hash);
    if (erased == Erased::last && inserted_ > 0) --inserted_;
    if (erased == Erased::saturated) return Erase::saturated;
    return erased == Erased::absent ? Erase::absent : Erase::erased;
  }

  // How often the key was inserted and not erased, up to 15, which stands for 15 or more. Never
  // less; more with the chance of a false positive.
  std::uint64_t estimate_count(Key key) const noexcept requires Counts<L> {
    return layout_.estimate_count(words(), layout_.hash(key));
  }
  std::uint64_t estimate_count(IntegerKey auto integer) const noexcept requires Counts<L> {
    return layout_.estimate_count(words(), layout_.hash(eight_bytes(integer)));
  }

  // Returns a filter of bits that answers the same, in a quarter of the memory. Throws as copy()
  // does.
  auto plain() const requires Counts<L> {
    FilterParameters parameters = contents().parameters;
    parameters.kind = L::Plain::kKind;
    HeapWords bits(L::Plain::word_count(parameters));
    const BitView occupied = this->bits();
    for (std::size_t i = 0; i < occupied.size(); ++i) bits.words()[i] = occupied[i];
    return BasicFilter<typename L::Plain, HeapWords>(parameters, std::move(bits), inserted_);
  }

  // Afterwards holds the keys of both. Throws IncompatibleError unless kind, geometry and hash
  // agree, and for kinds that do not merge; and std::invalid_argument for contents without their
  // words, as inspect() gives them, and where contents() throws it of this filter.
  template <BitStorage Other>
  void merge(const BasicFilter<L, Other>& other) {
    merge(other.contents());
  }
  void merge(const FilterContents& other) {
    if (const auto reason = merge_problem(contents().parameters, other.parameters);
        !reason.empty()) {
      throw IncompatibleError("cannot merge: " + reason);
    }
    if (other.words.size() != 1 || other.words.front().size() != words().size()) {
      throw std::invalid_argument("cannot merge: these are not all words of the filter");
    }
    layout_.merge(storage_.words(), other.words.front());
    set_keys(form_of_both(keys(), other.parameters.keys));
    // Keys in both were counted twice: what the bits say is nearer.
    const auto low = std::max(inserted_, other.inserted);
    const auto estimate = static_cast<std::uint64_t>(std::llround(cardinality()));
    inserted_ = std::clamp(estimate, low, inserted_ + other.inserted);
  }

  void clear() noexcept {
    std::ranges::fill(storage_.words(), 0);
    inserted_ = 0;
  }

  const FilterParameters& parameters() const noexcept { return parameters_; }
  // The form of its keys: that which it was made with, or unknown once keys of another one came.
  KeyForm keys() const noexcept { return watch_.form(parameters_.keys); }
  // Sets the form of keys that the filter records; no bit changes.
  void set_keys(const KeyForm& keys) noexcept {
    parameters_.keys = keys;
    watch_.say(parameters_);
  }
  std::uint64_t capacity() const noexcept { return parameters_.capacity; }
  const Geometry& geometry() const noexcept { return parameters_.geometry; }
  std::span<const std::uint64_t> words() const noexcept { return storage_.words(); }
  BitView bits() const noexcept requires(!SeveralPlaces<L>) { return layout_.bits(words()); }
  // All that a file holds of a filter, or another filter takes of it. Throws std::invalid_argument
  // if no form of keys that a file can say is that of its keys: one was made with a form such as
  // i32, and integers of eight bytes came in.
  FilterContents contents() const {
    watch_.require_sayable(parameters_.keys);
    FilterContents contents{parameters_, inserted(), {}, {words()}};
    contents.parameters.keys = keys();
    return contents;
  }
  const Storage& storage() const noexcept { return storage_; }
  Storage& storage() noexcept { return storage_; }

  // Inserts that were new when they were made: at most the number of distinct keys. After a merge
  // it is what the bits say, about.
  std::uint64_t inserted() const noexcept { return load_word(&inserted_); }

  // fill_ratio, cardinality and predicted_rate read every bit. fill_ratio: share of bits set.
  // cardinality: estimated number of distinct keys. predicted_rate: chance that an absent key is
  // answered "maybe" now, from the bits as they are.
  double fill_ratio() const noexcept {
    if constexpr (KnowsItsState<L>) {
      return layout_.fill_state(words()).fill_ratio;
    } else {
      return static_cast<double>(bits().count_ones()) / static_cast<double>(geometry().bit_count);
    }
  }
  double cardinality() const noexcept {
    if constexpr (KnowsItsState<L>) {
      return layout_.fill_state(words()).cardinality;
    } else {
      return estimate_cardinality(geometry(), bits().count_ones());
    }
  }
  double predicted_rate() const {
    if constexpr (requires { layout_.rate_now(words()); }) {
      return layout_.rate_now(words());
    } else if constexpr (KnowsItsState<L>) {
      return layout_.fill_state(words()).predicted_rate;
    } else {
      return current_rate(geometry(), bits());
    }
  }

  // The bits that a key means, for explanations.
  std::vector<std::uint64_t> positions(Key key) const {
    return layout_.positions(layout_.hash(key));
  }
  std::vector<std::uint64_t> positions(HashPair hash) const requires HashesOnce<L> {
    return layout_.positions(hash);
  }
  std::vector<Probe> probes(Key key) const { return layout_.probes(words(), layout_.hash(key)); }
  std::vector<Probe> probes(HashPair hash) const requires HashesOnce<L> {
    return layout_.probes(words(), hash);
  }

 private:
  template <class Filter>
  friend class IntegerView;
  template <class Filter, class Calls>
  friend class FoldedView;
  const L& layout() const noexcept { return layout_; }
  auto view_words() noexcept { return storage_.words(); }
  auto view_words() const noexcept { return words(); }
  void end_view(std::uint64_t added, bool reads_bits) noexcept {
    inserted_ += added;
    if (!reads_bits) return;
    inserted_ = std::max(inserted_, static_cast<std::uint64_t>(std::llround(cardinality())));
  }

  struct Empty {
    FilterParameters parameters;
  };
  explicit BasicFilter(const Empty& of)
      : BasicFilter(of.parameters, HeapWords(L::word_count(of.parameters)), 0) {}

  // Makes what was moved from a small filter that is full.
  void leave() noexcept {
    if constexpr (!kIsView) {
      parameters_.geometry.bit_count = kLeftBits;
      parameters_.capacity = 1;
      inserted_ = 1;
      storage_.leave(L::word_count(parameters_));
      try {
        layout_ = WholeLayout<L>(parameters_);
      } catch (const std::bad_alloc&) {
        // A windowed one then has no locks for inserts by several threads.
      }
    }
  }

  // A filter over words of its own is what a program made. AnyFilter, which has the others, looks
  // at its calls itself.
  static InsertWatch watch_of(const FilterParameters& parameters) noexcept {
    return std::same_as<Storage, HeapWords> ? InsertWatch(parameters) : InsertWatch();
  }
  [[gnu::always_inline]] bool count(bool is_new) noexcept {
    inserted_ += is_new ? 1 : 0;
    return is_new;
  }
  bool insert_hashed_concurrently(Hashed<L> hashed) noexcept {
    const bool is_new = layout_.insert_concurrently(storage_.words(), hashed);
    if (is_new) std::atomic_ref(inserted_).fetch_add(1, std::memory_order_relaxed);
    return is_new;
  }
  std::size_t insert_batch(Batch batch, bool* was_new) noexcept {
    watch_.look_at_batch(parameters_.keys, batch);
    const std::size_t added = batch.visit(
        [&, this](auto keys) { return layout_.insert_batch(storage_.words(), keys, was_new); });
    inserted_ += added;
    return added;
  }

  FilterParameters parameters_;
  WholeLayout<L> layout_;
  Storage storage_;
  std::uint64_t inserted_ = 0;
  InsertWatch watch_;
};

}  // namespace bloomery
