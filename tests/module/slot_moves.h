// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/module/cluster_nodes.h"
#include "tests/module/filters_under_test.h"
#include "tests/module/load_adds.h"
#include "tests/module/slot_move.h"

namespace bloomery::testing {

// Adds the items 0, 1, 2 and on to filters of a slot, wherever that is, until it is stopped.
class SlotWriter {
 public:
  SlotWriter(const std::vector<Node>& nodes, const std::vector<FilterUnderTest>& filters)
      : filters_(filters), client_(nodes), thread_([this] { run(); }) {}
  ~SlotWriter() { stop(); }

  // All of these items are in.
  int stop() {
    stops_ = true;
    if (thread_.joinable()) thread_.join();
    return added_;
  }
  bool adds_more(int count = 50) {
    const int before = added_;
    return comes_true([&] { return added_ > before + count; });
  }
  // How many the server called new; after stop().
  std::uint64_t new_in(const std::string& key) const { return new_.at(key); }

 private:
  void run() {
    for (int i = 0; !stops_; added_ = ++i) {
      // Filters are to stay small however long moves take.
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      for (const auto& each : filters_) {
        const std::string reply = add(each, i);
        if (reply[0] == '-') ADD_FAILURE() << each.key << " " << reply;
        new_[each.key] += reply == ":1" ? 1 : 0;
      }
    }
  }
  // Some by a script, which servers replicate in ways of their own.
  std::string add(const FilterUnderTest& filter, int i) {
    const std::string item = std::to_string(i);
    if (i % 7 != 0) return client_.call({filter.add, filter.key, item}).line;
    return client_
        .call({"EVAL", "return redis.call('" + filter.add + "', KEYS[1], ARGV[1])", "1", filter.key,
               item})
        .line;
  }

  std::vector<FilterUnderTest> filters_;
  ClusterClient client_;
  std::atomic<bool> stops_ = false;
  std::atomic<int> added_ = 0;
  std::map<std::string, std::uint64_t> new_{};
  std::thread thread_;  // last: it uses the others
};

// Filters of every kind, and half of some, in a slot of a cluster of two primaries.
class SlotMoves : public ClusterTest {
 protected:
  static constexpr int kHalf = 700;  // items of what is loaded by halves

  // Node 0 has the slot of {a} then. Skips where the server moves no slots, or not `only` so.
  void start_with_filters(const std::vector<std::string>& options = {},
                          SlotMove::Way only = SlotMove::Way::none) {
    {
      ModuleServer any(folder("any"));
      way_ = SlotMove::way_of(any);
    }
    const bool is_other = only != SlotMove::Way::none && way_ != only;
    if (way_ == SlotMove::Way::none || is_other)
      GTEST_SKIP() << "this server moves no slot at once, or in another way";
    ASSERT_TRUE(start(2, options));
    slot_ = slot_of("{a}");
    if (std::stoul(slot_) >= 8192) std::swap(nodes_[0], nodes_[1]);
    Client& client = nodes_[0].server->client;
    filters_ = one_of_each(client, "{a}");
    for (const char* const options_of :
         {"window 0.001 50000 WINDOW 3600", "secret 0.001 100 SECRET",
          "counting 0.01 200000 COUNTING", "expires 0.001 100 EX 3000"}) {
      const std::string words = options_of;
      EXPECT_EQ(client.ask("BLOOM.RESERVE {a}" + words), "+OK");
      filters_.push_back({"{a}" + words.substr(0, words.find(' ')), "BLOOM.ADD", "BF.EXISTS"});
    }
    for (const char* const name : {"BF", "CF"}) load_half(client, name);
    // A load to a key without a filter, and one over a filter.
    EXPECT_EQ(client.ask("BF.ADD {a}over old"), ":1");
    bytes_ = bytes_of_new(FilterKind::blocked);
    for (const char* const key : {"{a}loading", "{a}over"}) {
      client.ask("BLOOM.LOAD " + std::string(key) + " BEGIN " + std::to_string(bytes_.size()));
      client.call({"BLOOM.LOAD", key, "AT", "0", bytes_.substr(0, bytes_.size() / 2)});
      filters_.push_back({key, "BF.ADD", "BF.EXISTS"});
    }
  }
  // Expects that the owner of the slot has each item up to `count` of all filters, also of half
  // loads.
  void expect_all(std::size_t owner, int count) {
    Client& there = nodes_[owner].server->client;
    for (const auto& each : filters_) {
      EXPECT_EQ(lost_items(there, each, count), 0) << each.key << " of " << count;
    }
    for (const char* const name : {"BF", "CF"}) expect_half(there, name);
  }
  // Ends the loads, and finds what they brought and what was added meanwhile.
  void expect_loads_end_well(std::size_t owner, int count, bool moved = true) {
    Client& there = nodes_[owner].server->client;
    for (const char* const name : {"BF", "CF"}) {
      const std::string key = std::string("{a}half") + name;
      for (std::size_t i = 1; i < pieces_[name].size(); ++i) {
        const auto& [at, piece] = pieces_[name][i];
        EXPECT_EQ(there.call({std::string(name) + ".LOADCHUNK", key, at, piece}).shown(), "+OK");
      }
      EXPECT_EQ(lost_items(there, {key, "", std::string(name) + ".EXISTS"}, kHalf), 0) << key;
    }
    for (const std::string key : {"{a}loading", "{a}over"}) {
      const std::string half = std::to_string(bytes_.size() / 2);
      there.call({"BLOOM.LOAD", key, "AT", half, bytes_.substr(bytes_.size() / 2)});
      const std::string ended = there.ask("BLOOM.LOAD " + key + " COMMIT");
      if (moved && way_ == SlotMove::Way::redis && key == "{a}over") {
        EXPECT_EQ(ended.substr(0, 55), "-ERR this load moved from server to server, and items m");
      } else {
        EXPECT_EQ(ended, "+OK") << key;
        EXPECT_EQ(there.ask("BLOOM.CHECK " + key + " scanned"), "*1 :1");
      }
      EXPECT_EQ(lost_items(there, {key, "", "BF.EXISTS"}, count), 0) << key;
    }
  }
  // The bytes of every key of the slot, and when it expires. A load's clock begins anew where its
  // steps come from a file.
  std::string all_of_slot(std::size_t node, bool with_expiry = true) {
    ModuleServer& server = *nodes_[node].server;
    std::vector<std::string> lines;
    for (const Reply& key : server.ask_reply("CLUSTER GETKEYSINSLOT " + slot_ + " 100").items) {
      lines.push_back(key.text + " " + server.call({"DEBUG", "DIGEST-VALUE", key.text}).shown() +
                      " " + server.call({"BF.CARD", key.text}).shown());
      if (with_expiry) lines.back() += " " + server.call({"PEXPIRETIME", key.text}).shown();
    }
    std::ranges::sort(lines);
    std::string all;
    for (const std::string& each : lines) all += each + "\n";
    return all;
  }
  // Holds each key of a move back for so long, at the node that gives it.
  void slow_down(std::size_t node, int microseconds) {
    EXPECT_EQ(
        nodes_[node].server->ask("CONFIG SET rdb-key-save-delay " + std::to_string(microseconds)),
        "+OK");
  }

  std::string slot_;
  SlotMove::Way way_ = SlotMove::Way::none;
  std::vector<FilterUnderTest> filters_;

 private:
  void load_half(Client& client, const std::string& name) {
    if (name == "CF") client.ask("CF.RESERVE {a}whole 64 EXPANSION 2");
    std::vector<std::string> words{name + ".INSERT", "{a}whole", "ITEMS"};
    for (int i = 0; i < kHalf; ++i) words.push_back(std::to_string(i));
    client.call(words);
    for (std::string at = "0";;) {
      const Reply piece = client.call({name + ".SCANDUMP", "{a}whole", at});
      at = piece.items[0].line.substr(1);
      if (at == "0") break;
      pieces_[name].emplace_back(at, piece.items[1].text);
    }
    client.ask("DEL {a}whole");
    const auto& [at, header] = pieces_[name][0];
    EXPECT_EQ(client.call({name + ".LOADCHUNK", "{a}half" + name, at, header}).shown(), "+OK");
  }
  static void expect_half(Client& there, const std::string& name) {
    EXPECT_EQ(there.ask(name + ".EXISTS {a}half" + name + " 1"),
              "-NOTREADY the filter is still being loaded");
  }

  std::map<std::string, std::vector<std::pair<std::string, std::string>>> pieces_;
  std::string bytes_;
};

}  // namespace bloomery::testing
