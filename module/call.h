// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/format/redisbloom/redisbloom_cuckoo.h"
#include "bloomery/format/redisbloom/redisbloom_filter.h"
#include "module/lost_filter.h"
#include "module/names.h"
#include "module/redis_api.h"
#include "module/refusal.h"
#include "module/settings.h"
#include "module/upload.h"
#include "module/value_type.h"

namespace bloomery::module {

// The state that there is once: a server loads a module once, and calls it from one thread.
struct Module {
  Api api{};
  Names names{};
  Settings settings{};
  std::array<Type*, kValueTypeCount> types{};  // by ValueType
  bool is_loaded = false;
};
Module& the_module() noexcept;
inline const Api& api() noexcept {
  return the_module().api;
}

// A text that is the server's, until the end of this.
class ServerString {
 public:
  ServerString(Context* context, std::string_view text);
  ~ServerString();
  ServerString(const ServerString&) = delete;
  ServerString& operator=(const ServerString&) = delete;

  String* get() const noexcept { return string_; }

 private:
  Context* context_;
  String* string_;
};

// A key as a command opened it, until the end of this. A `Value` is a class of what keys hold: it
// has type(), is_type(type) for all that its pointers may be, and Kept, the class of the pointer
// that the server has.
class OpenKey {
 public:
  OpenKey(Context* context, String* name, int mode);
  ~OpenKey();
  OpenKey(const OpenKey&) = delete;
  OpenKey& operator=(const OpenKey&) = delete;

  bool is_empty() const noexcept { return is_empty_; }
  // Null if the key is empty or holds another type.
  template <class Value>
  Value* get() const noexcept {
    if (!type_ || !Value::is_type(*type_)) return nullptr;
    return static_cast<Value*>(static_cast<typename Value::Kept*>(value_));
  }
  // Throws Refusal where there is something else.
  template <class Value>
  Value* get_or_none() const {
    Value* const value = get<Value>();
    if (value == nullptr && !is_empty_) {
      require_not_lost();
      throw WrongType();
    }
    return value;
  }
  // Returns the value as get_or_none() does, but throws Refusal also for a key that is empty.
  template <class Value>
  Value& existing(const char* missing = "ERR not found") const {
    Value* const value = get_or_none<Value>();
    if (value == nullptr) throw Refusal(missing);
    return *value;
  }

  // Whether there is nothing to ask or to add to until a load ends.
  bool has_no_filter_yet() const;
  // Throws Refusal where a filter was to be, and is lost. `get` takes the key for one of another
  // type.
  void require_not_lost() const;

  // Keeps the value, in the place of what there was. The key is open for writing.
  template <class Value>
  Value& store(std::unique_ptr<Value> value) {
    set(value->type(), static_cast<typename Value::Kept*>(value.get()));
    return *value.release();
  }
  // Stores as store() does, where the value is what the key held, and now of another type: the
  // expiry stays.
  template <class Value>
  Value& store_again(std::unique_ptr<Value> value) {
    const long long expiry = expires_after();
    Value& stored = store(std::move(value));
    if (expiry >= 0) expire_after(static_cast<std::uint64_t>(expiry));
    return stored;
  }
  void remove();
  void expire_after(std::uint64_t milliseconds);

 private:
  void set(ValueType type, void* value);
  long long expires_after() const;

  OpenedKey* key_;
  bool is_empty_ = true;
  std::optional<ValueType> type_;
  void* value_ = nullptr;
};

// One call of a command: its words, its answer, and what becomes of it elsewhere. Word 1 is a key.
class Call {
 public:
  Call(Context* context, std::span<String* const> words) : context_(context), words_(words) {}

  std::size_t size() const noexcept { return words_.size(); }
  std::string_view word(std::size_t i) const noexcept;
  std::span<const std::byte> bytes(std::size_t i) const noexcept {
    return std::as_bytes(std::span<const char>(word(i)));
  }
  std::vector<std::string_view> words(std::size_t first = 0) const;
  OpenKey open(int mode, std::size_t word = 1) const { return {context_, words_[word], mode}; }
  OpenKey open(const ServerString& name, int mode) const { return {context_, name.get(), mode}; }
  ServerString make_string(std::string_view text) const { return {context_, text}; }

  bool is_in_cluster() const noexcept;
  // A primary, or a file of commands, has decided already: limits are not for it.
  bool is_replay() const noexcept;
  // A node that gives a slot to this one says it. Valkey takes an error for "no", and the slot
  // stays where it is; Redis writes one into its log, and goes on.
  bool is_slot_move() const noexcept;
  Settings limits() const noexcept;

  void reply_ok() const { reply_simple("OK"); }
  void reply_simple(const char* text) const;
  void reply_error(const char* text) const;
  void reply_number(std::uint64_t number) const;
  void reply_real(double number) const;
  void reply_bool(bool value) const;
  void reply_null() const;
  void reply_bytes(std::span<const std::byte> bytes) const;
  void reply_bytes(std::string_view text) const;
  void reply_array(std::size_t size) const;
  bool is_resp3() const noexcept;
  // RESP3 has maps; before, and on servers before 7.0, they are arrays of names and values.
  bool has_maps() const noexcept;
  void reply_map(std::size_t size) const;

  // Replicas and the append-only file get this command as it is, or another that has its effect.
  void replicate() const;
  void replicate_reserve(const redisbloom::ReserveOptions& options) const;
  void replicate_insert(const redisbloom::ReserveOptions& options,
                        std::span<String* const> items) const;
  // The first `count` words of this command.
  void replicate_first(std::size_t count) const;
  // Tells them of items that an existing filter has taken, by BF.MADD or BLOOM.MADD.
  void replicate_add(const char* command, std::span<String* const> items) const;
  // Passes items on as replicate_add() does, with the moment, for filters that go by time and for
  // loads under way.
  void replicate_apply(std::uint64_t milliseconds, std::span<String* const> items) const;
  void replicate_chunk(std::uint64_t iterator, std::span<const std::byte> bytes) const;
  void replicate_head(std::span<const std::byte> head) const;
  // Lets word 1 expire, here and there, at the same moment; 0: it does not.
  void expire_after(OpenKey& key, std::uint64_t milliseconds) const;
  void replicate_abort() const;
  void replicate_delete() const;
  void replicate_reserve(const redisbloom::CuckooOptions& options) const;
  void replicate_cuckoo_insert(std::span<String* const> items) const;
  // The load of word 1 that is under way, if any. It stays when its key is closed.
  Upload* load_under_way() const;
  // Returns the load under way if the key has no filter yet; the load then takes what is added.
  // Null otherwise.
  Upload* load_instead_of(const OpenKey& key) const {
    return key.has_no_filter_yet() ? load_under_way() : nullptr;
  }

  // Before a command makes a filter by the way: throws Evicted where it may be a primary's, to one
  // that this server no longer has, or a node's that gives a slot, whose filters came before.
  void require_not_evicted() const;
  // Keeps, for what a primary or a file says and cannot be followed, a key that says so, and a line
  // in the log. The append-only file gets the command; or, `for_good`, that the filter is lost.
  void lose(OpenKey& key, const std::string& why, bool for_good = false) const;
  // Tells those who watch the key.
  void changed(const char* event) const;

  String* raw_word(std::size_t i) const noexcept { return words_[i]; }

 private:
  int flags() const noexcept;

  Context* context_;
  std::span<String* const> words_;
  mutable std::optional<int> flags_{};  // of the context: the same for all of a command
};

// Does what a command says with a filter of the key; what a primary or a file says, and cannot be
// done, loses the filter. Not where the key has something else, which is no filter that they know,
// and not where the filter is full, as theirs was.
template <class Do>
void follow_or_lose(const Call& call, OpenKey& key, Do act) {
  try {
    const bool is_lost = key.get<LostFilter>() != nullptr;
    if (call.is_replay() && is_lost && call.load_instead_of(key) == nullptr) {
      return call.replicate();
    }
    act();
  } catch (const WrongType&) {
    throw;
  } catch (const Full&) {
    throw;
  } catch (const std::exception& error) {
    if (!call.is_replay()) throw;
    call.lose(key, error.what(), dynamic_cast<const Evicted*>(&error) != nullptr);
    if (call.is_slot_move()) throw;
  }
}

}  // namespace bloomery::module
