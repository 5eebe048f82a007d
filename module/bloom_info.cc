// SPDX-License-Identifier: Apache-2.0
#include "module/bloom_info.h"

#include <algorithm>
#include <string_view>

#include "bloomery/filter/rates.h"
#include "bloomery/filter/windowed_layout.h"
#include "bloomery/format/kinds.h"
#include "bloomery/place/watermark_text.h"
#include "module/stored_filter.h"

namespace bloomery::module {
namespace {

// Some 2 ms of the server.
constexpr std::uint64_t kMostBytesRead = std::uint64_t{256} << 10;

struct State {
  double fill_ratio = 0;
  double cardinality = 0;
  double predicted_rate = 0;
  const char* estimated_from = "counts";
};

State read_state(const StoredFilter& filter) {
  return {filter.fill_ratio(), filter.cardinality(), filter.predicted_rate(), "bits"};
}

State sampled_state(const FilterContents& contents) {
  const FillState state = WindowedLayout(contents.parameters)
                              .fill_state_of_sample(contents.words.front(), kMostBytesRead);
  return {state.fill_ratio, state.cardinality, state.predicted_rate, "sample"};
}

// Estimates the state from the counts of all layers: no bit is read.
State expected_state(const FilterContents& contents) {
  std::vector<Layer> layers = contents.layers;
  if (layers.empty()) layers = {{contents.parameters.geometry, 0, 0, contents.inserted}};
  State state;
  double absent = 1;
  double bits = 0;
  for (const Layer& each : layers) {
    const auto keys = static_cast<double>(each.inserted);
    const auto bit_count = static_cast<double>(each.geometry.bit_count);
    state.fill_ratio += expected_fill_ratio(each.geometry, keys) * bit_count;
    state.cardinality += keys;
    absent *= 1 - predicted_rate(each.geometry, keys);
    bits += bit_count;
  }
  state.fill_ratio /= bits;
  state.predicted_rate = 1 - absent;
  return state;
}

State state_of(const StoredFilter& filter, const FilterContents& contents) {
  const Kind& kind = kind_of(contents.parameters.kind);
  if (filter.memory_bytes() <= kMostBytesRead) return read_state(filter);
  // Counts do not say what a window forgot. They do not predict the bits of other systems' filters
  // either, whose probes are their own, except for RedisBloom's chains.
  if (kind.forgets) return sampled_state(contents);
  const bool counts_say_all = !is_foreign(kind.number) || kind.has_layers;
  return counts_say_all ? expected_state(contents) : read_state(filter);
}

void reply_identity(const Call& call, const Identity& identity) {
  identity.is_set() ? call.reply_bytes(identity_text(identity)) : call.reply_null();
}

}  // namespace

void reply_watermark(const Call& call, const FileNotes& notes) {
  call.reply_array(3);
  reply_identity(call, notes.identity);
  reply_identity(call, notes.source);
  call.reply_number(notes.watermark);
}

void reply_bloom_info(const Call& call, const StoredFilter& filter) {
  const FilterContents contents = filter.contents();
  const FilterParameters& parameters = contents.parameters;
  const State state = state_of(filter, contents);
  const auto bits = static_cast<double>(contents.word_count() * kWordBits);
  const auto name = [&](const char* text) { call.reply_simple(text); };
  const auto number_or_null = [&](std::uint64_t number) {
    number == 0 ? call.reply_null() : call.reply_number(number);
  };

  call.reply_map(21);
  name("Kind");
  call.reply_bytes(kind_of(parameters.kind).name);
  name("State");
  call.reply_simple(filter.is_incomplete() ? "loading" : "ready");
  name("Capacity");
  call.reply_number(contents.capacity());
  name("Size");
  call.reply_number(filter.memory_bytes());
  name("Items inserted");
  call.reply_number(contents.inserted);
  name("Items estimated");
  call.reply_number(static_cast<std::uint64_t>(state.cardinality + 0.5));
  name("Fill ratio");
  call.reply_real(state.fill_ratio);
  name("Error rate asked");
  call.reply_real(parameters.false_positive_rate);
  name("Error rate now");
  call.reply_real(state.predicted_rate);
  name("Estimated from");
  call.reply_simple(state.estimated_from);
  name("Bits per item");
  call.reply_real(bits / static_cast<double>(std::max<std::uint64_t>(contents.capacity(), 1)));
  name("Layers");
  call.reply_number(std::max<std::size_t>(contents.layers.size(), 1));
  name("Expansion rate");
  filter.grows() ? call.reply_real(parameters.growth.expansion) : call.reply_null();
  name("Window seconds");
  number_or_null(parameters.window.length_ms / 1000);
  name("Secret");
  call.reply_number(parameters.hash.secret() ? 1 : 0);
  name("Watermark");
  call.reply_number(filter.notes().watermark);
  name("Epoch");
  call.reply_number(filter.notes().epoch);
  name("Identity");
  reply_identity(call, filter.notes().identity);
  name("Watermark source");
  reply_identity(call, filter.notes().source);
  name("Beat");
  call.reply_number(filter.notes().beat);
  name("Keys");
  // RedisBloom's bytes, which a chain is stored in, cannot say it.
  filter.is_chain() ? call.reply_null() : call.reply_bytes(form_text(parameters.keys));
}

}  // namespace bloomery::module
