// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/redis/places/native_load.h"
#include "bloomery/redis/places/native_place.h"
#include "tests/redis/places/native_server_fixture.h"

namespace bloomery::redis {

class NativeTest : public NativeServerTest {
 protected:
  static std::unique_ptr<FilterPlace> open(bool writes = true) {
    return open_native_place(at(), writes);
  }
  void load_keys(int from, int to, const BulkOptions& options = {}, double rate = 0.001,
                 FilterKind kind = FilterKind::blocked) {
    AnyFilter filter =
        make_filter(kind, {.capacity = 1000, .false_positive_rate = rate, .seed = 7});
    for (int i = from; i < to; ++i) filter.insert(Key("k" + std::to_string(i)));
    load_native(*client_, filter.contents(), options);
  }
};

inline std::vector<std::string> names(int from, int to) {
  std::vector<std::string> all;
  for (int i = from; i < to; ++i) all.push_back("k" + std::to_string(i));
  return all;
}

inline std::size_t count(FilterPlace& place, const std::vector<std::string>& texts, Presence wanted,
                         const CallContext& context = {}) {
  const std::vector<Key> keys(texts.begin(), texts.end());
  std::vector<Presence> answers(keys.size(), Presence::unknown);
  place.presence_of_many(keys, answers, context);
  return static_cast<std::size_t>(std::ranges::count(answers, wanted));
}

inline void insert(FilterPlace& place, const std::vector<std::string>& texts) {
  const std::vector<Key> keys(texts.begin(), texts.end());
  place.insert_many(keys);
}

}  // namespace bloomery::redis
