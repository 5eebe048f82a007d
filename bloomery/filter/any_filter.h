#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/filter/basic_filter.h"

namespace bloomery {

// A filter whose kind is known only at run time: opened from a file, or chosen on a command line.
// Costs one virtual call a batch. The calls are those of BasicFilter, where their meaning, errors
// and thread-safety stand.
class AnyFilter {
 public:
  template <Layout L, BitStorage Storage>
  explicit AnyFilter(BasicFilter<L, Storage> filter)
      : body_(std::make_unique<Body<L, Storage>>(std::move(filter))) {}

  bool insert(Key key) noexcept { return body_->insert_many({&key, 1}, nullptr) != 0; }
  bool may_contain(Key key) const noexcept {
    bool found = false;
    body_->may_contain_many({&key, 1}, &found);
    return found;
  }
  std::size_t insert_many(std::span<const Key> keys) noexcept {
    return body_->insert_many(keys, nullptr);
  }
  std::size_t insert_many(std::span<const Key> keys, std::span<bool> was_new) noexcept {
    return body_->insert_many(keys, was_new.data());
  }
  void may_contain_many(std::span<const Key> keys, std::span<bool> found) const noexcept {
    body_->may_contain_many(keys, found.data());
  }
  bool insert_concurrently(Key key) noexcept { return body_->insert_concurrently(key); }

  void merge(const AnyFilter& other) {
    body_->merge_bits(other.parameters(), other.words(), other.inserted());
  }
  void clear() noexcept { body_->clear(); }

  const FilterParameters& parameters() const noexcept { return body_->parameters(); }
  const Geometry& geometry() const noexcept { return parameters().geometry; }
  std::uint64_t capacity() const noexcept { return parameters().capacity; }
  std::span<const std::uint64_t> words() const noexcept { return body_->words(); }
  std::uint64_t inserted() const noexcept { return body_->inserted(); }
  double fill_ratio() const noexcept { return body_->fill_ratio(); }
  double cardinality() const noexcept { return body_->cardinality(); }
  double predicted_rate() const noexcept { return body_->predicted_rate(); }

  HashPair hash(Key key) const noexcept { return body_->hash(key); }
  std::vector<std::uint64_t> positions(HashPair hash) const { return body_->positions(hash); }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual std::size_t insert_many(std::span<const Key> keys, bool* was_new) noexcept = 0;
    virtual void may_contain_many(std::span<const Key> keys, bool* found) const noexcept = 0;
    virtual bool insert_concurrently(Key key) noexcept = 0;
    virtual void merge_bits(const FilterParameters& parameters, std::span<const std::uint64_t> bits,
                            std::uint64_t inserted) = 0;
    virtual void clear() noexcept = 0;
    virtual const FilterParameters& parameters() const noexcept = 0;
    virtual std::span<const std::uint64_t> words() const noexcept = 0;
    virtual std::uint64_t inserted() const noexcept = 0;
    virtual double fill_ratio() const noexcept = 0;
    virtual double cardinality() const noexcept = 0;
    virtual double predicted_rate() const noexcept = 0;
    virtual HashPair hash(Key key) const noexcept = 0;
    virtual std::vector<std::uint64_t> positions(HashPair hash) const = 0;
  };

  template <Layout L, BitStorage Storage>
  struct Body final : Interface {
    explicit Body(BasicFilter<L, Storage> f) : filter(std::move(f)) {}

    std::size_t insert_many(std::span<const Key> keys, bool* was_new) noexcept override {
      return was_new == nullptr ? filter.insert_many(keys)
                                : filter.insert_many(keys, {was_new, keys.size()});
    }
    void may_contain_many(std::span<const Key> keys, bool* found) const noexcept override {
      filter.may_contain_many(keys, {found, keys.size()});
    }
    bool insert_concurrently(Key key) noexcept override { return filter.insert_concurrently(key); }
    void merge_bits(const FilterParameters& parameters, std::span<const std::uint64_t> bits,
                    std::uint64_t inserted) override {
      filter.merge_bits(parameters, bits, inserted);
    }
    void clear() noexcept override { filter.clear(); }
    const FilterParameters& parameters() const noexcept override { return filter.parameters(); }
    std::span<const std::uint64_t> words() const noexcept override { return filter.words(); }
    std::uint64_t inserted() const noexcept override { return filter.inserted(); }
    double fill_ratio() const noexcept override { return filter.fill_ratio(); }
    double cardinality() const noexcept override { return filter.cardinality(); }
    double predicted_rate() const noexcept override { return filter.predicted_rate(); }
    HashPair hash(Key key) const noexcept override { return filter.hash(key); }
    std::vector<std::uint64_t> positions(HashPair hash) const override {
      return filter.positions(hash);
    }

    BasicFilter<L, Storage> filter;
  };

  std::unique_ptr<Interface> body_;
};

}  // namespace bloomery
