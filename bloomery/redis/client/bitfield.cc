// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/bitfield.h"

#include <charconv>

#include "bloomery/redis/client/transaction.h"

namespace bloomery::redis {
namespace {

// Numbers as words, in one piece of memory.
class Digits {
 public:
  explicit Digits(std::size_t count) : text_(count * kLongest, '\0'), next_(text_.data()) {}

  std::string_view add(std::uint64_t number) {
    char* const start = next_;
    next_ = std::to_chars(start, start + kLongest, number).ptr;
    return {start, static_cast<std::size_t>(next_ - start)};
  }

 private:
  static constexpr std::size_t kLongest = 20;
  std::string text_;
  char* next_;
};

}  // namespace

void append_bitfield(Request& request, std::string_view key, bool sets,
                     std::span<const std::uint64_t> known,
                     std::span<const std::uint64_t> positions) {
  Digits digits(known.size() + positions.size());
  std::vector<std::string_view> words{sets ? "BITFIELD" : "BITFIELD_RO", key};
  words.reserve(2 + 3 * known.size() + 4 * positions.size());
  const auto get = [&](std::uint64_t position) {
    words.insert(words.end(), {"GET", "i1", digits.add(position)});
  };
  for (const std::uint64_t position : known) get(position);
  for (const std::uint64_t position : positions) {
    if (sets) {
      words.insert(words.end(), {"SET", "i1", digits.add(position), "-1"});
    } else {
      get(position);
    }
  }
  request.add(words);
}

void read_bitfield(const Reply& reply, std::size_t known_count, std::size_t count,
                   std::vector<bool>& known_bits, std::vector<bool>& bits,
                   const std::string& name) {
  if (!reply.is(Reply::Type::array) || reply.elements.size() != known_count + count) {
    fail_answer(name, "its bits");
  }
  known_bits.reserve(known_bits.size() + known_count);
  bits.reserve(bits.size() + count);
  std::size_t read = 0;
  for (const Reply& bit : reply.elements) {
    if (!bit.is(Reply::Type::number) || (bit.number != 0 && bit.number != -1)) {
      fail_answer(name, "a bit");
    }
    (read++ < known_count ? known_bits : bits).push_back(bit.number == -1);
  }
}

}  // namespace bloomery::redis
