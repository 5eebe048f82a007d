#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "bloomery/format/format.h"
#include "module/redis_api.h"

// What the types of values have in common.
namespace bloomery::module {

inline const char* characters(std::span<const std::byte> bytes) noexcept {
  return reinterpret_cast<const char*>(bytes.data());
}

// How much work it is to free so many bytes, in pages that go back to the machine, roughly: large
// filters are freed in the background.
std::size_t free_effort_of(std::uint64_t byte_count) noexcept;

// What `load` makes, or null and a line in the log.
template <class Load>
void* loaded(const Api& api, Io* io, Load load) noexcept {
  try {
    return load();
  } catch (const std::exception& error) {
    api.log_io_error(io, "warning", "%s", error.what());
    return nullptr;
  }
}

// A number or a string that a server stored. Throw FormatError where it ends before.
std::uint64_t load_number(const Api& api, Io* io);
std::string load_string(const Api& api, Io* io);

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
