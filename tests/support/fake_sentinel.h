// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <string>
#include <utility>

#include "tests/support/fake_server.h"

// Sentinels that only say who the primary is, to clients with a name.
namespace bloomery::testing {

inline std::string address_of(const std::string& port) {
  return "*2\r\n$9\r\n127.0.0.1\r\n$" + std::to_string(port.size()) + "\r\n" + port + "\r\n";
}

// Takes our name, and then says that to each question.
inline FakeServer::Talk answering(std::function<std::string()> answer) {
  return [answer = std::move(answer)](int file, const std::atomic<bool>& over) {
    for (bool is_greeting = true; FakeServer::wait_for_bytes(file, over); is_greeting = false) {
      const std::string text = is_greeting ? "+OK\r\n" : answer();
      send(file, text.data(), text.size(), MSG_NOSIGNAL);
    }
  };
}
inline FakeServer::Talk answering(const std::string& text) {
  return answering([text] { return text; });
}

}  // namespace bloomery::testing
