// SPDX-License-Identifier: Apache-2.0
// One actor of the scenes, over CacheGuard, RedisCache and RedisLookaside: JSON a line on standard
// input, and its answers on standard output.
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/cache/redis_lookaside.h"
#include "bloomery/errors.h"
#include "bloomery/guard/cache_guard.h"
#include "bloomery/open/open_place.h"
#include "bloomery/place/opened_filter.h"

namespace bloomery {
namespace {

using Json = nlohmann::json;

void say(const char* name, const Json& value) {
  std::cout << Json{{name, value}}.dump() << std::endl;
}

Json hear() {
  std::string line;
  if (!std::getline(std::cin, line)) std::exit(0);
  return Json::parse(line);
}

struct LoaderFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct NotErased : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::vector<std::optional<Json>> load(std::span<const Key> keys) {
  say("load", std::vector<std::string>(keys.begin(), keys.end()));
  const Json said = hear();
  if (!said.contains("rows")) throw LoaderFailed("the loader");
  std::vector<std::optional<Json>> rows;
  for (const Json& row : said["rows"]) {
    rows.push_back(row.is_null() ? std::nullopt : std::optional(row));
  }
  return rows;
}

ValueBytes<Json> json_bytes() {
  return {.encode = [](const Json& value) { return value.dump(); },
          .decode = [](std::string_view bytes) -> std::optional<Json> {
            Json value = Json::parse(bytes, nullptr, false);
            if (value.is_discarded() || value.is_null()) return std::nullopt;
            return value;
          }};
}

// Without a filter on the server nothing is ever absent.
class NoFilter final : public FilterPlace {
 public:
  std::string name() const override { return "none"; }
  void ask(std::span<const Key>, std::span<Presence>, Proofs&, const CallContext&) override {}
  void insert_many(std::span<const Key>, std::span<Inserted>, const CallContext&) override {}
  PlaceHead head(const CallContext&) override { return {}; }
};

std::chrono::milliseconds life(const Json& options, const char* name,
                               std::chrono::milliseconds usual) {
  if (!options.contains(name)) return usual;
  return std::chrono::milliseconds(std::llround(options[name].get<double>() * 1000));
}

GuardOptions guard_options(const Json& options) {
  GuardOptions made{.audit_every = 0};
  made.value_ttl = life(options, "value_life", made.value_ttl);
  made.negative_ttl = life(options, "negative_life", made.negative_ttl);
  made.wait_limit = life(options, "wait_limit", made.wait_limit);
  made.ttl_jitter = options.value("jitter", made.ttl_jitter);
  made.refresh_ahead = options.value("refresh_ahead", made.refresh_ahead);
  made.reads_replica = options.value("reads_replica", false);
  return made;
}

GuardVerbsOptions verbs_options(const Json& options) {
  GuardVerbsOptions made;
  made.lease_life = life(options, "lease_life", made.lease_life);
  made.mark_life = life(options, "mark_life", made.mark_life);
  made.commands = options.value("commands", "");
  return made;
}

// All that an actor has from `open` on.
class Guarded {
 public:
  Guarded(const std::string& server, const std::string& name, const Json& options)
      : cache_(server +
                   (options.contains("wait") ? "?wait=" + options["wait"].get<std::string>() : "") +
                   "#" + name,
               json_bytes(), verbs_options(options)) {
    if (options.contains("filter")) {
      const bool is_ours = options.value("family", "BLOOM") == "BLOOM";
      const std::string location =
          (is_ours ? "bloom:" : "bf:") + server + "#" + options["filter"].get<std::string>();
      opened_.emplace(location, [location] {
        return open_place(location, {.access = PlaceOptions::read_write});
      });
      both_.emplace(*opened_, cache_);
    }
    FilterPlace& filter = opened_ ? static_cast<FilterPlace&>(*opened_) : none_;
    guard_.emplace(filter, cache_, load, guard_options(options), both_ ? &*both_ : nullptr);
  }

  CacheGuard<Json>& guard() { return *guard_; }
  void reopen() {
    if (opened_) opened_->reopen();
  }
  std::map<std::string, InsertToken>& tokens() { return tokens_; }

 private:
  NoFilter none_{};
  std::optional<OpenedFilter> opened_{};
  RedisCache<Json> cache_;
  std::optional<RedisLookaside<Json>> both_{};
  std::optional<CacheGuard<Json>> guard_{};
  std::map<std::string, InsertToken> tokens_{};
};

Json row_of(const std::optional<Json>& row) {
  return row ? *row : Json();
}

class Actor {
 public:
  void run() {
    for (;;) {
      const Json said = hear();
      try {
        act(said["do"], said);
      } catch (const LoaderFailed&) {
        say("error", "LoaderError");
      } catch (const WaitedTooLong&) {
        say("error", "WaitedTooLong");
      } catch (const GuardOverloaded&) {
        say("error", "Overloaded");
      } catch (const NotErased&) {
        say("error", "NotErased");
      } catch (const std::exception& error) {
        // An announcement that throws means one thing, whoever threw it.
        const bool announces = said["do"] == "announce" || said["do"] == "renew";
        say("error", announces ? "NotAnnounced" : error.what());
      }
    }
  }

 private:
  void act(const std::string& verb, const Json& said) {
    if (verb == "open") {
      guarded_.reset();
      guarded_ =
          std::make_unique<Guarded>("redis://127.0.0.1:" + std::to_string(said["port"].get<int>()),
                                    said["name"].get<std::string>(), said["options"]);
      return say("did", verb);
    }
    CacheGuard<Json>& guard = guarded_->guard();
    std::vector<std::string> texts;
    if (said.contains("keys")) texts = said["keys"].get<std::vector<std::string>>();
    const std::vector<Key> keys(texts.begin(), texts.end());
    if (verb == "get") return say("rows", Json::array({row_of(guard.get(keys.at(0)))}));
    if (verb == "get_many") {
      Json rows = Json::array();
      for (const auto& row : guard.get_many(keys)) rows.push_back(row_of(row));
      return say("rows", rows);
    }
    auto& tokens = guarded_->tokens();
    const std::string as = said.value("as", "");
    if (verb == "announce") {
      tokens.erase(as);
      tokens.emplace(as, guard.will_insert_many(keys));
    } else if (verb == "renew") {
      return say("held", tokens.at(as).renew());
    } else if (verb == "release" || verb == "erase") {
      try {
        if (verb == "erase") guard.erased_many(keys);
        if (verb == "release") tokens.at(as).release();
      } catch (const StoreError& error) {
        throw NotErased(error.what());
      }
    } else if (verb == "reopen") {
      guarded_->reopen();
    } else {
      throw std::invalid_argument("no such verb: " + verb);
    }
    say("did", verb);
  }

  std::unique_ptr<Guarded> guarded_{};
};

}  // namespace
}  // namespace bloomery

int main() {
  bloomery::Actor().run();
}
