// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/partition_keys.h"

#include <array>
#include <stdexcept>

#include "bloomery/format/kinds.h"
#include "bloomery/format/native/file_part.h"
#include "bloomery/redis/client/hash_slot.h"
#include "bloomery/redis/client/numbers.h"

namespace bloomery::redis {
namespace {

std::string tag_text(std::uint32_t number) {
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::string text;
  do {
    text += kDigits[number % kDigits.size()];
    number /= static_cast<std::uint32_t>(kDigits.size());
  } while (number != 0);
  return text;
}

// The first tag of each slot.
const std::array<std::uint32_t, kHashSlots>& tags() {
  static const auto all = [] {
    constexpr std::uint32_t kNone = ~std::uint32_t{0};
    std::array<std::uint32_t, kHashSlots> found{};
    found.fill(kNone);
    std::size_t left = found.size();
    for (std::uint32_t number = 0; left > 0; ++number) {
      std::uint32_t& tag = found[hash_slot(tag_text(number))];
      if (tag != kNone) continue;
      tag = number;
      --left;
    }
    return found;
  }();
  return all;
}

}  // namespace

std::string partition_key(const std::string& name, std::uint32_t index, std::uint32_t count) {
  if (name.find('{') != std::string::npos) {
    throw std::invalid_argument(
        name +
        ": partitions of a name with { would all be in the slot that it says; another name, "
        "or ?partitions=1");
  }
  // The middle of its share of the slots.
  const std::uint64_t slot = (2 * std::uint64_t{index} + 1) * kHashSlots / (2 * count);
  return name + ":{" + tag_text(tags()[slot]) + "}:" + std::to_string(index);
}

std::optional<std::uint32_t> take_partitions(Location& location) {
  const auto found = location.settings.find("partitions");
  if (found == location.settings.end()) return std::nullopt;
  std::uint32_t count = 0;
  if (!read_number(found->second, count) || count < 1 || count > kMostParts) {
    throw std::invalid_argument("partitions=" + found->second + ": from 1 to " +
                                std::to_string(kMostParts));
  }
  location.settings.erase(found);
  return count;
}

std::uint32_t partitions_for(const FilterParameters& parameters,
                             std::optional<std::uint32_t> wanted, const std::string& name) {
  const std::uint64_t bits = parameters.geometry.bit_count;
  const bool has_parts = kind_of(parameters.kind).has_parts;
  if (!wanted) return has_parts ? usual_parts(bits) : 1;
  if (*wanted == 1) return 1;
  if (!has_parts) {
    throw std::invalid_argument(
        name +
        ": only blocked filters are kept in partitions; a key of another kind would have "
        "its bits in many of them");
  }
  if (bits / kLineBits < *wanted) {
    throw std::invalid_argument(name + ": " + std::to_string(bits / kLineBits) +
                                " lines of 64 bytes do not make " + std::to_string(*wanted) +
                                " partitions");
  }
  return *wanted;
}

}  // namespace bloomery::redis
