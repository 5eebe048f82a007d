// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <thread>

#include "bloomery/source/postgres/libpq.h"

namespace bloomery::postgres {

// Takes what comes on a connection, for as long as it lives, while the thread that has the
// connection does something else: a server that sends row by row waits once some hundred are not
// taken. Up to a few megabytes, which libpq keeps. Nobody else touches the connection meanwhile;
// what went wrong on it is found by who does afterwards.
class InputDrain {
 public:
  explicit InputDrain(PGconn* connection);
  InputDrain(const InputDrain&) = delete;
  InputDrain& operator=(const InputDrain&) = delete;
  ~InputDrain();

 private:
  void take_what_comes() const;

  PGconn* const connection_;
  const int over_;  // readable once this ends; -1: there is none, and nothing is taken
  std::thread thread_{};
};

}  // namespace bloomery::postgres
