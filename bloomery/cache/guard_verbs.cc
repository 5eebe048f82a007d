// SPDX-License-Identifier: Apache-2.0
#include "bloomery/cache/guard_verbs.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "bloomery/cache/guard_script.h"
#include "bloomery/redis/client/redirection.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/client/transaction.h"
#include "bloomery/text/hex_word.h"

namespace bloomery {
namespace {

using redis::Repeat;
using redis::Reply;
using redis::Request;
using std::chrono::milliseconds;

constexpr milliseconds kLongestLife{315'360'000'000};
constexpr std::size_t kKeysInCall = 1'000;
constexpr std::size_t kBytesInCall = 8'000'000;
constexpr std::size_t kCallsInTrip = 1'000;

std::string text_of(milliseconds time) {
  return std::to_string(time.count());
}

std::string token_of(const Identity& identity) {
  return identity.is_set() ? hex_word(identity.high) + hex_word(identity.low) : std::string();
}

void require_life(const char* what, milliseconds life) {
  if (life >= milliseconds(1) && life <= kLongestLife) return;
  throw std::invalid_argument("guard: " + std::string(what) + " is " + text_of(life) +
                              " ms; allowed: 1 to " + text_of(kLongestLife) + " ms");
}

bool is_unknown_script(const Reply& reply) {
  return reply.is(Reply::Type::error) && reply.text.starts_with("NOSCRIPT");
}

// Empty where there is none.
const std::string& text_at(const Reply& reply, std::size_t i) {
  static const std::string nothing;
  return i < reply.elements.size() ? reply.elements[i].text : nothing;
}

GuardVerbs::Answer answer_in(const Reply& reply, const std::string& name) {
  using Said = GuardVerbs::Said;
  const std::string& word = text_at(reply, 0);
  if (word == "value") {
    return {.said = Said::value, .value = text_at(reply, 2), .lease = text_at(reply, 3)};
  }
  if (word == "lease") return {.said = Said::lease, .lease = text_at(reply, 2)};
  if (word == "none") return {.said = Said::none};
  if (word == "wait") return {.said = Said::wait};
  if (word != "open") redis::fail_answer(name, "no answer of a guard");
  return {};
}

const std::vector<Reply>& elements_of(const Reply& reply, std::size_t count,
                                      const std::string& name) {
  if (!reply.is(Reply::Type::array) || reply.elements.size() != count) {
    redis::fail_answer(name, "so many keys were not asked for");
  }
  return reply.elements;
}

}  // namespace

GuardVerbs::GuardVerbs(redis::Client& client, std::string name, GuardVerbsOptions options)
    : client_(client), name_(std::move(name)), options_(std::move(options)) {
  require_life("lease_life", options_.lease_life);
  require_life("mark_life", options_.mark_life);
}

bool GuardVerbs::is_cluster() const noexcept {
  return client_.location().way == redis::Way::cluster;
}

std::string GuardVerbs::entry_name(Key key) const {
  std::string name = name_ + ":{=";
  return name.append(key).append("}");
}

std::vector<std::vector<std::size_t>> GuardVerbs::parts_of(std::span<const Key> keys,
                                                           std::size_t most,
                                                           const CallContext& context) {
  std::vector<std::size_t> nodes(keys.size());
  if (is_cluster() && keys.size() > 1) {
    std::vector<std::string> names;
    names.reserve(keys.size());
    for (const Key key : keys) names.push_back(entry_name(key));
    const std::vector<std::string_view> views(names.begin(), names.end());
    nodes = client_.nodes_of(views, context);
  }
  std::vector<std::vector<std::size_t>> parts;
  std::vector<std::size_t> part_of;  // of each node: the part that has room, plus one
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (nodes[i] >= part_of.size()) part_of.resize(nodes[i] + 1);
    std::size_t& part = part_of[nodes[i]];
    if (part == 0 || parts[part - 1].size() >= most) {
      parts.emplace_back();
      part = parts.size();
    }
    parts[part - 1].push_back(i);
  }
  return parts;
}

std::vector<GuardVerbs::Call> GuardVerbs::calls_of(
    std::span<const Key> keys, const std::vector<std::string>& first,
    const std::function<void(std::size_t i, Call& call)>& add) const {
  const std::size_t most = is_cluster() ? 1 : kKeysInCall;
  std::vector<Call> calls;
  std::size_t byte_count = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (calls.empty() || calls.back().keys.size() >= most || byte_count > kBytesInCall) {
      calls.push_back({.arguments = first});
      byte_count = 0;
    }
    Call& call = calls.back();
    call.keys.push_back(keys[i]);
    add(i, call);
    byte_count += call.arguments.empty() ? 0 : call.arguments.back().size();
  }
  return calls;
}

// `whole`: with the script's text.
std::vector<std::string> GuardVerbs::words_of(std::string_view verb, const Call& call,
                                              bool whole) const {
  std::vector<std::string> words;
  words.reserve(4 + 2 * call.keys.size() + call.arguments.size());
  if (options_.commands.empty()) {
    words.emplace_back(whole ? "EVAL" : "EVALSHA");
    words.emplace_back(whole ? kGuardScript : kGuardScriptSum);
  } else {
    words.push_back(options_.commands + "." + std::string(verb));
  }
  words.push_back(std::to_string(2 * call.keys.size()));
  for (const Key key : call.keys) {
    words.push_back(entry_name(key));
    words.push_back(words.back() + ":lease");
  }
  if (options_.commands.empty()) words.emplace_back(verb);
  words.insert(words.end(), call.arguments.begin(), call.arguments.end());
  return words;
}

// One trip of the calls of a part. Returns those that were not done: their keys are elsewhere by
// now, or the server does not know the script.
std::vector<std::size_t> GuardVerbs::travel(std::string_view verb, std::span<const Call> calls,
                                            std::span<const std::size_t> part, bool whole,
                                            const CallContext& context, const Take& take) {
  Request request;
  request.about(entry_name(calls[part.front()].keys.front()));
  if (part.size() > 1) request.of_several_slots();
  for (const std::size_t i : part) {
    const auto words = words_of(verb, calls[i], whole && i == part.front());
    request.add(std::vector<std::string_view>(words.begin(), words.end()));
  }
  // Replicas need not have what a reader writes.
  if (verb == "get" || verb == "put" || verb == "drop") request.reads_only();
  const redis::Answer answer = client_.run(request, Repeat::safe, context);
  std::vector<std::size_t> left;
  for (std::size_t n = 0; n < part.size(); ++n) {
    const Reply& reply = answer.replies.at(n);
    if (is_unknown_script(reply) || (part.size() > 1 && redis::sends_elsewhere(reply))) {
      left.push_back(part[n]);
      continue;
    }
    if (reply.is(Reply::Type::error) && reply.text.starts_with("GUARD not a primary")) {
      client_.suspect(request.key());
    }
    take(part[n], redis::require_done(reply, client_.location()));
  }
  return left;
}

void GuardVerbs::run(std::string_view verb, std::span<const Call> calls, const CallContext& context,
                     const Take& take) {
  if (calls.empty()) return;
  std::vector<Key> firsts;
  for (const Call& call : calls) firsts.push_back(call.keys.front());
  // Outside of a cluster a call is as large as a trip should be.
  const std::size_t most = is_cluster() ? kCallsInTrip : 1;
  for (const auto& part : parts_of(firsts, most, context)) {
    auto left = travel(verb, calls, part, false, context, take);
    if (left.empty()) continue;
    left = travel(verb, calls, left, true, context, take);
    for (const std::size_t i : left) {
      if (!travel(verb, calls, {&i, 1}, true, context, take).empty()) {
        throw redis::RefusedError(client_.location().server(), "NOSCRIPT it forgets scripts");
      }
    }
  }
}

std::vector<GuardVerbs::Answer> GuardVerbs::get(std::span<const Key> keys,
                                                const CallContext& context) {
  const std::string name = client_.location().text();
  const auto calls =
      calls_of(keys, {"", "", "", "", token_of(Identity::random()), text_of(options_.lease_life)},
               [&](std::size_t i, Call& call) { call.arguments.emplace_back(keys[i]); });
  std::vector<Answer> answers(keys.size());
  std::vector<std::size_t> begins(calls.size());
  for (std::size_t i = 1; i < calls.size(); ++i) {
    begins[i] = begins[i - 1] + calls[i - 1].keys.size();
  }
  run("get", calls, context, [&](std::size_t call, const Reply& reply) {
    const auto& all = elements_of(reply, calls[call].keys.size(), name);
    for (std::size_t i = 0; i < all.size(); ++i) {
      answers[begins[call] + i] = answer_in(all[i], name);
      if (text_at(all[i], 2) == "role" && text_at(all[i], 0) == "open") {
        client_.suspect(entry_name(calls[call].keys[i]));
      }
    }
  });
  return answers;
}

std::size_t GuardVerbs::put(std::span<const Row> rows, const CallContext& context) {
  std::vector<Key> keys;
  for (const Row& row : rows) keys.push_back(row.key);
  const auto calls = calls_of(keys, {}, [&](std::size_t i, Call& call) {
    const Row& row = rows[i];
    const milliseconds life = std::clamp(row.life, milliseconds(1), kLongestLife);
    const milliseconds after = std::clamp(row.refresh_after, milliseconds(0), kLongestLife);
    const bool is_row = row.value != nullptr;
    call.arguments.emplace_back(row.lease);
    call.arguments.emplace_back(is_row ? "V" : "N");
    call.arguments.push_back(text_of(life));
    call.arguments.push_back(is_row ? text_of(after) : "0");
    call.arguments.push_back(is_row ? *row.value : std::string());
  });
  std::size_t late = 0;
  std::string refused;
  run("put", calls, context, [&](std::size_t call, const Reply& reply) {
    for (const Reply& each :
         elements_of(reply, calls[call].keys.size(), client_.location().text())) {
      if (!each.is(Reply::Type::number)) refused = each.text;
      late += each.is(Reply::Type::number) && each.number == 0 ? 1 : 0;
    }
  });
  if (!refused.empty()) throw redis::RefusedError(client_.location().server(), refused);
  return late;
}

void GuardVerbs::drop(std::span<const Row> rows, const CallContext& context) {
  std::vector<Key> keys;
  for (const Row& row : rows) keys.push_back(row.key);
  const auto calls = calls_of(
      keys, {}, [&](std::size_t i, Call& call) { call.arguments.emplace_back(rows[i].lease); });
  run("drop", calls, context, [](std::size_t, const Reply&) {});
}

bool GuardVerbs::announce(std::span<const Key> keys, const Identity& insert,
                          const CallContext& context) {
  const auto calls =
      calls_of(keys, {"", "", "", "", token_of(insert), text_of(options_.mark_life)},
               [&](std::size_t i, Call& call) { call.arguments.emplace_back(keys[i]); });
  bool held = true;
  run("announce", calls, context, [&](std::size_t call, const Reply& reply) {
    const auto& all = elements_of(reply, calls[call].keys.size() + 1, client_.location().text());
    for (std::size_t i = 1; i < all.size(); ++i) held = held && all[i].number == 1;
  });
  return held;
}

void GuardVerbs::erase(std::span<const Key> keys, const Identity& insert,
                       const CallContext& context) {
  const auto calls = calls_of(keys, {token_of(insert)}, [](std::size_t, Call&) {});
  run("erase", calls, context, [](std::size_t, const Reply&) {});
}

}  // namespace bloomery
