// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/module/subject.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "benchmarks/bench_keys.h"

namespace bloomery::module_bench {
namespace {

constexpr std::uint64_t kStrangers = 1'000'000'000'000;  // the first item that no filter has

// Batches of a thousand, a few under way.
Shape questions() {
  return {"BF.MEXISTS", 1000, 4};
}

// The share, in percent, of a filter's items that come in each of ways_of_adding().
constexpr std::uint64_t kShares[] = {2, 6, 12, 40, 40};

bool knows_all(Subject& subject, const std::vector<Shape>& shapes) {
  return std::ranges::all_of(shapes,
                             [&](const Shape& shape) { return subject.knows(shape.command); });
}

}  // namespace

std::vector<Shape> ways_of_adding() {
  return {{"BF.ADD", 1, 1},
          {"BF.ADD", 1, 16},
          {"BF.ADD", 1, 64},
          {"BF.MADD", 100, 4},
          {"BF.MADD", 1000, 4}};
}

std::string shape_name(const Shape& shape) {
  return shape.is_array() ? fmt::format("{} {}", shape.command, shape.batch)
                          : fmt::format("{} pipeline {}", shape.command, shape.pipeline);
}

Subject::Subject(const std::string& module, const Settings& settings)
    : settings_(settings), server_(module), client_(server_.port()) {}

Outcome Subject::measure(const std::vector<Exchange>& exchanges) {
  std::vector<double> rounds;
  std::size_t next = 0;
  for (int round = -1; round < settings_.rounds(); ++round) {  // the first warms up
    const double begin = server_.cpu_seconds();
    const double enough = round < 0 ? settings_.seconds() / 10 : settings_.seconds();
    double spent = 0;
    std::uint64_t items = 0;
    while (spent < enough) {
      for (int i = 0; i < 8; ++i) {
        const Exchange& exchange = exchanges[next++ % exchanges.size()];
        client_.exchange(exchange.requests, exchange.reply_bytes);
        items += exchange.items;
      }
      spent = server_.cpu_seconds() - begin;
    }
    if (round >= 0) rounds.push_back(1e9 * spent / static_cast<double>(items));
  }
  return {.ns = median(rounds)};
}

Outcome Subject::set(std::uint64_t keys, std::size_t pipeline) {
  std::vector<Exchange> exchanges;
  for (std::uint64_t first = 0; first < asked_items(); first += pipeline) {
    exchanges.push_back(make_exchange(StringCommand::set, pipeline, [&](std::uint64_t i) {
      return bench::scramble(first + i) % keys;
    }));
  }
  return measure(exchanges);
}

Outcome Subject::get(std::uint64_t keys, std::size_t pipeline) {
  constexpr std::size_t kMany = 1000;
  for (std::uint64_t first = string_count_; first < keys; first += kMany) {
    const auto at = [&](std::uint64_t i) { return first + i; };
    const Exchange exchange = make_exchange(StringCommand::set, kMany, at);
    client_.exchange(exchange.requests, exchange.reply_bytes);
  }
  string_count_ = keys;
  std::vector<Exchange> exchanges;
  for (std::uint64_t first = 0; first < asked_items(); first += pipeline) {
    exchanges.push_back(make_exchange(StringCommand::get, pipeline, [&](std::uint64_t i) {
      return bench::scramble(first + i) % keys;
    }));
  }
  return measure(exchanges);
}

Outcome Subject::look_up(const Shape& shape, const Filled& filled, const std::string& key,
                         bool members) {
  if (!filled.wrong.empty()) return {.note = filled.wrong, .is_wrong = true};
  if (!knows(shape.command)) return {.note = "has no " + shape.command};
  if (filled.items == 0) return {.note = "has no such filters"};
  std::vector<Exchange> exchanges;
  for (std::uint64_t first = 0; first < asked_items(); first += shape.items()) {
    exchanges.push_back(make_exchange(shape, key, [&](std::uint64_t i) {
      const std::uint64_t number = bench::scramble(first + i);
      return members ? number % filled.items : kStrangers + number % kStrangers;
    }));
  }
  return measure(exchanges);
}

void Subject::add(const Shape& shape, const std::string& key, std::uint64_t count, Filled& filled) {
  const double begin = server_.cpu_seconds();
  const std::uint64_t first = filled.items;
  for (; filled.items < first + count; filled.items += shape.items()) {
    const auto at = [&](std::uint64_t i) { return filled.items + i; };
    const Exchange exchange = make_exchange(shape, key, at);
    client_.exchange(exchange.requests, exchange.reply_bytes);
  }
  const double spent = server_.cpu_seconds() - begin;
  filled.ns[shape_name(shape)].push_back(1e9 * spent / static_cast<double>(filled.items - first));
}

// All but once in 30,000 seeds, were the items chance's: they are not, so it is always or never.
std::string Subject::mistake_of(const std::string& key, std::uint64_t items) {
  const Shape shape = questions();
  const std::uint64_t asked = settings_.smoke ? 8'000 : 200'000;
  const auto count = [&](auto number) {
    std::uint64_t ones = 0;
    for (std::uint64_t first = 0; first < asked; first += shape.items()) {
      const auto at = [&](std::uint64_t i) { return number(first + i); };
      const Exchange exchange = make_exchange(shape, key, at);
      ones += count_ones(shape, client_.exchange(exchange.requests, exchange.reply_bytes));
    }
    return ones;
  };
  const auto found = count([&](std::uint64_t i) { return bench::scramble(i) % items; });
  if (found < asked) return fmt::format("WRONG: loses {} of {} items", asked - found, asked);
  const auto positives = count([](std::uint64_t i) { return kStrangers + i; });
  const auto trials = static_cast<double>(asked);
  const double most = trials * kRate + 4 * std::sqrt(trials * kRate * (1 - kRate)) + 1;
  if (static_cast<double>(positives) <= most) return {};
  return fmt::format("WRONG: {:.3f} % false positives, asked for {} %",
                     100 * static_cast<double>(positives) / trials, 100 * kRate);
}

const Filled& Subject::reserved(const std::string& command, std::uint64_t capacity) {
  const std::string key = reserved_key(command, capacity);
  if (const auto had = filled_.find(key); had != filled_.end()) return had->second;
  const std::uint64_t turns = settings_.smoke ? 1 : 10;
  // Small filters are filled often enough to be measured.
  const std::uint64_t times =
      settings_.smoke ? 1 : std::clamp<std::uint64_t>(10'000'000 / capacity, 1, 10);
  const std::vector<Shape> ways = ways_of_adding();
  Filled filled;
  if (!knows(command) || !knows_all(*this, ways)) return filled_[key] = filled;
  for (std::uint64_t time = 0; time < times; ++time) {
    filled.items = 0;
    ask({"DEL", key});
    ask({command, key, fmt::format("{}", kRate), std::to_string(capacity)});
    for (std::uint64_t turn = 0; turn < turns; ++turn) {
      for (std::size_t i = 0; i < ways.size(); ++i) {
        // Whole exchanges, and never beyond the capacity, where it would grow.
        const std::uint64_t share = capacity / turns * kShares[i] / 100;
        add(ways[i], key, std::max(share - share % ways[i].items(), ways[i].items()), filled);
      }
    }
  }
  filled.wrong = mistake_of(key, filled.items);
  return filled_[key] = filled;
}

const Filled& Subject::grown(std::uint64_t items) {
  const std::string key = grown_key(items);
  if (const auto had = filled_.find(key); had != filled_.end()) return had->second;
  Filled filled;
  const Shape adds{"BF.MADD", 1000, 4};
  if (!knows_all(*this, {adds, questions()})) return filled_[key] = filled;
  add(adds, key, items, filled);
  filled.wrong = mistake_of(key, filled.items);
  return filled_[key] = filled;
}

// Nothing of a command is measured by its errors: a module may have some of the commands.
bool Subject::knows(const std::string& command) {
  if (const auto had = known_.find(command); had != known_.end()) return had->second;
  const std::string reply = client_.reply_to({"COMMAND", "INFO", command});
  const bool known = reply.starts_with("*1\r\n*") && !reply.starts_with("*1\r\n*-1");
  return known_[command] = known;
}

std::optional<std::uint64_t> Subject::info(const std::string& key, const std::string& field) {
  const std::string reply = client_.reply_to({"BF.INFO", key, field});
  if (reply[0] == '-') return std::nullopt;
  return std::stoull(reply.substr(reply.find(':') + 1));
}

std::string Subject::reserved_key(const std::string& command, std::uint64_t capacity) {
  return fmt::format("{}:{}", command, capacity);
}

std::string Subject::grown_key(std::uint64_t items) {
  return fmt::format("grown:{}", items);
}

}  // namespace bloomery::module_bench
