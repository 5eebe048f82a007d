// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::redis {

// Commands that travel in one trip, as bytes of the protocol. In a cluster all their keys are of
// one slot, or, where it says so, of one node as far as is known.
class Request {
 public:
  // The commands that a server does or refuses as a whole: a single one, or all from MULTI to EXEC.
  struct Unit {
    std::size_t byte_count = 0;
    std::size_t size = 0;  // as many replies come
  };

  Request& add(std::span<const std::string_view> words);
  Request& add(std::initializer_list<std::string_view> words) {
    return add(std::span(words.begin(), words.size()));
  }
  // A key that it is about, where that is another than the location's: who has it, is asked.
  Request& about(std::string_view key) {
    key_ = key;
    return *this;
  }

  // Returns whether any of its commands may change something: goes through all of them. A script
  // counts as one that does, unless reads_only() says otherwise.
  bool changes() const;
  Request& reads_only() {
    reads_only_ = true;
    return *this;
  }

  // Nobody follows where single ones of its commands are sent: the caller asks for those anew.
  Request& of_several_slots() {
    has_several_slots_ = true;
    return *this;
  }
  bool has_several_slots() const noexcept { return has_several_slots_; }

  // The number of commands, and of the replies that come.
  std::size_t size() const noexcept { return size_; }
  std::string_view bytes() const noexcept { return bytes_; }
  std::span<const Unit> units() const noexcept { return units_; }
  // The words of each command, which are this request's.
  std::vector<std::vector<std::string_view>> commands() const;
  const std::string& key() const noexcept { return key_; }

  // All of both, for one trip.
  Request with(const Request& behind) const;

  // Returns this request with ASKING before each unit, so that a node answers for a slot that is on
  // its way to it.
  Request asking() const;

 private:
  std::string bytes_{};
  std::size_t size_ = 0;
  std::vector<Unit> units_{};
  bool in_transaction_ = false;
  std::string key_{};
  bool has_several_slots_ = false;
  bool reads_only_ = false;
};

}  // namespace bloomery::redis
