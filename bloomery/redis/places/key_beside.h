// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/redis/client/client.h"

namespace bloomery::redis {

// KeyProgress is told how many bytes are done, of how many.
using KeyProgress = std::function<void(std::uint64_t done, std::uint64_t all)>;

// Throws what the words of a script mean that exchanges filters: taken, type, other, short,
// strange, stranger, counts, lost; and of one that clears, gone, unlike, unsure.
[[noreturn]] void refuse_exchange(std::string_view said, const std::string& name);

// Throws what taken means, where a server says so of a filter that it was to make.
void require_none_there(const Reply& reply, const std::string& name);

// The name of a key that nobody has, beside a filter's; in a cluster it is in the same slot.
std::string name_beside(const std::string& key);

// `kMostIdle`: how many milliseconds a key beside a filter's lives without news.
inline constexpr std::string_view kMostIdle = "3600000";

// A key beside a filter's, in a cluster of the same slot, that is filled with what the filter is to
// become. It goes away with this unless it has become it, and by itself after an hour without news.
class KeyBeside {
 public:
  // `name` is the filter's place, for messages. At least one byte.
  KeyBeside(Client& client, std::string name, std::string filter_key, std::vector<std::byte> bytes);
  KeyBeside(const KeyBeside&) = delete;
  KeyBeside& operator=(const KeyBeside&) = delete;
  ~KeyBeside();

  const std::string& key() const noexcept { return next_; }
  std::uint64_t byte_count() const noexcept { return byte_count_; }
  std::uint64_t bit_count() const noexcept { return bit_count_; }  // that are set

  // Sends the bytes in chunks of at most 1 MiB, and gives them back. Called once. Throws StoreError
  // if the key is lost meanwhile.
  void send(const KeyProgress& progress);

  // Runs the script that puts this key in the filter's place, and returns the script's word.
  // `words`: "EVAL", script, keys and arguments.
  std::string run_script(std::span<const std::string_view> words);
  // Throws what the script's words mean: as above.
  [[noreturn]] void refuse(std::string_view said) const { refuse_exchange(said, name_); }
  // Notes that the key is the filter now.
  void is_done() noexcept { is_done_ = true; }

 private:
  std::span<const std::byte> piece_at(std::size_t start) const;
  void send_piece(std::size_t start);

  Client& client_;
  const std::string name_;
  const std::string filter_key_;
  std::vector<std::byte> bytes_;
  const std::uint64_t byte_count_;
  const std::uint64_t bit_count_;
  const std::string next_;
  bool is_done_ = false;
};

}  // namespace bloomery::redis
