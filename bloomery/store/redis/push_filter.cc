#include "bloomery/store/redis/push_filter.h"

#include <array>
#include <cstdio>
#include <exception>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/format/native/write_native.h"
#include "bloomery/store/redis/redis_connection.h"

namespace bloomery {
namespace {

constexpr int kMostOnTheirWay = 4;  // pieces of a megabyte each
constexpr int kMostMoves = 5;

using Words = std::span<const std::string_view>;

// The server of an answer "MOVED slot host:port".
std::optional<RedisLocation> moved_to(const RedisReply& reply, RedisLocation from) {
  if (!reply.is_error || !reply.text.starts_with("MOVED ")) return std::nullopt;
  const std::size_t at = reply.text.rfind(' ') + 1;
  const std::size_t colon = reply.text.rfind(':');
  if (colon == std::string::npos || colon < at) return std::nullopt;
  // An empty host is the one that was asked.
  if (colon > at) from.host = reply.text.substr(at, colon - at);
  from.socket.clear();
  from.port = static_cast<std::uint16_t>(std::stoul("0" + reply.text.substr(colon + 1)));
  return from;
}

// Nobody else's.
std::string new_load_id() {
  std::random_device random;
  std::array<char, 33> digits{};
  for (std::size_t i = 0; i < 32; i += 8) {
    std::snprintf(&digits[i], 9, "%08x", static_cast<unsigned>(random()));
  }
  return digits.data();
}

// The steps of one load.
class Load {
 public:
  Load(const PushOptions& options, std::string id)
      : options_(options),
        command_((options.prefix.empty() ? "" : options.prefix + ".") + "BLOOM.LOAD"),
        id_(std::move(id)) {}

  // The first, `words` behind the key; elsewhere, if the key has another node.
  void begin(RedisLocation location, const std::vector<std::string_view>& words) {
    for (int moves = 0;; ++moves) {
      connection_.emplace(location, options_.timeout);
      key_ = location.key;
      send(words);
      const RedisReply reply = connection_->receive();
      if (!reply.is_error) return;
      const auto moved = moved_to(reply, location);
      if (!moved || moves == kMostMoves) fail(reply);
      location = *moved;
    }
  }

  void send(const std::vector<std::string_view>& words) {
    std::vector<std::string_view> all{command_, key_};
    all.insert(all.end(), words.begin(), words.end());
    all.push_back("ID");
    all.push_back(id_);
    connection_->send(all);
  }
  void take_answer() {
    const RedisReply reply = connection_->receive();
    if (reply.is_error) fail(reply);
  }
  const std::string& id() const noexcept { return id_; }

 private:
  [[noreturn]] void fail(const RedisReply& reply) const {
    const bool has_no_module = reply.text.find("unknown command") != std::string::npos;
    connection_->fail(has_no_module ? "it has no " + command_ + ": bloomery.so is not loaded there"
                                    : reply.text);
  }

  const PushOptions& options_;
  std::string command_;
  std::string id_;
  std::string key_{};
  std::optional<RedisConnection> connection_{};
};

class Push {
 public:
  Push(const FilterContents& contents, const PushOptions& options)
      : contents_(contents),
        options_(options),
        head_(contents, options.notes),
        load_(options, options.load_id.empty() ? new_load_id() : options.load_id) {}

  void begin(const RedisLocation& location) {
    const std::string byte_count = std::to_string(head_.layout.file_bytes);
    load_.begin(location, {options_.load_id.empty() ? "BEGIN" : "BYTES", byte_count});
  }

  void send_pieces() {
    write_native(head_, contents_, [&](std::span<const std::byte> bytes) {
      const std::string offset = std::to_string(sent_);
      const std::string_view data(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      if (on_their_way_ == kMostOnTheirWay) take_answer();
      load_.send({"AT", offset, data});
      ++on_their_way_;
      sent_ += bytes.size();
      if (options_.progress) options_.progress(sent_, head_.layout.file_bytes);
    });
    while (on_their_way_ > 0) take_answer();
  }

  std::uint64_t commit() {
    load_.send({"COMMIT"});
    load_.take_answer();
    return sent_;
  }

 private:
  void take_answer() {
    load_.take_answer();
    --on_their_way_;
  }

  const FilterContents& contents_;
  const PushOptions& options_;
  NativeHead head_;
  Load load_;
  std::uint64_t sent_ = 0;
  int on_their_way_ = 0;
};

}  // namespace

std::string begin_push(const RedisLocation& location, const PushOptions& options) {
  Load load(options, new_load_id());
  load.begin(location, {"BEGIN", "EX", "86400"});
  return load.id();
}

void abort_push(const RedisLocation& location, const PushOptions& options) noexcept {
  try {
    Load load(options, options.load_id);
    load.begin(location, {"ABORT"});
  } catch (const std::exception&) {
    // Its time ends it.
  }
}

std::uint64_t push_filter(const FilterContents& contents, const RedisLocation& location,
                          const PushOptions& options) {
  Push push(contents, options);
  push.begin(location);
  push.send_pieces();
  return push.commit();
}

}  // namespace bloomery
