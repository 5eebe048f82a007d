// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/hash/key.h"
#include "bloomery/place/filter_place.h"
#include "bloomery/redis/client/client.h"

namespace bloomery::redis {

// A filter of BF.* with markers that is filled under a key beside its own, in a cluster of the same
// slot, and takes its place at one moment: whoever asks meanwhile sees the old filter, or none, or
// the new one with all its keys. What is not finished goes away with this, and by itself after an
// hour without news.
class ItemLoad {
 public:
  // Reserves it. `discards`: a filter that is there is thrown away in the end, with what others add
  // until then; its time to live stays. Throws as Client::run does, std::invalid_argument for
  // settings of the location, and StoreError for a key that a cluster cannot exchange so.
  ItemLoad(Location location, std::uint64_t capacity, double rate, bool discards);
  ~ItemLoad();
  ItemLoad(const ItemLoad&) = delete;
  ItemLoad& operator=(const ItemLoad&) = delete;

  // Throws StoreError where a key does not go in, or where it is not known how many did.
  void insert_many(std::span<const Key> keys);

  // Puts the items in their place. Called once. Throws StoreError where items were lost on the way,
  // where a filter is there that is not to be thrown away, or something else.
  void finish();

 private:
  ItemLoad(Location location, bool discards);
  Answer run(std::initializer_list<std::string_view> words);
  void require_one_slot();
  void keep_alive();

  const std::string name_;
  Client client_;
  const bool discards_;
  const std::string next_;
  const std::string token_;
  std::unique_ptr<FilterPlace> place_{};
  std::vector<Inserted> outcomes_{};
  std::uint64_t item_count_ = 0;
  bool is_done_ = false;
};

}  // namespace bloomery::redis
