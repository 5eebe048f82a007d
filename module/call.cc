// SPDX-License-Identifier: Apache-2.0
#include "module/call.h"

#include <chrono>
#include <limits>
#include <string>

#include "bloomery/text/shortest.h"
#include "module/bf_options.h"
#include "module/server_memory.h"

namespace bloomery::module {
namespace {

// Returns the name of a command as this server has it. Replicas and files know the commands by the
// names of this server.
std::string named(const char* command) {
  return the_module().names.command(command);
}

}  // namespace

std::string_view Call::word(std::size_t i) const noexcept {
  std::size_t size = 0;
  const char* const bytes = api().string_bytes(words_[i], &size);
  return {bytes, size};
}

std::vector<std::string_view> Call::words(std::size_t first) const {
  std::vector<std::string_view> all;
  all.reserve(size() - first);
  for (std::size_t i = first; i < size(); ++i) all.push_back(word(i));
  return all;
}

int Call::flags() const noexcept {
  if (!flags_) flags_ = api().context_flags(context_);
  return *flags_;
}

bool Call::is_replay() const noexcept {
  return module::is_replay(flags());
}

bool Call::is_slot_move() const noexcept {
  return module::is_slot_move(flags());
}

bool Call::is_in_cluster() const noexcept {
  return (flags() & kCluster) != 0;
}

Settings Call::limits() const noexcept {
  Settings settings = the_module().settings;
  settings.is_replay = is_replay();
  if (settings.is_replay) settings.most_capacity = std::numeric_limits<std::int64_t>::max();
  return settings;
}

void Call::reply_simple(const char* text) const {
  api().reply_simple(context_, text);
}
void Call::reply_error(const char* text) const {
  api().reply_error(context_, text);
}
void Call::reply_number(std::uint64_t number) const {
  api().reply_number(context_, static_cast<long long>(number));
}
void Call::reply_real(double number) const {
  api().reply_double(context_, number);
}
void Call::reply_bool(bool value) const {
  if (api().reply_bool != nullptr) {
    api().reply_bool(context_, value ? 1 : 0);
  } else {
    api().reply_number(context_, value ? 1 : 0);
  }
}
void Call::reply_null() const {
  api().reply_null(context_);
}
void Call::reply_bytes(std::span<const std::byte> bytes) const {
  reply_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}
void Call::reply_bytes(std::string_view text) const {
  api().reply_bytes(context_, text.empty() ? "" : text.data(), text.size());
}
void Call::reply_array(std::size_t size) const {
  api().reply_array(context_, static_cast<long>(size));
}
bool Call::is_resp3() const noexcept {
  return (flags() & kResp3) != 0;
}
bool Call::has_maps() const noexcept {
  return api().reply_map != nullptr && is_resp3();
}
void Call::reply_map(std::size_t size) const {
  if (has_maps()) {
    api().reply_map(context_, static_cast<long>(size));
  } else {
    reply_array(2 * size);
  }
}

void Call::replicate() const {
  api().replicate_verbatim(context_);
}

void Call::replicate_reserve(const redisbloom::ReserveOptions& options) const {
  const std::string rate = shortest(options.error_rate);
  const std::string capacity = std::to_string(options.capacity);
  const std::string expansion = std::to_string(options.expansion);
  const std::string command = named("BF.RESERVE");
  const bool is_said = options.nonscaling && options.expansion != 0;
  if (is_said && options.expansion == kUnsaidExpansion) {
    api().replicate(context_, command.c_str(), "sccc", words_[1], rate.c_str(), capacity.c_str(),
                    "NONSCALING");
  } else {
    api().replicate(context_, command.c_str(), is_said ? "sccccc" : "scccc", words_[1],
                    rate.c_str(), capacity.c_str(), "EXPANSION", expansion.c_str(), "NONSCALING");
  }
}

void Call::replicate_insert(const redisbloom::ReserveOptions& options,
                            std::span<String* const> items) const {
  const std::string rate = shortest(options.error_rate);
  const std::string capacity = std::to_string(options.capacity);
  const std::string expansion = std::to_string(options.expansion);
  const std::string command = named("BF.INSERT");
  if (options.nonscaling && options.expansion != 0) {
    api().replicate(context_, command.c_str(), "sccccccccv", words_[1], "CAPACITY",
                    capacity.c_str(), "ERROR", rate.c_str(), "EXPANSION", expansion.c_str(),
                    "NONSCALING", "ITEMS", items.data(), items.size());
    return;
  }
  api().replicate(context_, command.c_str(), "scccccccv", words_[1], "CAPACITY", capacity.c_str(),
                  "ERROR", rate.c_str(), "EXPANSION", expansion.c_str(), "ITEMS", items.data(),
                  items.size());
}

void Call::replicate_first(std::size_t count) const {
  const std::string name(word(0));
  const auto words = words_.subspan(1, count - 1);
  api().replicate(context_, name.c_str(), "v", words.data(), words.size());
}

void Call::replicate_add(const char* command, std::span<String* const> items) const {
  api().replicate(context_, named(command).c_str(), "sv", words_[1], items.data(), items.size());
}

void Call::replicate_apply(std::uint64_t milliseconds, std::span<String* const> items) const {
  api().replicate(context_, named("BLOOM.APPLY").c_str(), "slv", words_[1],
                  static_cast<long long>(milliseconds), items.data(), items.size());
}

void Call::replicate_chunk(std::uint64_t iterator, std::span<const std::byte> bytes) const {
  api().replicate(context_, named("BF.LOADCHUNK").c_str(), "slb", words_[1],
                  static_cast<long long>(iterator), bytes.data(), bytes.size());
}

void Call::replicate_head(std::span<const std::byte> head) const {
  api().replicate(context_, named("BLOOM.LOAD").c_str(), "scb", words_[1], "EMPTY", head.data(),
                  head.size());
}

void Call::expire_after(OpenKey& key, std::uint64_t milliseconds) const {
  if (milliseconds == 0) return;
  key.expire_after(milliseconds);
  // The clock that servers expire keys by may have been set since windows began to count.
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto when = std::chrono::floor<std::chrono::milliseconds>(now).count() +
                    static_cast<std::int64_t>(milliseconds);
  api().replicate(context_, "PEXPIREAT", "sl", words_[1], static_cast<long long>(when));
}

void Call::replicate_abort() const {
  api().replicate(context_, named("BLOOM.LOAD").c_str(), "sc", words_[1], "ABORT");
}

void Call::replicate_delete() const {
  api().replicate(context_, "DEL", "s", words_[1]);
}

void Call::replicate_reserve(const redisbloom::CuckooOptions& options) const {
  const std::string capacity = std::to_string(options.capacity);
  const std::string bucket_size = std::to_string(options.bucket_size);
  const std::string iterations = std::to_string(options.max_iterations);
  const std::string expansion = std::to_string(options.expansion);
  api().replicate(context_, named("CF.RESERVE").c_str(), "sccccccc", words_[1], capacity.c_str(),
                  "BUCKETSIZE", bucket_size.c_str(), "MAXITERATIONS", iterations.c_str(),
                  "EXPANSION", expansion.c_str());
}

void Call::replicate_cuckoo_insert(std::span<String* const> items) const {
  api().replicate(context_, named("CF.INSERT").c_str(), "sccv", words_[1], "NOCREATE", "ITEMS",
                  items.data(), items.size());
}

void Call::require_not_evicted() const {
  if ((flags() & kFromPrimary) == 0) return;
  if (is_slot_move() || replica_evicts(context_)) throw Evicted();
}

void Call::replicate_lost(std::string_view why) const {
  api().replicate(context_, named("BLOOM.LOAD").c_str(), "scb", words_[1], "LOST", why.data(),
                  why.size());
}

void Call::log_lost(const std::string& why) const {
  constexpr std::size_t kMostBytes = 200;
  const std::string_view key = word(1).substr(0, kMostBytes);
  api().log(context_, "warning", "bloomery: the filter `%.*s` is lost: %s",
            static_cast<int>(key.size()), key.data(), why.c_str());
}

void Call::changed(const char* event) const {
  api().signal_modified_key(context_, words_[1]);
  api().notify_keyspace_event(context_, kModuleEvent, event, words_[1]);
}

}  // namespace bloomery::module
