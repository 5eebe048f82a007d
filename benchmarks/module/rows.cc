// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/module/rows.h"

#include <fmt/core.h>

#include <algorithm>

namespace bloomery::module_bench {
namespace {

constexpr std::size_t kPipelines[] = {1, 16, 64};
constexpr std::size_t kBatches[] = {100, 1000};

std::string count_text(std::uint64_t count) {
  if (count % 1'000'000 == 0) return fmt::format("{}M", count / 1'000'000);
  return fmt::format("{}k", count / 1000);
}

std::string get_row(std::size_t pipeline) {
  return fmt::format("GET pipeline {}", pipeline);
}

// A batch is compared with the cheapest GET.
std::string get_row_of(const Shape& shape) {
  return get_row(shape.is_array() ? 64 : shape.pipeline);
}

// Bytes that a server has, and those of a filter of so many items: nothing here needs more a key.
std::uint64_t needed(std::uint64_t items) {
  return (std::uint64_t{64} << 20) + 8 * items;
}

// Adds GET and SET of as many strings as the near filter has items.
void add_strings(std::vector<Row>& rows, std::uint64_t keys) {
  const std::uint64_t bytes = needed(0) + 128 * keys;
  for (const std::size_t pipeline : kPipelines) {
    rows.push_back({get_row(pipeline), "", bytes,
                    [=](Subject& subject) { return subject.get(keys, pipeline); }});
  }
  for (const std::size_t pipeline : kPipelines) {
    rows.push_back({fmt::format("SET pipeline {}", pipeline), get_row(pipeline), bytes,
                    [=](Subject& subject) { return subject.set(keys, pipeline); }});
  }
}

std::vector<Shape> singles(const std::string& command) {
  std::vector<Shape> all;
  for (const std::size_t pipeline : kPipelines) all.push_back({command, 1, pipeline});
  return all;
}
std::vector<Shape> batches(const std::string& command) {
  std::vector<Shape> all;
  for (const std::size_t batch : kBatches) all.push_back({command, batch, 4});
  return all;
}

void add_missing(std::vector<Row>& rows) {
  for (const Shape& shape : batches("BF.MEXISTS")) {
    rows.push_back(
        {shape_name(shape) + ", no such key", get_row_of(shape), needed(0),
         [=](Subject& subject) { return subject.look_up(shape, {.items = 1}, "none", false); }});
  }
}

Outcome median_added(const Filled& filled, const Shape& shape) {
  if (!filled.wrong.empty()) return {.note = filled.wrong, .is_wrong = true};
  if (filled.items == 0) return {.note = "has no such filters"};
  return {.ns = median(filled.ns.at(shape_name(shape)))};
}

void add_reserved(std::vector<Row>& rows, const std::string& command, std::uint64_t capacity) {
  const std::string of =
      ", " + count_text(capacity) + (command == "BF.RESERVE" ? "" : ", by " + command);
  const auto add_row = [&](const Shape& shape, const std::string& what, auto measure) {
    rows.push_back({shape_name(shape) + what + of, get_row_of(shape), needed(capacity), measure});
  };
  const auto look_up = [&](const Shape& shape) {
    for (const bool members : {true, false}) {
      add_row(shape, members ? " hit" : " miss", [=](Subject& subject) {
        return subject.look_up(shape, subject.reserved(command, capacity),
                               Subject::reserved_key(command, capacity), members);
      });
    }
  };
  for (const Shape& shape : ways_of_adding()) {
    add_row(shape, "", [=](Subject& subject) {
      return median_added(subject.reserved(command, capacity), shape);
    });
  }
  for (const Shape& shape : singles("BF.EXISTS")) look_up(shape);
  for (const Shape& shape : batches("BF.MEXISTS")) look_up(shape);
}

void add_grown(std::vector<Row>& rows, std::uint64_t items) {
  const std::string of = ", grown from 100 to " + count_text(items);
  const Shape adds{"BF.MADD", 1000, 4};
  const Shape asks{"BF.MEXISTS", 1000, 4};
  rows.push_back({shape_name(adds) + of, get_row_of(adds), needed(items),
                  [=](Subject& subject) { return median_added(subject.grown(items), adds); }});
  rows.push_back(
      {shape_name(asks) + " miss" + of, get_row_of(asks), needed(items), [=](Subject& subject) {
         const std::string key = Subject::grown_key(items);
         Outcome outcome = subject.look_up(asks, subject.grown(items), key, false);
         const auto size = subject.info(key, "SIZE");
         const auto links = subject.info(key, "FILTERS");
         if (outcome.note.empty() && size && links) {
           outcome.note =
               fmt::format("{:.1f} MB, {} links", static_cast<double>(*size) / 1e6, *links);
         }
         return outcome;
       }});
}

}  // namespace

std::vector<Row> item_rows(const Settings& settings) {
  std::vector<Row> rows;
  add_strings(rows, settings.near_keys());
  add_missing(rows);
  for (const char* const command : {"BF.RESERVE", "BLOOM.RESERVE"}) {
    add_reserved(rows, command, settings.near_keys());
    add_reserved(rows, command, settings.far_keys());
  }
  add_grown(rows, settings.near_keys());
  add_grown(rows, settings.smoke ? settings.far_keys() : 10 * settings.near_keys());
  return rows;
}

}  // namespace bloomery::module_bench
