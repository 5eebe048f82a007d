// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::redis {

// How a server is to prove who it is, and we to it.
struct TlsOptions {
  bool on = false;
  std::string ca_file{};           // empty: whom the machine trusts
  std::string certificate_file{};  // ours, with its chain, PEM
  std::string key_file{};
  std::string server_name{};  // that its certificate must have; empty: the host
  bool insecure_skip_verify = false;
};

// The servers that are asked first: one server; any node of a cluster; sentinels, which know the
// primary.
enum class Way : std::uint8_t { server, cluster, sentinel };

// The length in bytes of the longest host name of the Domain Name System.
constexpr std::size_t kLongestHost = 253;

struct HostPort {
  std::string host{};
  std::uint16_t port = 0;
};

// A key of a Redis or Valkey server and the way to it, in one word of a command line:
//
//   redis://[[user]:password@]host[:port][/database][?name=value&...]#key
//   rediss://...                              the same over TLS
//   redis+unix:///run/redis.sock[?db=N]#key   a socket of this machine; unix:// means the same
//   redis+cluster://host[:port][,host...]#key            nodes of a cluster, of which one answers
//   redis+sentinel://host[:port][,host...]/primary[/database]#key     and rediss+... of both
//
// The port is 6379, a sentinel's 26379, and the database 0 unless it is said. %XX stands for a byte
// in all parts but the host. Every connection to the server is made of this description alone, so
// that one which is made again has all of it. Settings that are not of the connection stay in
// `settings`.
//
//   db=N                    the database
//   timeout=MS              of a whole call: connecting, asking, once more after a cut; 5000
//   connections=N           at most, at the same time; 8
//   user=NAME               where the password is not in the location
//   password_file=FILE      its first line, read at each connect
//   password_env=VARIABLE   of the environment
//   client_name=NAME        for CLIENT LIST
//   wait=N[,MS][,aof]       changes return once N replicas have them, or throw after MS, 1000
//                           unless it is said (3000 with aof: in append-only files); see
//                           replica_wait.h
//   replica=1               a replica may be asked: what it says is as old as it is
//   sentinel_user=, sentinel_password_file=, sentinel_password_env=     for the sentinels
//   ca=FILE, cert=FILE, cert_key=FILE, server_name=NAME, insecure_skip_verify=1     over TLS
struct Location {
  Way way = Way::server;
  std::string host{};    // or empty
  std::string socket{};  // a path, or empty
  std::uint16_t port = 6379;
  std::vector<HostPort> others{};  // behind the first
  std::string primary{};           // as sentinels call it
  bool must_be_primary = false;    // each new connection asks for its role
  TlsOptions tls{};

  std::string user{};
  std::string password{};
  std::string password_file{};
  std::string password_variable{};
  std::string sentinel_user{};
  std::string sentinel_password_file{};
  std::string sentinel_password_variable{};
  std::string client_name{};
  std::uint32_t database = 0;

  std::chrono::milliseconds timeout{5'000};
  std::uint32_t connections = 8;
  std::uint32_t replicas_to_await = 0;
  std::chrono::milliseconds replica_patience{1'000};
  bool awaits_files = false;
  bool allow_replica = false;

  std::string key{};
  std::map<std::string, std::string, std::less<>> settings{};

  bool awaits_replicas() const noexcept { return awaits_files || replicas_to_await > 0; }
  // All hosts, with the first.
  std::vector<HostPort> hosts() const;
  // One of the servers that it leads to, with all else of it; one of its sentinels.
  Location of_server(HostPort at) const;
  Location of_sentinel(HostPort at) const;

  // The server, without passwords, for messages.
  std::string server() const;
  // The server as server() names it, the database unless it is 0, and the key, as parse_location()
  // reads them.
  std::string text() const;
};

// Returns whether the text begins as a location of a server.
bool is_redis_location(std::string_view text) noexcept;

// Reads a location. All that the text does not say is as in `location`. Throws
// std::invalid_argument with what is allowed; never with the text, in which passwords are.
Location parse_location(std::string_view text, Location location = {});

// The password for AUTH, from the file, the variable or the location; empty: there is none, and no
// AUTH is sent. Throws StoreError if the file or the variable has none.
std::string password_of(const Location& location);

}  // namespace bloomery::redis
