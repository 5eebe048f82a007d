// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "module/lost_filter.h"
#include "module/redis_api.h"
#include "module/refusal.h"
#include "module/value_type.h"

namespace bloomery::module {

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

}  // namespace bloomery::module
