// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/redis/ways.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/format/redisson.h"
#include "bloomery/open/open_place.h"
#include "bloomery/redis/client/client.h"
#include "bloomery/redis/client/reply.h"
#include "bloomery/redis/places/live_bitmap.h"

namespace bloomery::redis_bench {
namespace {

constexpr double kRate = 0.01;

// kLoop tests the bits of keys by a loop in the server, as clients do that have no filters.
constexpr const char* kLoop =
    "local found = 0 "
    "for key = 1, #ARGV, 7 do "
    "  local all = 1 "
    "  for i = key, key + 6 do "
    "    if redis.call('GETBIT', KEYS[1], ARGV[i]) == 0 then all = 0 break end "
    "  end "
    "  found = found + all "
    "end "
    "return found";
constexpr std::size_t kLoopProbes = 7;  // of 1 %

std::string at(std::uint16_t port, const std::string& key) {
  return "redis://127.0.0.1:" + std::to_string(port) + "?trust=bits&connections=64#" + key;
}

std::size_t maybes(std::span<const Presence> answers) {
  return static_cast<std::size_t>(std::ranges::count(answers, Presence::maybe));
}

// A place of this library. A key alone is asked for by the question for one, which threads gather;
// or, to see what that saves, in a trip of its own.
Way place_way(const std::string& format, const std::string& key, bool gathers = true) {
  return {format + (gathers ? "" : " nobody gathered"), [=](std::uint16_t port) -> Ask {
            const std::shared_ptr<FilterPlace> place = open_place(format + at(port, key));
            return [=](std::span<const Key> keys) {
              if (keys.size() == 1 && gathers) {
                const Presence answer = place->presence_of(keys[0]);
                return maybes({&answer, 1});
              }
              std::vector<Presence> answers(keys.size(), Presence::unknown);
              place->presence_of_many(keys, answers);
              return maybes(answers);
            };
          }};
}

struct Bitmap {
  explicit Bitmap(const redis::Location& location) : client(location) {}

  redis::Reply ask(std::initializer_list<std::string_view> words) {
    const auto answer = client.run(redis::Request().add(words), redis::Repeat::safe);
    return redis::require_done(answer.replies.at(0), client.location());
  }

  redis::Client client;
  redis::LiveBitmap filter{};
};

std::shared_ptr<Bitmap> open_bitmap(std::uint16_t port) {
  const redis::Location location = redis::parse_location(at(port, "redisson"));
  auto bitmap = std::make_shared<Bitmap>(location);
  const std::string config = redisson::config_key(location.key);
  const redis::Reply fields = bitmap->ask({"HMGET", config, "size", "hashIterations"});
  const auto& texts = fields.elements;
  bitmap->filter =
      redis::live_configured(location, redisson::kFormat,
                             {{"size", texts.at(0).text}, {"hashIterations", texts.at(1).text}});
  return bitmap;
}

std::vector<std::string> positions_of(const Bitmap& bitmap, std::span<const Key> keys) {
  std::vector<std::uint64_t> positions;
  for (const Key key : keys) bitmap.filter.positions(key, positions);
  std::vector<std::string> words;
  words.reserve(positions.size());
  for (const std::uint64_t each : positions) words.push_back(std::to_string(each));
  return words;
}

// A GETBIT a probe, in one pipeline: what PHP classes and Redisson's own batches do.
Ask getbit_pipeline(std::uint16_t port) {
  const auto bitmap = open_bitmap(port);
  return [bitmap](std::span<const Key> keys) {
    redis::Request request;
    const auto words = positions_of(*bitmap, keys);
    for (const std::string& each : words) request.add({"GETBIT", bitmap->filter.key, each});
    const auto answer = bitmap->client.run(request, redis::Repeat::safe);
    const std::size_t probes = words.size() / keys.size();
    std::size_t found = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto bits = std::span(answer.replies).subspan(i * probes, probes);
      found += std::ranges::all_of(bits, [](const auto& bit) { return bit.number == 1; }) ? 1 : 0;
    }
    return found;
  };
}

// A loop of GETBIT in a script, as clients like Redisson have it.
Ask lua_loop(std::uint16_t port) {
  const auto bitmap = open_bitmap(port);
  const std::string digest = bitmap->ask({"SCRIPT", "LOAD", kLoop}).text;
  return [=](std::span<const Key> keys) {
    const auto positions = positions_of(*bitmap, keys);
    std::vector<std::string_view> words{"EVALSHA", digest, "1", bitmap->filter.key};
    words.insert(words.end(), positions.begin(), positions.end());
    const auto answer = bitmap->client.run(redis::Request().add(words), redis::Repeat::safe);
    const auto& count = redis::require_done(answer.replies.at(0), bitmap->client.location());
    return static_cast<std::size_t>(count.number);
  };
}

// One command of the server's, and nothing beside it.
Way command_way(const std::string& command, const std::string& key) {
  return {command, [=](std::uint16_t port) -> Ask {
            const auto client =
                std::make_shared<redis::Client>(redis::parse_location(at(port, key)));
            return [=](std::span<const Key> keys) {
              std::vector<std::string_view> words{command, key};
              words.insert(words.end(), keys.begin(), keys.end());
              const auto answer = client->run(redis::Request().add(words), redis::Repeat::safe);
              const auto& flags = redis::require_done(answer.replies.at(0), client->location());
              return static_cast<std::size_t>(
                  std::ranges::count(flags.elements, 1, &redis::Reply::number));
            };
          }};
}

void insert(const std::string& location, std::span<const Key> keys) {
  const auto place = open_place(location, {.access = PlaceOptions::read_write});
  place->insert_many(keys);
}

}  // namespace

void fill(std::uint16_t port, std::span<const Key> keys) {
  const Format& format = *find_format("redisson");
  AnyFilter filter = format.create({.capacity = keys.size(), .false_positive_rate = kRate}, {});
  if (filter.parameters().geometry.probe_count != kLoopProbes) {
    throw std::runtime_error("the script is written for other filters");
  }
  filter.insert_many(keys);
  save(filter.contents(), parse_place_location("redisson:" + at(port, "redisson")), {});

  AnyFilter own =
      make_filter(FilterKind::blocked, {.capacity = keys.size(), .false_positive_rate = kRate});
  own.insert_many(keys);
  save(own.contents(), parse_place_location("bitmap:" + at(port, "bitmap")), {});

  create_in_server(parse_place_location("bf:" + at(port, "bf")), keys.size(), kRate);
  insert("bf:" + at(port, "bf"), keys);
  redis::Client client(redis::parse_location(at(port, "bloom")));
  const auto made = client.run(
      redis::Request().add({"BLOOM.RESERVE", "bloom", "0.01", std::to_string(keys.size())}),
      redis::Repeat::never);
  redis::require_done(made.replies.at(0), client.location());
  insert("bloom:" + at(port, "bloom"), keys);
}

std::vector<Way> all_ways() {
  return {
      {"GETBIT pipeline", getbit_pipeline}, {"Lua loop of GETBIT", lua_loop},
      place_way("redisson:", "redisson"),   place_way("redisson:", "redisson", false),
      place_way("bitmap:", "bitmap"),       place_way("bitmap:", "bitmap", false),
      command_way("BF.MEXISTS", "bf"),      place_way("bf:", "bf"),
      place_way("bf:", "bf", false),        command_way("BLOOM.CHECK", "bloom"),
      place_way("bloom:", "bloom"),         place_way("bloom:", "bloom", false),
  };
}

}  // namespace bloomery::redis_bench
