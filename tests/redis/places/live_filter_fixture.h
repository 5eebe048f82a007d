// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/format/redisson.h"
#include "bloomery/redis/places/bitmap_place.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"

namespace bloomery::redis {

using testing::RedisServer;

// A server with other systems' filters.
class LiveFilter : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    server_ = std::make_unique<RedisServer>(folder_.path().string());
    client_ = std::make_unique<Client>(parse_location(at("any")));
  }

  std::string at(const std::string& key, const std::string& settings = "") const {
    return "redis+unix://" + server_->socket() + settings + "#" + key;
  }
  std::unique_ptr<FilterPlace> open(const std::string& format, const std::string& key,
                                    const std::string& settings = "", bool writes = true) const {
    const std::string trusting = settings.empty() ? "?trust=bits" : settings + "&trust=bits";
    return open_bitmap_place(*find_format(format), at(key, trusting), writes);
  }
  Reply ask(std::initializer_list<std::string_view> words) {
    const Answer answer = client_->run(Request().add(words), Repeat::never);
    return require_done(answer.replies.at(0), client_->location());
  }

  // Makes the configuration that tryInit makes.
  void init_redisson(const std::string& key, const std::string& size = "9585",
                     const std::string& iterations = "7") {
    ask({"HSET", redisson::config_key(key), "size", size, "hashIterations", iterations,
         "expectedInsertions", "1000", "falseProbability", "0.01"});
  }
  int calls(const std::string& command) {
    const std::string info = ask({"INFO", "commandstats"}).text;
    const std::string name = "cmdstat_" + command + ":calls=";
    const std::size_t found = info.find(name);
    return found == std::string::npos ? 0 : std::stoi(info.substr(found + name.size()));
  }

  testing::ScratchFolder folder_;
  std::unique_ptr<RedisServer> server_{};
  std::unique_ptr<Client> client_{};
};

inline std::vector<Presence> answers_of(FilterPlace& place, const std::vector<std::string>& texts) {
  const std::vector<Key> keys(texts.begin(), texts.end());
  std::vector<Presence> answers(keys.size(), Presence::unknown);
  place.presence_of_many(keys, answers);
  return answers;
}

}  // namespace bloomery::redis
