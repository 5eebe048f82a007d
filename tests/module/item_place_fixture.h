// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bloomery/redis/places/item_keys.h"
#include "bloomery/redis/places/item_place.h"
#include "tests/module/server_client.h"

namespace bloomery {

using redis::Dialect;
using testing::ModuleServer;
using testing::ModuleTest;

class ItemPlaces : public ModuleTest {
 protected:
  void SetUp() override {
    ModuleTest::SetUp();
    if (IsSkipped()) return;
    server_ = std::make_unique<ModuleServer>(folder());
  }
  std::string at(const std::string& settings = "") const {
    return "redis+unix://" + server_->socket() + settings + "#f";
  }
  std::unique_ptr<FilterPlace> open(Dialect dialect, const std::string& settings = "") const {
    return redis::open_item_place(dialect, at(settings), true, false);
  }
  void create() const {
    redis::Client client(redis::parse_location(at()));
    redis::create_items(client, 1'000, 0.001);
  }

  std::unique_ptr<ModuleServer> server_{};
};

inline std::vector<Presence> answers_about(FilterPlace& place, const std::vector<Key>& keys) {
  std::vector<Presence> answers(keys.size(), Presence::unknown);
  place.presence_of_many(keys, answers);
  return answers;
}

}  // namespace bloomery
