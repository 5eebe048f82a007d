// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include "bloomery/redis/client/location.h"
#include "bloomery/redis/client/reply.h"
#include "bloomery/redis/client/request.h"

namespace bloomery::redis {

// A request that travels behind the next one that this thread sends to the same server, so that
// both are one trip. Not behind one to a cluster, whose keys may be anywhere, and once at the most:
// who has one asks by himself where it had no answer.
//
// A rider is a guest: what is wrong with its answer harms nobody else, and it counts for nothing
// where that of its host is not believed.
class Rider {
 public:
  // Sees the replies of each try, and throws where they cannot be the answer.
  using Judge = std::function<void(std::span<const Reply> replies)>;

  // The request reads only, and outlives it. One at a time in each thread, and for that alone.
  Rider(const Location& location, const Request& request, Judge judge);
  Rider(const Rider&) = delete;
  Rider& operator=(const Rider&) = delete;
  ~Rider();

  // Returns whether the request was sent, and what came back passed the judge.
  bool has_answer() const noexcept { return has_answer_; }

 private:
  friend class Client;

  // Returns the rider of this thread if it goes there and has not travelled yet. From here on it
  // has.
  static Rider* board(const Location& location) noexcept;

  const Request& request() const noexcept { return request_; }
  // Throws as the judge does.
  void judge(std::span<const Reply> replies) const { judge_(replies); }
  void arrive() noexcept { has_answer_ = true; }

  const Location& location_;
  const Request& request_;
  const Judge judge_;
  bool has_boarded_ = false;
  bool has_answer_ = false;
  Rider* const before_;
};

// Returns whether both locations lead to one server, as one user and to one database.
bool is_same_server(const Location& a, const Location& b) noexcept;

}  // namespace bloomery::redis
