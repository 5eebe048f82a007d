// SPDX-License-Identifier: Apache-2.0
#include "bloomery/cache/shared_strings.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "bloomery/cache/guard_verbs.h"
#include "bloomery/cache/old_shards.h"
#include "bloomery/errors.h"
#include "bloomery/format/redis_bitmap.h"
#include "bloomery/place/gathering.h"
#include "bloomery/redis/client/client.h"
#include "bloomery/redis/client/location.h"
#include "bloomery/redis/client/redirection.h"
#include "bloomery/redis/client/rider.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/client/transaction.h"

namespace bloomery {
namespace {

using redis::Repeat;
using redis::Reply;
using redis::Request;

constexpr std::size_t kKeysInTrip = 10'000;
constexpr std::size_t kTransactionsInTrip = 1'000;  // of a cluster: one a key
constexpr std::size_t kMomentDigits = 13;
constexpr char kValue = 'V';
constexpr char kLoading = 'L';
constexpr std::string_view kNoRow = "N";

redis::Location checked(redis::Location location) {
  const std::string name = "cache:" + location.text();
  const auto was = location.settings.find("was");
  if (was != location.settings.end() && (was->second.empty() || was->second == location.key)) {
    throw std::invalid_argument(name + ": was=" + was->second +
                                ": allowed is another name, that of the cache in older versions");
  }
  location.settings.erase("was");
  refuse_settings(location.settings, name, "a cache has none but was=");
  if (location.key.find_first_of("{}") != std::string::npos) {
    throw std::invalid_argument(name + ": no name of a cache: { and } are for its keys");
  }
  if (location.allow_replica) {
    throw std::invalid_argument(name + ": replica=1: a replica may not know of an erase yet");
  }
  return location;
}

std::string was_of(const redis::Location& location) {
  const auto found = location.settings.find("was");
  return found != location.settings.end() ? found->second : std::string();
}

GatheringLimits limits_of(const redis::Location& location) {
  return {.name = location.server(),
          .advice = redis::kTimeoutAdvice,
          .timeout = location.timeout,
          .most_trips = location.connections};
}

// The moment of an entry, in milliseconds since 1970: from then on one reader loads it anew. None
// where the bytes are no value.
std::optional<std::int64_t> moment_of(std::string_view entry) {
  if (entry.size() <= kMomentDigits || entry.front() != kValue) return std::nullopt;
  std::int64_t moment = 0;
  for (const char c : entry.substr(1, kMomentDigits)) {
    if (c < '0' || c > '9') return std::nullopt;
    moment = 10 * moment + (c - '0');
  }
  return moment;
}

// Looks at this machine's clock, which only says whom to ask: the server decides by its own.
bool may_be_due(std::int64_t moment) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return moment > 0 && moment <= std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

// The answer of an entry and its lease together, in the order of the verb `get`. A miss: the server
// is to be asked for a lease.
CacheAnswer<std::string> answer_in(const Reply& entry, const Reply& lease) {
  if (const auto moment = moment_of(entry.text)) {
    if (may_be_due(*moment)) return {};
    return {.state = Cached::hit, .value = entry.text.substr(1 + kMomentDigits)};
  }
  const bool is_leased = lease.is(Reply::Type::text);
  if (is_leased && !lease.text.starts_with(kLoading)) return {.state = Cached::unknown};
  if (entry.text == kNoRow) return {.state = Cached::negative};
  return {.state = is_leased ? Cached::awaited : Cached::miss};
}

}  // namespace

// One trip's, and what it brought: of each key its entry and its lease.
struct SharedStrings::Question {
  explicit Question(Part of_trip) : part(std::move(of_trip)) {}

  const Part part;
  const std::string nonce = redis::next_nonce();
  Request request{};
  bool is_by_key = false;  // a transaction for each

  std::string doubt{};
  std::vector<Reply> found{};
  Part elsewhere{};  // not answered: other nodes have them
};

struct SharedStrings::Server {
  using Together = Gathering<CacheAnswer<std::string>, redis::TimeoutError>;

  Server(redis::Location location, GuardVerbsOptions options, Together::Ask look_many)
      : was(was_of(location)),
        client(checked(std::move(location))),
        verbs(client, client.location().key, std::move(options)),
        gathering(std::move(look_many), {}, limits_of(client.location())) {
    if (!was.empty()) old = std::make_unique<OldShards>(client, was);
  }

  const std::string was;  // or empty
  redis::Client client;
  GuardVerbs verbs;
  std::unique_ptr<OldShards> old{};  // null without was=
  Together gathering;
};

SharedStrings::SharedStrings(std::string_view location, GuardVerbsOptions options)
    : SharedStrings(redis::parse_location(location), std::move(options)) {}

SharedStrings::SharedStrings(redis::Location location, GuardVerbsOptions options)
    : server_(std::make_unique<Server>(
          std::move(location), std::move(options),
          [this](std::span<const Key> keys, Answers answers, const CallContext& context) {
            look_many(keys, answers, context);
          })) {}

SharedStrings::~SharedStrings() = default;

const redis::Location& SharedStrings::location() const noexcept {
  return server_->client.location();
}

std::string SharedStrings::entry_name(Key key) const {
  return server_->verbs.entry_name(key);
}

void SharedStrings::get_many(std::span<const Key> keys, Answers answers,
                             const CallContext& context) {
  require_fence(context);
  try {
    // In a cluster the keys of a batch are mostly at nodes of their own.
    if (keys.size() == 1 && server_->client.location().way != redis::Way::cluster) {
      answers[0] = server_->gathering.ask(keys[0], context);
    } else {
      look_many(keys, answers, context);
    }
  } catch (const redis::RefusedError& error) {
    // A server without memory queues no transactions, and runs scripts that write nothing.
    if (error.refusal != redis::Refusal::out_of_memory) throw;
    for (auto& answer : answers) answer = {};
  }
  std::vector<std::size_t> places;
  std::vector<Key> missing;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (context.fence != nullptr && answers[i].state != Cached::hit) {
      answers[i] = {.state = Cached::unknown};
    }
    if (answers[i].state != Cached::miss) continue;
    places.push_back(i);
    missing.push_back(keys[i]);
  }
  if (missing.empty()) return;
  std::vector<CacheAnswer<std::string>> claimed(missing.size());
  claim_many(missing, claimed, context);
  for (std::size_t i = 0; i < places.size(); ++i) answers[places[i]] = std::move(claimed[i]);
}

void SharedStrings::claim_many(std::span<const Key> keys, Answers answers,
                               const CallContext& context) {
  require_fence(context);
  if (server_->old) return look_many(keys, answers, context);
  auto said = server_->verbs.get(keys, context);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    using Said = GuardVerbs::Said;
    const Said word = said[i].said;
    answers[i] = {.state = word == Said::value  ? Cached::hit
                           : word == Said::none ? Cached::negative
                           : word == Said::wait ? Cached::awaited
                           : word == Said::open ? Cached::unknown
                                                : Cached::miss,
                  .lease = std::move(said[i].lease)};
    if (word == Said::value) answers[i].value = std::move(said[i].value);
  }
}

// Reads the entries that are there, without leases.
void SharedStrings::look_many(std::span<const Key> keys, Answers answers,
                              const CallContext& context) {
  if (server_->old) {
    for (auto& answer : answers) answer = {.state = Cached::unknown};
    return;
  }
  const bool is_cluster = server_->client.location().way == redis::Way::cluster;
  const std::size_t most = is_cluster ? kTransactionsInTrip : kKeysInTrip;
  for (Part& part : server_->verbs.parts_of(keys, most, context)) {
    const auto ask = [&](Part some) {
      const auto asked = question(keys, std::move(some));
      server_->client.run(asked->request, Repeat::safe, context,
                          [&](std::span<const Reply> replies) { judge(*asked, replies); });
      return read(*asked, answers);
    };
    for (const std::size_t i : ask(std::move(part))) ask({i});
  }
}

std::unique_ptr<SharedStrings::Question> SharedStrings::question(std::span<const Key> keys,
                                                                 Part part) const {
  auto made = std::make_unique<Question>(std::move(part));
  std::vector<std::string> names;
  names.reserve(2 * made->part.size());
  for (const std::size_t i : made->part) {
    names.push_back(entry_name(keys[i]));
    names.push_back(names.back() + ":lease");
  }
  made->request.about(names.front());
  made->is_by_key = server_->client.location().way == redis::Way::cluster;
  if (made->is_by_key && made->part.size() > 1) made->request.of_several_slots();
  const std::size_t step = made->is_by_key ? 2 : names.size();
  for (std::size_t first = 0; first < names.size(); first += step) {
    redis::begin_transaction(made->request, made->nonce);
    std::vector<std::string_view> words{"MGET"};
    words.insert(words.end(), names.begin() + static_cast<std::ptrdiff_t>(first),
                 names.begin() + static_cast<std::ptrdiff_t>(first + step));
    made->request.add(words).add({"EXEC"});
  }
  return made;
}

void SharedStrings::judge(Question& question, std::span<const Reply> replies) const {
  constexpr std::size_t kReplies = 5;  // MULTI, ECHO, ROLE, MGET, EXEC
  const std::string name = server_->client.location().text();
  question.doubt.clear();
  question.found.clear();
  question.elsewhere.clear();
  const std::size_t keys = question.is_by_key ? 1 : question.part.size();
  for (std::size_t n = 0; n < question.part.size(); n += keys) {
    const auto mine = replies.subspan(n / keys * kReplies, kReplies);
    if (question.part.size() > 1 && question.is_by_key &&
        std::ranges::any_of(mine, redis::sends_elsewhere)) {
      question.elsewhere.push_back(question.part[n]);
      question.found.resize(question.found.size() + 2);
      continue;
    }
    const auto& all = redis::read_exec(mine, 3, question.nonce, name);
    if (question.doubt.empty()) question.doubt = redis::role_doubt(all[1], false, name);
    if (all[2].is(Reply::Type::error)) throw redis::RefusedError(name, all[2].text);
    if (all[2].elements.size() != 2 * keys) redis::fail_answer(name, "its entries");
    question.found.insert(question.found.end(), all[2].elements.begin(), all[2].elements.end());
  }
}

// Returns those that were not answered, which are misses so far.
SharedStrings::Part SharedStrings::read(const Question& question, Answers answers) {
  if (!question.doubt.empty()) {
    server_->client.suspect(question.request.key());
    throw StoreError(server_->client.location().text() + ": " + question.doubt);
  }
  for (std::size_t n = 0; n < question.part.size(); ++n) {
    answers[question.part[n]] = answer_in(question.found[2 * n], question.found[2 * n + 1]);
  }
  return question.elsewhere;
}

SharedStrings::Ahead::Ahead(SharedStrings& cache, std::span<const Key> keys) : cache_(cache) {
  if (keys.empty() || keys.size() > kKeysInTrip || cache.server_->old ||
      cache.location().way == redis::Way::cluster) {
    return;
  }
  Part all(keys.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  question_ = cache.question(keys, std::move(all));
  rider_ = std::make_unique<redis::Rider>(
      cache.location(), question_->request,
      [this](std::span<const Reply> replies) { cache_.judge(*question_, replies); });
}

SharedStrings::Ahead::~Ahead() = default;

bool SharedStrings::Ahead::take(std::span<CacheAnswer<std::string>> answers) {
  if (!rider_ || !rider_->has_answer()) return false;
  cache_.read(*question_, answers);
  return true;
}

void SharedStrings::put_many(std::span<const CacheEntry<std::string>> entries,
                             const CallContext& context) {
  if (server_->old) return;
  std::vector<GuardVerbs::Row> rows;
  std::vector<CacheEntry<std::string>> without;
  for (const auto& each : entries) {
    if (!each.lease.empty()) {
      rows.push_back({.key = each.key,
                      .lease = each.lease,
                      .value = each.value,
                      .life = each.ttl,
                      .refresh_after = each.refresh_after});
    } else if (!each.ticket) {
      without.push_back(each);
    }
  }
  server_->verbs.put(rows, context);
  if (!without.empty()) put_anyway(without, context);
}

// Takes away what is there for a value, with what others load, and then takes the lease.
void SharedStrings::put_anyway(std::span<const CacheEntry<std::string>> entries,
                               const CallContext& context) {
  std::vector<Key> keys;
  std::vector<Key> replaced;
  for (const auto& each : entries) {
    keys.push_back(each.key);
    if (each.value != nullptr) replaced.push_back(each.key);
  }
  server_->verbs.erase(replaced, {}, context);
  const auto said = server_->verbs.get(keys, context);
  std::vector<GuardVerbs::Row> rows;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (said[i].said != GuardVerbs::Said::lease) continue;
    rows.push_back({.key = keys[i],
                    .lease = said[i].lease,
                    .value = entries[i].value,
                    .life = entries[i].ttl,
                    .refresh_after = entries[i].refresh_after});
  }
  server_->verbs.put(rows, context);
}

void SharedStrings::drop_many(std::span<const CacheEntry<std::string>> entries,
                              const CallContext& context) {
  std::vector<GuardVerbs::Row> rows;
  for (const auto& each : entries) rows.push_back({.key = each.key, .lease = each.lease});
  server_->verbs.drop(rows, context);
}

bool SharedStrings::announce_many(std::span<const Key> keys, const Identity& insert,
                                  const CallContext& context) {
  return server_->verbs.announce(keys, insert, context);
}

void SharedStrings::end_insert_many(std::span<const Key> keys, const Identity& insert,
                                    const CallContext& context) {
  server_->verbs.erase(keys, insert, context);
  if (server_->old) server_->old->erase_many(keys, context);
}

void SharedStrings::erase_many(std::span<const Key> keys, const CallContext& context) {
  end_insert_many(keys, {}, context);
}

}  // namespace bloomery
