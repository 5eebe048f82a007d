// SPDX-License-Identifier: Apache-2.0
#include "module/half_load.h"

#include <memory>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/format/redisbloom/redisbloom_cuckoo_dump.h"
#include "bloomery/format/redisbloom/redisbloom_dump.h"
#include "module/slot.h"
#include "module/stored_cuckoo.h"
#include "module/stored_filter.h"

namespace bloomery::module {
namespace {

std::uint64_t number_of(const Call& call, std::size_t word) {
  const auto number = parse_integer(call.word(word));
  if (!number || *number < 0) throw Refusal("ERR half a filter with a number that is none");
  return static_cast<std::uint64_t>(*number);
}

std::unique_ptr<StoredFilter> half_chain(const Call& call) {
  const FilterContents contents = redisbloom::decode_header(call.bytes(4));
  require_room(redisbloom::memory_bytes(contents.layers));
  std::vector<SharedWords> words;
  for (const Layer& link : contents.layers) {
    words.push_back(
        SharedWords::of(HeapWords((link.geometry.bit_count + kWordBits - 1) / kWordBits)));
  }
  return StoredFilter::of_half(contents, words, number_of(call, 5), {});
}

std::unique_ptr<StoredCuckoo> half_cuckoo(const Call& call) {
  const auto shape = redisbloom::decode_cuckoo_header(call.bytes(4));
  require_room(redisbloom::memory_bytes(shape));
  StoredCuckoo::Half half{.expected_slots = number_of(call, 5)};
  if (call.size() > 6) half.positions = redisbloom::cuckoo_positions(number_of(call, 6));
  return std::make_unique<StoredCuckoo>(redisbloom::CuckooFilter(shape), std::move(half));
}

// `of_chain` and `of_cuckoo` for whichever half the key has.
void change_half(Call& call, auto of_chain, auto of_cuckoo) {
  require_replay(call);
  Slot slot(call, kRead | kWrite);
  slot.follow([&] {
    if (auto* const chain = slot.get<StoredFilter>(); chain != nullptr && chain->is_chain()) {
      of_chain(*chain);
      slot.store_if_whole(*chain);
    } else {
      auto& cuckoo = slot.existing<StoredCuckoo>();
      of_cuckoo(cuckoo);
      slot.store_if_whole(cuckoo);
    }
    call.replicate();
  });
  call.reply_ok();
}

}  // namespace

void require_replay(const Call& call) {
  if (call.is_replay()) return;
  throw Refusal("ERR this step of BLOOM.LOAD is for append-only files and primaries alone");
}

void require_few_ranges(const Call& call, const ByteRanges& loaded) {
  constexpr std::size_t kMostRanges = 65'536;
  if (loaded.all().size() < kMostRanges || call.is_replay()) return;
  throw Refusal("ERR pieces are missing in too many places; send those that follow what has come");
}

void half_begin(Call& call) {
  require_replay(call);
  Slot slot(call, kRead | kWrite);
  slot.follow([&] {
    if (!slot.is_empty()) throw Refusal("ERR item exists");
    if (same_word(call.word(3), "bf")) {
      slot.store(half_chain(call));
    } else {
      slot.store(half_cuckoo(call));
    }
    call.replicate();
  });
  call.reply_ok();
}

void half_fill(Call& call) {
  const std::uint64_t iterator = number_of(call, 3);
  const auto bytes = call.bytes(4);
  constexpr const char* kOutside = "ERR bytes that are not of this filter";
  change_half(
      call,
      [&](StoredFilter& chain) {
        if (chain.fill(iterator, bytes) != redisbloom::ChunkLoader::Took::all) {
          throw Refusal(kOutside);
        }
      },
      [&](StoredCuckoo& cuckoo) {
        if (!cuckoo.fill(iterator, bytes)) throw Refusal(kOutside);
      });
}

void half_came(Call& call) {
  const std::uint64_t first = number_of(call, 3);
  const std::uint64_t end = number_of(call, 4);
  change_half(
      call, [&](StoredFilter& chain) { chain.came(first, end); },
      [&](StoredCuckoo& cuckoo) { cuckoo.came(first, end); });
}

void half_lost(Call& call) {
  require_replay(call);
  Slot slot(call, kRead | kWrite);
  slot.lose(std::string(call.word(3)));
  call.reply_ok();
}

}  // namespace bloomery::module
