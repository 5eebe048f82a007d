// SPDX-License-Identifier: Apache-2.0
// The C++ side of matrix_test.py: a line of standard input is a call, a line of output its answer.
//
//   insert FILE TYPE     load it, or make one where none is; insert; save
//   place LOCATION TYPE  insert where it is, through open_place()
//   ask LOCATION TYPE    load it, and print how many of the keys it denies
//   asked LOCATION TYPE  the same through open_place()
//
// The keys are those of matrix_test.py. "ok" or a number is printed; "refused: WHY" where the call
// said so before it changed anything.
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "bloomery/bloomery.h"
#include "bloomery/open/open_place.h"

namespace {

using namespace bloomery;

constexpr int kCount = 60;

// Gives `call` each key as a program has it: by the call for its type.
template <class Call>
void each_key(const std::string& type, Call call) {
  for (int i = 0; i < kCount; ++i) {
    if (type == "text") call(std::to_string(i));
    if (type == "int") call(i - kCount / 2);
    if (type == "int64") call(std::int64_t{i - kCount / 2} * 5'000'000'000);
    if (type == "uint64")
      call(std::numeric_limits<std::uint64_t>::max() - static_cast<unsigned>(i));
    if (type == "bytes") call(std::to_string(10'000'000 + i));
    if (type == "eight") {
      const std::uint64_t bytes = eight_bytes(std::int64_t{i - kCount / 2} * 5'000'000'000);
      call(std::string(as_key(bytes)));
    }
  }
}

// Places take bytes alone.
template <class Call>
void each_bytes(const std::string& type, Call call) {
  each_key(type, [&]<class K>(const K& key) {
    if constexpr (IntegerKey<K>) {
      const std::uint64_t bytes = eight_bytes(key);
      call(as_key(bytes));
    } else {
      call(Key(key));
    }
  });
}

void insert(const std::string& file, const std::string& type) {
  AnyFilter filter =
      std::filesystem::exists(file) ? load(file) : AnyFilter(BlockedFilter({.capacity = 1000}));
  each_key(type, [&](const auto& key) { filter.insert(key); });
  save(filter, file);
}

void place(const std::string& location, const std::string& type) {
  const auto place =
      open_place(location, {.access = PlaceOptions::read_write, .allow_forgetting = true});
  each_bytes(type, [&](Key key) { place->insert(key); });
  place->flush({});
}

int denied(const std::string& location, const std::string& type) {
  const AnyFilter filter = load(parse_place_location(location));
  int count = 0;
  each_key(type, [&](const auto& key) { count += filter.may_contain(key) ? 0 : 1; });
  return count;
}

int denied_in_place(const std::string& location, const std::string& type) {
  const auto place = open_place(location, {.allow_forgetting = true});
  int count = 0;
  each_bytes(type, [&](Key key) { count += place->presence_of(key) == Presence::absent ? 1 : 0; });
  return count;
}

std::string answer(const std::string& call, const std::string& where, const std::string& type) {
  try {
    if (call == "ask") return std::to_string(denied(where, type));
    if (call == "asked") return std::to_string(denied_in_place(where, type));
    call == "insert" ? insert(where, type) : place(where, type);
    return "ok";
  } catch (const std::invalid_argument& refusal) {
    return std::string("refused: ") + refusal.what();
  } catch (const std::exception& error) {
    return std::string("failed: ") + error.what();
  }
}

}  // namespace

int main() {
  std::string call;
  std::string where;
  std::string type;
  while (std::cin >> call >> where >> type) std::cout << answer(call, where, type) << std::endl;
}
