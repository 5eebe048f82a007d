// SPDX-License-Identifier: Apache-2.0
#include "bloomery/cache/shared_strings.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/format/redis_bitmap.h"
#include "bloomery/hash/native_hash.h"
#include "bloomery/place/watermark.h"
#include "bloomery/redis/client/errors.h"
#include "bloomery/redis/client/location.h"
#include "bloomery/redis/client/transaction.h"
#include "bloomery/text/hex_word.h"

namespace bloomery {
namespace {

using redis::Repeat;
using redis::Reply;
using redis::Request;

constexpr std::uint64_t kShards = 1'024;
constexpr std::size_t kKeysInTrip = 10'000;
constexpr std::size_t kEntriesInTrip = 1'000;
constexpr std::size_t kBytesInTrip = 8'000'000;
constexpr std::chrono::milliseconds kLongestLife = std::chrono::hours(24 * 3650);

constexpr char kValue = 'V';
constexpr char kNegative = 'N';

// The script that writes entries. For each entry, the names of its generation and of itself are
// keys; its ticket (or nothing), its bytes and its life in milliseconds are arguments. A negative
// entry does not take a value's place, and is given the generation that it is written in.
constexpr const char* kPut =
    "for i = 1, #KEYS / 2 do "
    "  local generation, entry = KEYS[2 * i - 1], KEYS[2 * i] "
    "  local ticket, bytes, life = ARGV[3 * i - 2], ARGV[3 * i - 1], ARGV[3 * i] "
    "  local now = redis.call('GET', generation) "
    "  local is_due = ticket == '' or ticket == now "
    "  if bytes == 'N' then "
    "    is_due = is_due and now and redis.call('GETRANGE', entry, 0, 0) ~= 'V' "
    "    bytes = 'N' .. (now or '') "
    "  end "
    "  if is_due then redis.call('SET', entry, bytes, 'PX', life) end "
    "end "
    "return 'done'";

std::uint64_t shard_of(Key key) noexcept {
  return NativeHash()(key).h2 % kShards;
}

std::optional<std::uint64_t> generation_of(const Reply& reply) {
  if (!reply.is(Reply::Type::text)) return std::nullopt;
  const auto generation = read_hex_word(reply.text);
  return generation && hex_word(*generation) == reply.text ? generation : std::nullopt;
}

redis::Location checked(redis::Location location) {
  const std::string name = "cache:" + location.text();
  refuse_settings(location.settings, name, "a cache has none");
  if (location.key.find_first_of("{}") != std::string::npos) {
    throw std::invalid_argument(name + ": no name of a cache: { and } are for its shards");
  }
  if (location.allow_replica) {
    throw std::invalid_argument(name + ": replica=1: a replica may not know of an erase yet");
  }
  return location;
}

GatheringLimits limits_of(const redis::Location& location) {
  return {.name = location.server(),
          .advice = redis::kTimeoutAdvice,
          .timeout = location.timeout,
          .most_trips = location.connections};
}

}  // namespace

// The shards that the keys of a part fall into, each once.
class SharedStrings::Shards {
 public:
  Shards(std::span<const Key> keys, std::span<const std::size_t> part) {
    for (const std::size_t i : part) each_.push_back(shard_of(keys[i]));
    all_ = each_;
    std::ranges::sort(all_);
    all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
  }

  const std::vector<std::uint64_t>& all() const noexcept { return all_; }
  std::size_t size() const noexcept { return all_.size(); }
  // Where among them is that of the n-th key of the part.
  std::size_t place_of(std::size_t n) const noexcept {
    return static_cast<std::size_t>(std::ranges::lower_bound(all_, each_[n]) - all_.begin());
  }

 private:
  std::vector<std::uint64_t> each_;
  std::vector<std::uint64_t> all_;
};

// One trip's, and what it brought.
struct SharedStrings::Question {
  Question(std::span<const Key> all, Part of_trip) : part(std::move(of_trip)), shards(all, part) {}

  const Part part;
  const Shards shards;
  const std::string nonce = redis::next_nonce();
  Request request{};

  std::string doubt{};
  std::vector<Reply> found{};  // generations, then entries
};

SharedStrings::SharedStrings(std::string_view location)
    : client_(checked(redis::parse_location(location))),
      gathering_([this](std::span<const Key> keys, Answers answers,
                        const CallContext& context) { get_batch(keys, answers, context); },
                 {}, limits_of(client_.location())) {}

std::string SharedStrings::generation_of_shard(std::uint64_t shard) const {
  return client_.location().key + ":{" + std::to_string(shard) + "}:generation";
}

std::string SharedStrings::generation_name(Key key) const {
  return generation_of_shard(shard_of(key));
}

std::string SharedStrings::entry_name(Key key) const {
  std::string name = client_.location().key + ":{" + std::to_string(shard_of(key)) + "}:=";
  return name.append(key);
}

// In a cluster those of one shard, which are in one slot; else whatever comes.
std::vector<SharedStrings::Part> SharedStrings::split(std::span<const Key> keys) const {
  std::vector<Part> parts;
  std::map<std::uint64_t, std::size_t> part_of;
  const bool is_cluster = client_.location().way == redis::Way::cluster;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t group = is_cluster ? shard_of(keys[i]) : 0;
    const auto known = part_of.find(group);
    if (known == part_of.end() || parts[known->second].size() >= kKeysInTrip) {
      part_of[group] = parts.size();
      parts.emplace_back();
    }
    parts[part_of[group]].push_back(i);
  }
  return parts;
}

void SharedStrings::get_many(std::span<const Key> keys, Answers answers,
                             const CallContext& context) {
  // In a cluster the keys of a batch are mostly in shards of their own.
  if (keys.size() == 1 && client_.location().way != redis::Way::cluster) {
    answers[0] = gathering_.ask(keys[0], context);
  } else {
    get_batch(keys, answers, context);
  }
}

void SharedStrings::get_batch(std::span<const Key> keys, Answers answers,
                              const CallContext& context) {
  for (Part& part : split(keys)) {
    const auto asked = question(keys, std::move(part));
    client_.run(asked->request, Repeat::safe, context,
                [&](std::span<const Reply> replies) { judge(*asked, replies); });
    const Part begun = read(*asked, answers);
    if (!begun.empty()) begin_generations(keys, begun, answers, context);
  }
}

std::unique_ptr<SharedStrings::Question> SharedStrings::question(std::span<const Key> keys,
                                                                 Part part) const {
  auto made = std::make_unique<Question>(keys, std::move(part));
  std::vector<std::string> names;
  names.reserve(made->shards.size() + made->part.size());
  for (const std::uint64_t each : made->shards.all()) names.push_back(generation_of_shard(each));
  for (const std::size_t i : made->part) names.push_back(entry_name(keys[i]));
  made->request.about(names.front());
  redis::begin_transaction(made->request, made->nonce);
  std::vector<std::string_view> words{"MGET"};
  words.insert(words.end(), names.begin(), names.end());
  made->request.add(words).add({"EXEC"});
  return made;
}

void SharedStrings::judge(Question& question, std::span<const Reply> replies) const {
  const std::string name = client_.location().text();
  const auto& all = redis::read_exec(replies, 3, question.nonce, name);
  question.doubt = redis::role_doubt(all[1], false, name);
  if (all[2].is(Reply::Type::error)) throw redis::RefusedError(name, all[2].text);
  question.found = all[2].elements;
  if (question.found.size() != question.shards.size() + question.part.size()) {
    redis::fail_answer(name, "its entries");
  }
}

SharedStrings::Part SharedStrings::read(const Question& question, Answers answers) {
  if (!question.doubt.empty()) {
    client_.suspect(question.request.key());
    throw StoreError(client_.location().text() + ": " + question.doubt);
  }
  Part begun;
  for (std::size_t n = 0; n < question.part.size(); ++n) {
    const std::size_t i = question.part[n];
    const Reply& generation = question.found[question.shards.place_of(n)];
    const std::string& entry = question.found[question.shards.size() + n].text;
    CacheAnswer<std::string>& answer = answers[i];
    answer = {};
    if (generation.is(Reply::Type::nil)) {
      begun.push_back(i);
    } else if (const auto ticket = generation_of(generation)) {
      answer.ticket = *ticket;
    } else {
      answer.state = Cached::unknown;  // somebody else's
      continue;
    }
    if (entry.starts_with(kValue)) {
      answer.state = Cached::hit;
      answer.value = entry.substr(1);
    } else if (entry == kNegative + generation.text && !generation.text.empty()) {
      answer.state = Cached::negative;
    }
  }
  return begun;
}

SharedStrings::Ahead::Ahead(SharedStrings& cache, std::span<const Key> keys) : cache_(cache) {
  if (keys.empty() || keys.size() > kKeysInTrip || cache.location().way == redis::Way::cluster) {
    return;
  }
  Part all(keys.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  question_ = cache.question(keys, std::move(all));
  rider_.emplace(cache.location(), question_->request,
                 [this](std::span<const Reply> replies) { cache_.judge(*question_, replies); });
}

SharedStrings::Ahead::~Ahead() = default;

bool SharedStrings::Ahead::take(std::span<CacheAnswer<std::string>> answers) {
  if (!rider_ || !rider_->has_answer()) return false;
  for (const std::size_t i : cache_.read(*question_, answers)) {
    answers[i] = {.state = Cached::unknown};
  }
  return true;
}

// Whoever is first begins one.
void SharedStrings::begin_generations(std::span<const Key> keys, const Part& part, Answers answers,
                                      const CallContext& context) {
  const Shards shards(keys, part);
  Request request;
  for (const std::uint64_t each : shards.all()) {
    const std::string name = generation_of_shard(each);
    request.about(name);
    request.add({"SET", name, hex_word(Identity::random().high), "NX"}).add({"GET", name});
  }
  const redis::Answer answer = client_.run(request, Repeat::safe, context);
  for (const Reply& each : answer.replies) redis::require_done(each, client_.location());
  for (std::size_t n = 0; n < part.size(); ++n) {
    const auto ticket = generation_of(answer.replies[2 * shards.place_of(n) + 1]);
    if (ticket) {
      answers[part[n]].ticket = *ticket;
    } else {
      answers[part[n]] = {.state = Cached::unknown};
    }
  }
}

void SharedStrings::put_many(std::span<const CacheEntry<std::string>> entries,
                             const CallContext& context) {
  std::vector<Key> keys;
  for (const auto& each : entries) keys.push_back(each.key);
  for (const Part& part : split(keys)) {
    Part some;
    std::size_t byte_count = 0;
    for (const std::size_t i : part) {
      const std::size_t size = entries[i].value != nullptr ? entries[i].value->size() : 0;
      if (!some.empty() && (some.size() >= kEntriesInTrip || byte_count + size > kBytesInTrip)) {
        put(entries, some, context);
        some.clear();
        byte_count = 0;
      }
      some.push_back(i);
      byte_count += size;
    }
    if (!some.empty()) put(entries, some, context);
  }
}

void SharedStrings::put(std::span<const CacheEntry<std::string>> entries, const Part& part,
                        const CallContext& context) {
  bool has_tickets = true;
  std::vector<std::string> words{"EVAL", kPut, std::to_string(2 * part.size())};
  for (const std::size_t i : part) {
    words.push_back(generation_name(entries[i].key));
    words.push_back(entry_name(entries[i].key));
  }
  for (const std::size_t i : part) {
    const auto& entry = entries[i];
    const auto life = std::clamp(entry.ttl, std::chrono::milliseconds(1), kLongestLife);
    has_tickets = has_tickets && entry.ticket.has_value();
    words.push_back(entry.ticket ? hex_word(*entry.ticket) : "");
    words.push_back(entry.value != nullptr ? kValue + *entry.value : std::string(1, kNegative));
    words.push_back(std::to_string(life.count()));
  }
  const std::vector<std::string_view> views(words.begin(), words.end());
  const Request request = Request().add(views).about(words[3]);
  // A write without a ticket is not repeated: the second one might come behind an erase.
  const Repeat repeat = has_tickets ? Repeat::safe : Repeat::never;
  const redis::Answer answer = client_.run(request, repeat, context);
  redis::require_done(answer.replies.at(0), client_.location());
}

void SharedStrings::erase_many(std::span<const Key> keys, const CallContext& context) {
  for (const Part& part : split(keys)) erase(keys, part, context);
}

// From the first command on nothing that was learnt before is written any more.
void SharedStrings::erase(std::span<const Key> keys, const Part& part, const CallContext& context) {
  const std::string name = client_.location().text();
  const std::string nonce = redis::next_nonce();
  const Shards shards(keys, part);
  Request request;
  request.about(generation_of_shard(shards.all().front()));
  redis::begin_transaction(request, nonce);
  for (const std::uint64_t each : shards.all()) {
    request.add({"SET", generation_of_shard(each), hex_word(Identity::random().high)});
  }
  std::vector<std::string> names{"DEL"};
  for (const std::size_t i : part) names.push_back(entry_name(keys[i]));
  request.add(std::vector<std::string_view>(names.begin(), names.end()));
  request.add({"EXEC"});
  client_.run(request, Repeat::safe, context, [&](std::span<const Reply> replies) {
    for (const Reply& each : redis::read_exec(replies, 3 + shards.size(), nonce, name)) {
      if (each.is(Reply::Type::error)) throw redis::RefusedError(name, each.text);
    }
  });
}

}  // namespace bloomery
