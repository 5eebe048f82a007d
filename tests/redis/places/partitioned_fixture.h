// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/redis/places/native_load.h"
#include "bloomery/redis/places/partition_keys.h"
#include "bloomery/redis/places/partitioned_place.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"

namespace bloomery::redis {

inline constexpr std::uint32_t kParts = 4;

inline std::vector<std::string> texts_of(int from, int to) {
  std::vector<std::string> all;
  for (int i = from; i < to; ++i) all.push_back("k" + std::to_string(i));
  return all;
}

inline AnyFilter filter_of(int from, int to, double rate = 0.001,
                           FilterKind kind = FilterKind::blocked) {
  AnyFilter filter = make_filter(kind, {.capacity = 2000, .false_positive_rate = rate, .seed = 7});
  for (const std::string& each : texts_of(from, to)) filter.insert(Key(each));
  return filter;
}

inline std::vector<Presence> answers_to(FilterPlace& place, const std::vector<std::string>& texts,
                                        const CallContext& context = {}) {
  const std::vector<Key> keys(texts.begin(), texts.end());
  std::vector<Presence> answers(keys.size(), Presence::unknown);
  place.presence_of_many(keys, answers, context);
  return answers;
}

inline std::size_t count_of(FilterPlace& place, const std::vector<std::string>& texts,
                            Presence wanted, const CallContext& context = {}) {
  const auto answers = answers_to(place, texts, context);
  return static_cast<std::size_t>(std::ranges::count(answers, wanted));
}

inline void insert_texts(FilterPlace& place, const std::vector<std::string>& texts) {
  const std::vector<Key> keys(texts.begin(), texts.end());
  place.insert_many(keys);
}

// Starts one server for all tests; each test has it empty.
class PartitionedTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (testing::RedisServer::is_installed()) shared_ = new Shared;
  }
  static void TearDownTestSuite() {
    delete shared_;
    shared_ = nullptr;
  }
  void SetUp() override {
    if (shared_ == nullptr) GTEST_SKIP() << "no redis-server here";
    client_ = std::make_unique<Client>(parse_location(at("partitions=4")));
    ask({"FLUSHALL"});
  }

  static std::string at(const std::string& settings = "") {
    return "redis+unix://" + shared_->server.socket() + (settings.empty() ? "" : "?" + settings) +
           "#f";
  }
  static std::unique_ptr<FilterPlace> open(bool writes = true) {
    return open_native_place(at(), writes);
  }
  Reply ask(std::initializer_list<std::string_view> words) {
    const Answer answer = client_->run(Request().add(words), Repeat::never);
    return require_done(answer.replies.at(0), client_->location());
  }
  void load_keys(int from, int to, const BulkOptions& options = {}, double rate = 0.001) {
    load_native(*client_, filter_of(from, to, rate).contents(), options);
  }
  static std::string part(std::uint32_t i) { return partition_key("f", i, kParts); }

  struct Shared {
    testing::ScratchFolder folder;
    testing::RedisServer server{folder.path().string()};
  };
  static inline Shared* shared_ = nullptr;
  std::unique_ptr<Client> client_{};
};

}  // namespace bloomery::redis
