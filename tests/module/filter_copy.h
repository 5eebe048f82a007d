// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/bits/byte_order.h"
#include "bloomery/bits/heap_words.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/native/file_header.h"
#include "tests/support/resp_client.h"

namespace bloomery::testing {

// A copy of a filter of a server with the module, by BLOOM.READ and BLOOM.DELTA, as the plainest
// program would make it.
class FilterCopy {
 public:
  FilterCopy(Client& client, std::string key, std::size_t piece_bytes = 1 << 20)
      : client_(client), key_(std::move(key)), piece_bytes_(piece_bytes) {}

  // Throws std::runtime_error for an answer that is none.
  void read_whole() {
    while (!try_read_whole()) continue;
  }
  // False where the pieces are not of one ring.
  bool try_read_whole() {
    std::string bytes;
    std::size_t all = 1;
    for (bool first = true; bytes.size() < all; first = false) {
      const Reply reply = client_.call(
          {"BLOOM.READ", key_, std::to_string(bytes.size()), std::to_string(piece_bytes_)});
      require(reply);
      const std::size_t total = std::stoul(reply.items[2].line.substr(1));
      if (first) {
        name = reply.items[0].text;
        sequence = reply.items[1].line.substr(1);
        all = total;
      }
      if (reply.items[0].text != name || total != all) return false;
      bytes += reply.items[3].text;
    }
    take(bytes);
    return true;
  }

  std::vector<std::string> question(const std::string& block_ms = {}) const {
    std::vector<std::string> words{"BLOOM.DELTA", key_, "SINCE", name, sequence};
    if (!block_ms.empty()) words.insert(words.end(), {"BLOCK", block_ms});
    return words;
  }
  // Takes an answer. Returns "WHOLE", "more" or "all".
  std::string take_delta(const Reply& reply) {
    if (reply.line == "+WHOLE") return "WHOLE";
    require(reply);
    if (reply.items[0].text != name) throw std::runtime_error("another ring: " + reply.shown());
    const std::string& bytes = reply.items[2].text;
    std::vector<HashPair> pairs(bytes.size() / sizeof(HashPair));
    if (!pairs.empty()) std::memcpy(pairs.data(), bytes.data(), bytes.size());
    taken += pairs.size();
    ++answers;
    if (!pairs.empty()) filter->insert_many(std::span<const HashPair>(pairs));
    sequence = reply.items[1].line.substr(1);
    if (reply.items[3].line == "$-1") return "more";
    watermark = reply.items[3].shown();
    return "all";
  }
  // Asks until it has all; returns the last word.
  std::string follow() {
    for (;;) {
      const std::string last = take_delta(client_.call(question()));
      if (last != "more") return last;
    }
  }

  // Returns whether the copy's bits are those of the server's filter now.
  bool is_equal_to_server() {
    FilterCopy other(client_, key_);
    other.read_whole();
    const auto mine = filter->contents();
    const auto theirs = other.filter->contents();
    return mine.words.size() == theirs.words.size() &&
           std::ranges::equal(mine.words, theirs.words,
                              [](auto a, auto b) { return std::ranges::equal(a, b); });
  }

  std::string name;
  std::string sequence;
  std::string watermark;
  std::optional<AnyFilter> filter;
  std::size_t taken = 0;
  std::size_t answers = 0;

 private:
  static void require(const Reply& reply) {
    if (reply.items.size() != 4) throw std::runtime_error("not a piece: " + reply.shown());
  }
  void take(const std::string& bytes) {
    const auto all = std::as_bytes(std::span(bytes));
    const auto layout = FileLayout::of(get_number<std::uint16_t>(all, kFieldBytesAt),
                                       get_number<std::uint64_t>(all, kBodyBitsAt));
    const FileHeader header = decode_head(
        all.first(std::min<std::size_t>(all.size(), layout.body_offset)), layout.file_bytes);
    if (all.size() != layout.table_offset) throw std::runtime_error("another length");
    HeapWords words(layout.body_bytes / 8);
    std::memcpy(words.words().data(), bytes.data() + layout.body_offset, layout.body_bytes);
    filter.emplace(open_any(header.contents, std::move(words)));
  }

  Client& client_;
  std::string key_;
  std::size_t piece_bytes_;
};

}  // namespace bloomery::testing
