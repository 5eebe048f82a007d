// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bloomery/format/format.h"
#include "module/call.h"
#include "module/redis_api.h"

// Functions that the types of values share.
namespace bloomery::module {

inline const char* characters(std::span<const std::byte> bytes) noexcept {
  return reinterpret_cast<const char*>(bytes.data());
}

// How much work it is to free so many bytes, in pages that go back to the machine, roughly: large
// filters are freed in the background.
std::size_t free_effort_of(std::uint64_t byte_count) noexcept;

// Returns what `load` makes; if it throws, null, with a line in the log.
template <class Load>
void* loaded(Io* io, Load load) noexcept {
  try {
    return load();
  } catch (const std::exception& error) {
    api().log_io_error(io, "warning", "%s", error.what());
    return nullptr;
  }
}

// The pointer that a key holds, and what it points to: OpenKey finds it by the same class.
template <class Value>
void* held(std::unique_ptr<Value> value) noexcept {
  return static_cast<typename Value::Kept*>(value.release());
}
template <class Value>
const Value& value_of(const void* held) noexcept {
  return static_cast<const Value&>(*static_cast<const typename Value::Kept*>(held));
}

// Values are freed as they are held, and copied by their clone(): null where there is no memory.
template <class Value>
TypeMethods methods_of_held() {
  TypeMethods methods;
  methods.free = [](void* value) { delete static_cast<typename Value::Kept*>(value); };
  methods.copy = [](String*, String*, const void* value) -> void* {
    try {
      return held(value_of<Value>(value).clone());
    } catch (const std::exception&) {
      return nullptr;
    }
  };
  return methods;
}

inline Type* register_type(Context* context, const char* name, int version, TypeMethods methods) {
  return api().create_data_type(context, name, version, &methods);
}

inline void add_to_digest(Digest* of, std::span<const std::byte> bytes) {
  api().digest_bytes(of, characters(bytes), bytes.size());
}

// A number or a string that a server stored. Throw FormatError where it ends before.
std::uint64_t load_number(Io* io);
std::string load_string(Io* io);
inline void save_bytes(Io* io, std::span<const std::byte> bytes) {
  api().save_bytes(io, characters(bytes), bytes.size());
}
inline void save_text(Io* io, const std::string& text) {
  save_bytes(io, std::as_bytes(std::span<const char>(text)));
}

// Hands bytes on in pieces of 4 MiB, and the rest when this ends.
class Pieces {
 public:
  explicit Pieces(ByteSink sink) : sink_(std::move(sink)) {}
  ~Pieces();
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;

  void add(std::span<const std::byte> bytes);

 private:
  ByteSink sink_;
  std::vector<std::byte> piece_;
};

}  // namespace bloomery::module
