// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/redis/client/location.h"

struct ssl_ctx_st;
struct ssl_st;
struct bio_st;

namespace bloomery::redis {

// Certificates and keys, read once for all connections of a location. Many threads may use it.
class TlsSettings {
 public:
  // Throws StoreError for files that cannot be read or do not belong together.
  explicit TlsSettings(const Location& location);

  ssl_ctx_st* get() const noexcept { return context_.get(); }

 private:
  struct Free {
    void operator()(ssl_ctx_st* context) const noexcept;
  };
  std::unique_ptr<ssl_ctx_st, Free> context_;
};

// TLS as a change of bytes: what is to be sent becomes what travels, and back. It knows no socket,
// so that whoever moves the bytes minds deadlines. Throws ConnectionError, also where the server
// does not prove who it is.
class TlsSession {
 public:
  TlsSession(const TlsSettings& settings, const Location& location);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  // Goes on with the handshake, and returns whether it is done; else it waits for take_arrived(),
  // after what leaving() has was sent.
  bool shake_hands();
  std::size_t write(std::string_view plain);
  // How many bytes there are; 0 where more has to arrive.
  std::size_t read(std::span<char> plain);

  // `leaving`: the bytes that have to travel to the server. `drop_left`: removes the first `size`
  // of them, which have been sent. `take_arrived`: takes bytes that came from the server.
  std::string_view leaving() const noexcept;
  void drop_left(std::size_t size);
  void take_arrived(std::string_view bytes);

 private:
  [[noreturn]] void fail(const char* doing) const;

  const std::string server_;
  ssl_st* session_;
  bio_st* arriving_;
  bio_st* leaving_;
};

}  // namespace bloomery::redis
