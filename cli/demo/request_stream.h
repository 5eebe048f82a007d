// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bloomery/hash/key.h"

namespace bloomery::cli {

struct Request {
  Key key;
  bool is_real;  // the key was read from the database
};

struct StreamOptions {
  std::uint64_t request_count = 0;
  std::uint64_t seed = 0;
  bool integer_keys = false;  // flood keys are the digits of integers, not letters
};

// Requests made beforehand, so that making them is not in what is measured: one in five asks for a
// real key, the first of `real_keys` most often (Zipf's law, as in much traffic: key r with a
// chance like 1/r); the others are a flood of keys that do not exist, no two of them the same. The
// same options give the same stream. Borrows the real keys; about 50 bytes a request.
class RequestStream {
 public:
  static constexpr std::uint64_t kRequestsPerReal = 5;

  // `real_keys` has at least one. Throws std::invalid_argument where memory cannot hold as many.
  RequestStream(std::span<const std::string> real_keys, const StreamOptions& options);

  std::span<const Request> requests() const noexcept { return requests_; }
  std::uint64_t absent_count() const noexcept { return absent_count_; }
  std::uint64_t real_count() const noexcept { return requests_.size() - absent_count_; }

 private:
  Key make_absent(bool integer);

  std::vector<Request> requests_;
  std::vector<char> absent_bytes_;  // of the flood's keys, end to end
  std::size_t used_ = 0;
  std::uint64_t absent_count_ = 0;
  std::uint64_t first_number_ = 0;
};

}  // namespace bloomery::cli
