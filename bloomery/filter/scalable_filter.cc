#include "bloomery/filter/scalable_filter.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "bloomery/errors.h"

namespace bloomery {
namespace {

// Keys that are hashed and carried from layer to layer at a time: their hashes fit the first-level
// cache.
constexpr std::size_t kChunk = 1024;

FilterOptions options_of(const FilterParameters& parameters) {
  return {.capacity = parameters.capacity,
          .false_positive_rate = parameters.false_positive_rate,
          .growth = parameters.growth};
}

Layer layer_of(const FilterParameters& parameters, std::uint64_t inserted) {
  return {parameters.geometry, parameters.capacity, parameters.false_positive_rate, inserted};
}

// Keys of a chunk that no layer has had yet: their hashes, and which keys they are.
struct Pending {
  std::array<HashPair, kChunk> hashes;
  std::array<std::uint16_t, kChunk> keys;
  std::size_t count = 0;

  std::span<const HashPair> from(std::size_t first) const noexcept {
    return {hashes.data() + first, count - first};
  }

  // Leaves out those from `first` on whose flag is set.
  void drop(std::size_t first, const bool* flags) noexcept {
    std::size_t kept = first;
    for (std::size_t i = first; i < count; ++i) {
      hashes[kept] = hashes[i];
      keys[kept] = keys[i];
      kept += flags[i - first] ? 0 : 1;
    }
    count = kept;
  }
};

}  // namespace

ScalableFilter ScalableFilter::make(FilterParameters parameters) {
  const Layer first = next_layer(options_of(parameters), {});
  parameters.geometry = first.geometry;
  return {{.parameters = parameters, .layers = {first}},
          SharedWords::of(HeapWords(first.geometry.bit_count / kWordBits))};
}

ScalableFilter::ScalableFilter(const FilterContents& contents, const SharedWords& words)
    : parameters_(contents.parameters), chain_(std::make_unique<Chain>()) {
  std::uint64_t at = 0;
  for (const Layer& each : contents.layers) {
    const std::uint64_t count = each.geometry.bit_count / kWordBits;
    append(each, words.part(at, count));
    at += count;
  }
}

void ScalableFilter::check(const FilterContents& contents) {
  const auto require = [](bool right, const std::string& what) {
    if (!right) throw FormatError("impossible chain of a scalable filter: " + what);
  };
  try {
    validate(contents.parameters.growth);
  } catch (const std::invalid_argument& error) {
    throw FormatError(error.what());
  }
  require(!contents.layers.empty() && contents.layers.size() <= kMaxLayers,
          std::to_string(contents.layers.size()) + " layers (1 to 64)");
  require(contents.layers.front().geometry == contents.parameters.geometry &&
              contents.layers.front().capacity == contents.parameters.capacity,
          "its first layer is not the one it was made with");
  double rates = 0;
  std::uint64_t inserted = 0;
  for (const Layer& each : contents.layers) {
    FilterParameters parameters = contents.parameters;
    parameters.geometry = each.geometry;
    BlockedLayout::check(parameters);
    require(each.capacity > 0 && each.false_positive_rate >= kMinRate,
            "a layer for no key, or of no rate");
    require(each.inserted <= 64 * each.geometry.bit_count,
            "more keys in a layer than bits can tell");
    rates += each.false_positive_rate;
    inserted += each.inserted;
  }
  require(rates <= contents.parameters.false_positive_rate * 1.001 + 64 * kMinRate,
          "its layers' rates are more than its own");
  require(inserted == contents.inserted, "the counts of its layers are not its own");
}

FilterParameters ScalableFilter::parameters_of(const Layer& layer) const {
  return {.kind = FilterKind::blocked,
          .hash = parameters_.hash,
          .geometry = layer.geometry,
          .capacity = layer.capacity,
          .false_positive_rate = layer.false_positive_rate};
}

void ScalableFilter::append(const Layer& layer, SharedWords words) {
  const std::size_t count = layer_count();
  chain_->layers[count] =
      std::make_unique<LayerFilter>(parameters_of(layer), std::move(words), layer.inserted);
  chain_->count.store(count + 1, std::memory_order_release);
}

void ScalableFilter::grow() {
  if (layer_count() == kMaxLayers) {
    throw std::invalid_argument("a scalable filter has at most 64 layers; begin with a larger one");
  }
  const Layer next = next_layer(options_of(parameters_), layers());
  append(next, SharedWords::of(HeapWords(next.geometry.bit_count / kWordBits)));
}

bool ScalableFilter::may_contain_hash(HashPair hash) const noexcept {
  // The newest layer has the most keys.
  for (std::size_t i = layer_count(); i-- > 0;) {
    if (layer(i).may_contain_hash(hash)) return true;
  }
  return false;
}

bool ScalableFilter::insert_hash(HashPair hash) {
  if (may_contain_hash(hash)) return false;
  if (is_full(newest())) grow();
  return newest().insert_hash(hash);
}

bool ScalableFilter::insert_hash_concurrently(HashPair hash) {
  if (may_contain_hash(hash)) return false;
  if (is_full(newest())) {
    const std::lock_guard lock(chain_->growing);
    if (is_full(newest())) grow();
  }
  return newest().insert_hash_concurrently(hash);
}

void ScalableFilter::may_contain_many(KeyBatch batch, Answers found) const noexcept {
  const std::size_t layers = layer_count();
  found.fill(batch.size(), [&](std::size_t first, std::size_t count, bool* flags) {
    std::array<HashPair, kChunk> hashes;
    std::array<bool, kChunk> hits;
    for (std::size_t done = 0; done < count; done += kChunk) {
      const std::size_t part = std::min(kChunk, count - done);
      layer(0).hash_many(batch.subbatch(first + done, part), hashes.data());
      const std::span<const HashPair> asked(hashes.data(), part);
      layer(0).may_contain_many(asked, std::span(flags + done, part));
      for (std::size_t i = 1; i < layers; ++i) {
        layer(i).may_contain_many(asked, std::span(hits.data(), part));
        for (std::size_t j = 0; j < part; ++j) flags[done + j] |= hits[j];
      }
    }
  });
}

std::size_t ScalableFilter::insert_many(KeyBatch batch, Answers was_new) {
  std::size_t added = 0;
  was_new.fill(batch.size(), [&](std::size_t first, std::size_t count, bool* flags) {
    added += insert_batch(batch.subbatch(first, count), flags);
  });
  return added;
}

std::size_t ScalableFilter::insert_batch(KeyBatch batch, bool* was_new) {
  std::size_t added = 0;
  for (std::size_t done = 0; done < batch.size(); done += kChunk) {
    const KeyBatch chunk = batch.subbatch(done, std::min(kChunk, batch.size() - done));
    added += insert_chunk(chunk, was_new == nullptr ? nullptr : was_new + done);
  }
  return added;
}

// Every key is asked of the older layers first; what none of them has goes to the newest, in order,
// as far as that has room.
std::size_t ScalableFilter::insert_chunk(KeyBatch batch, bool* was_new) {
  std::array<bool, kChunk> flags;
  Pending pending;
  pending.count = batch.size();
  layer(0).hash_many(batch, pending.hashes.data());
  for (std::size_t i = 0; i < batch.size(); ++i) pending.keys[i] = static_cast<std::uint16_t>(i);
  const auto drop_keys_of = [&](const LayerFilter& has, std::size_t first) {
    const auto asked = pending.from(first);
    has.may_contain_many(asked, std::span(flags.data(), asked.size()));
    pending.drop(first, flags.data());
  };
  for (std::size_t i = 0; i + 1 < layer_count(); ++i) drop_keys_of(layer(i), 0);

  if (was_new != nullptr) std::fill_n(was_new, batch.size(), false);
  std::size_t added = 0;
  for (std::size_t at = 0; at < pending.count;) {
    LayerFilter& to = newest();
    if (is_full(to)) {
      drop_keys_of(to, at);
      if (at < pending.count) grow();
      continue;
    }
    const auto part = pending.from(at).first(
        std::min<std::uint64_t>(pending.count - at, to.capacity() - to.inserted()));
    added += to.insert_many(part, std::span(flags.data(), part.size()));
    for (std::size_t i = 0; was_new != nullptr && i < part.size(); ++i) {
      was_new[pending.keys[at + i]] = flags[i];
    }
    at += part.size();
  }
  return added;
}

void ScalableFilter::merge(const FilterContents& other) {
  auto reason = incompatibility(parameters_, other.parameters);
  const std::vector<Layer> mine = layers();
  const auto same = [](const Layer& a, const Layer& b) { return a.geometry == b.geometry; };
  if (reason.empty() && !std::ranges::equal(mine, other.layers, same)) {
    reason = "the filters have grown differently, to " + std::to_string(mine.size()) + " and " +
             std::to_string(other.layers.size()) + " layers";
  }
  if (!reason.empty()) throw IncompatibleError("cannot merge: " + reason);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    layer(i).merge({.parameters = parameters_of(other.layers[i]),
                    .inserted = other.layers[i].inserted,
                    .words = {other.words[i]}});
  }
}

void ScalableFilter::clear() {
  layer(0).clear();
  chain_->count.store(1, std::memory_order_release);
  for (std::size_t i = 1; i < kMaxLayers; ++i) chain_->layers[i].reset();
}

std::uint64_t ScalableFilter::capacity() const noexcept {
  return sum_layers([](const LayerFilter& each) { return each.capacity(); });
}

std::uint64_t ScalableFilter::inserted() const noexcept {
  return sum_layers([](const LayerFilter& each) { return each.inserted(); });
}

std::uint64_t ScalableFilter::bit_count() const noexcept {
  return sum_layers([](const LayerFilter& each) { return each.geometry().bit_count; });
}

double ScalableFilter::fill_ratio() const noexcept {
  const double ones = sum_layers([](const LayerFilter& each) {
    return each.fill_ratio() * static_cast<double>(each.geometry().bit_count);
  });
  return ones / static_cast<double>(bit_count());
}

double ScalableFilter::cardinality() const noexcept {
  return sum_layers([](const LayerFilter& each) { return each.cardinality(); });
}

double ScalableFilter::predicted_rate() const noexcept {
  double absent = 1;
  for (std::size_t i = 0; i < layer_count(); ++i) absent *= 1 - layer(i).predicted_rate();
  return 1 - absent;
}

std::vector<Layer> ScalableFilter::layers() const {
  std::vector<Layer> all;
  for (std::size_t i = 0; i < layer_count(); ++i) {
    all.push_back(layer_of(layer(i).parameters(), layer(i).inserted()));
  }
  return all;
}

FilterContents ScalableFilter::contents() const {
  FilterContents contents{.parameters = parameters_, .layers = layers()};
  for (std::size_t i = 0; i < contents.layers.size(); ++i) {
    contents.inserted += contents.layers[i].inserted;
    contents.words.push_back(std::as_const(layer(i)).words());
  }
  return contents;
}

std::vector<Probe> ScalableFilter::probes(HashPair hash) const {
  std::vector<Probe> all;
  for (std::size_t i = 0; i < layer_count(); ++i) {
    for (Probe probe : layer(i).probes(hash)) {
      probe.layer = static_cast<std::uint32_t>(i);
      all.push_back(probe);
    }
  }
  return all;
}

}  // namespace bloomery
