// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bloomery/errors.h"

// Errors of servers. Every message names the server, and none contains a password. A caller's own
// deadline or stop is CallAborted (place/call_context.h).
namespace bloomery::redis {

// ConnectionError: there is no connection, or it failed. Nobody knows whether what was sent on it
// was done.
struct ConnectionError : StoreError {
  using StoreError::StoreError;
};

// Something is there, but no filter of ours.
struct NoFilterError : StoreError {
  using StoreError::StoreError;
};

// DamagedFilterError: the header of the filter is whole, and the string is shorter or longer than
// the header says.
struct DamagedFilterError : NoFilterError {
  using NoFilterError::NoFilterError;
};

// ExchangedError: the filter that is there is another than the one that was opened, or that one as
// it once was. A caller who opens it again has the filter that is there.
struct ExchangedError : StoreError {
  using StoreError::StoreError;
};

// TimeoutError: no answer came within the location's time-out.
struct TimeoutError : ConnectionError {
  using ConnectionError::ConnectionError;
};

// The end of the message of a TimeoutError.
inline constexpr const char* kTimeoutAdvice = "; ?timeout=MS allows more";

// ProtocolError: a reply is no answer to what was sent.
struct ProtocolError : ConnectionError {
  using ConnectionError::ConnectionError;
};

// The reason that a server gives when it refuses a command.
enum class Refusal : std::uint8_t {
  other,
  wrong_type,         // the key holds something else
  no_permission,      // the user may not
  not_authenticated,  // no password, or a wrong one
  loading,            // reads its data, and does not know them yet
  read_only,          // a replica
  master_down,        // a replica that has lost its primary
  moved,              // in a cluster, the key is at another node
  ask,                // for this question alone
  try_again,          // keys are on their way between nodes
  cluster_down,
  out_of_memory,
  busy,             // with a script
  later,            // our module: as many clients as may are reading whole filters
  unknown_command,  // an older server, or one without a module
};

// Reads the reason from the text of an error reply: "WRONGTYPE Operation against a key ...".
Refusal refusal_of(std::string_view text) noexcept;

// A server may say anything: the beginning is enough, without what a terminal would obey.
std::string beginning_of(std::string_view text, std::size_t most = 300);

// The server answered, with an error; the connection is as good as before.
struct RefusedError : StoreError {
  RefusedError(const std::string& server, const std::string& text);

  Refusal refusal;
};

}  // namespace bloomery::redis
