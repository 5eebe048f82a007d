// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct ZSTD_DCtx_s;

namespace bloomery::mysql {

// Takes a transaction apart that was logged compressed (TRANSACTION_PAYLOAD_EVENT): its events, one
// after the other, each with its header and without a checksum. Holds one event at a time, and some
// 256 KiB. What is damaged, or compressed in an unknown way, throws SourceChanged.
class Payload {
 public:
  // Reads the body of the event, which must outlive this.
  explicit Payload(std::string_view body);
  ~Payload();
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;

  // A view of memory that the next call uses again; nothing at the end.
  std::optional<std::string_view> next();

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const noexcept;
  };

  // Makes so many bytes of the event at hand be there; false where the payload ends before its
  // first byte.
  bool fill(std::size_t byte_count);

  std::string_view rest_;   // compressed
  std::uint64_t left_ = 0;  // uncompressed bytes still to come, as the event says
  std::string plain_;       // uncompressed, from the event at hand on
  std::size_t used_ = 0;    // of plain_, by the event that was taken last
  bool is_compressed_ = true;
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
};

}  // namespace bloomery::mysql
