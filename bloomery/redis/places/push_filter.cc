// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/push_filter.h"

#include <algorithm>
#include <exception>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/format/native/write_native.h"
#include "bloomery/place/watermark_text.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/places/key_beside.h"

namespace bloomery::redis {
namespace {

// The server takes in one piece of a trip while the next are on their way.
constexpr std::size_t kPieceBytes = 1024 * 1024;
constexpr std::size_t kPiecesInTrip = 4;

// Nobody else's.
std::string new_load_id() {
  return identity_text(Identity::random());
}

void require_known(const Reply& reply, const Location& location, const std::string& command) {
  if (reply.is(Reply::Type::error) && refusal_of(reply.text) == Refusal::unknown_command) {
    throw RefusedError(location.server(),
                       "it has no " + command + ": bloomery.so is not loaded there");
  }
  require_done(reply, location);
}

// The steps of one load.
class Load {
 public:
  Load(Client& server, const PushOptions& options, std::string id)
      : server_(server),
        prefix_(options.prefix.empty() ? "" : options.prefix + "."),
        command_(prefix_ + "BLOOM.LOAD"),
        id_(std::move(id)) {}

  // Sends one step of the load; `words` stand behind the key. Throws RefusedError if the server
  // refuses it.
  void step(std::initializer_list<std::string_view> words) {
    Request request;
    add(request, words);
    require_done(server_.run(request, Repeat::never).replies.at(0));
  }
  // The bytes that stand at `offset`, in pieces of one trip, which the server takes in this order
  // or not at all.
  void send_pieces(std::uint64_t offset, std::string_view bytes) {
    while (!bytes.empty()) {
      Request request;
      for (std::size_t at = 0; at < bytes.size(); at += kPieceBytes) {
        add(request, {"AT", std::to_string(offset + at), bytes.substr(at, kPieceBytes)});
      }
      const Answer answer = server_.run(request, Repeat::never);
      std::size_t taken = 0;
      while (taken < answer.replies.size() && !has_moved(answer.replies[taken], taken)) {
        require_done(answer.replies[taken++]);
      }
      const std::size_t sent = std::min(taken * kPieceBytes, bytes.size());
      offset += sent;
      bytes.remove_prefix(sent);
    }
  }
  // Returns whether the key has a filter. One that is lost answers with an error, and so does none.
  bool has_filter() {
    const Request ask = Request().add({prefix_ + "BLOOM.INFO", server_.location().key});
    const Reply info = server_.run(ask, Repeat::safe).replies.at(0);
    if (!info.is(Reply::Type::error)) return true;
    if (refusal_of(info.text) != Refusal::other) require_done(info);
    return false;
  }
  const std::string& id() const noexcept { return id_; }

 private:
  void add(Request& request, std::initializer_list<std::string_view> words) const {
    std::vector<std::string_view> all{command_, server_.location().key};
    all.insert(all.end(), words);
    all.insert(all.end(), {"ID", id_});
    request.add(all);
  }

  // Returns whether the slot has left the node behind the first chunks of a trip, which it took.
  static bool has_moved(const Reply& reply, std::size_t taken) {
    if (taken == 0 || !reply.is(Reply::Type::error)) return false;
    const Refusal why = refusal_of(reply.text);
    return why == Refusal::moved || why == Refusal::ask || why == Refusal::try_again;
  }

  void require_done(const Reply& reply) const {
    require_known(reply, server_.location(), command_);
  }

  Client& server_;
  const std::string prefix_;
  const std::string command_;
  const std::string id_;
};

}  // namespace

std::string begin_push(Client& server, const PushOptions& options) {
  Load load(server, options, new_load_id());
  load.step({"BEGIN", "EX", "86400"});
  return load.id();
}

void abort_push(Client& server, const PushOptions& options) noexcept {
  try {
    Load(server, options, options.load_id).step({"ABORT"});
  } catch (const std::exception&) {
    // The load's time to live ends it.
  }
}

std::uint64_t push_filter(const FilterContents& contents, Client& server,
                          const PushOptions& options) {
  FileNotes notes = options.notes;
  notes.identity = Identity::random();  // it is another filter than what is there
  const NativeHead head(contents, notes);
  const std::uint64_t byte_count = head.layout.file_bytes;
  const bool begins = options.load_id.empty();
  Load load(server, options, begins ? new_load_id() : options.load_id);
  const auto is_taken = [&] { return !options.replaces && load.has_filter(); };
  const std::string name = "bloom:" + server.location().text();
  // Before another's load ends by this one's beginning.
  if (is_taken()) refuse_exchange("taken", name);
  load.step({begins ? "BEGIN" : "BYTES", std::to_string(byte_count)});
  // Keys that are added from here on the server keeps.
  if (is_taken()) {
    load.step({"ABORT"});
    refuse_exchange("taken", name);
  }

  std::uint64_t sent = 0;
  constexpr std::size_t kTripBytes = kPiecesInTrip * kPieceBytes;
  std::string trip;
  trip.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(kTripBytes, byte_count)));
  const auto send = [&] {
    load.send_pieces(sent, trip);
    sent += trip.size();
    trip.clear();
    if (options.progress) options.progress(sent, byte_count);
  };
  write_native(head, contents, [&](std::span<const std::byte> bytes) {
    std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    while (!rest.empty()) {
      const std::string_view part = rest.substr(0, kTripBytes - trip.size());
      trip += part;
      rest.remove_prefix(part.size());
      if (trip.size() == kTripBytes) send();
    }
  });
  if (!trip.empty()) send();
  load.step({"COMMIT"});
  return sent;
}

void reserve_filter(const FilterContents& empty, Client& server) {
  FileNotes notes;
  notes.identity = Identity::random();
  const NativeHead head(empty, notes);
  const std::string_view bytes(reinterpret_cast<const char*>(head.bytes.data()), head.bytes.size());
  const std::string command = "BLOOM.LOAD";
  const Request reserve = Request().add({command, server.location().key, "EMPTY", bytes});
  const Answer reserved = server.run(reserve, Repeat::never);
  require_none_there(reserved.replies.at(0), "bloom:" + server.location().text());
  require_known(reserved.replies.at(0), server.location(), command);
}

}  // namespace bloomery::redis
