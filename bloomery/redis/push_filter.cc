#include "bloomery/redis/push_filter.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/format/native/write_native.h"
#include "bloomery/redis/errors.h"

namespace bloomery::redis {
namespace {

constexpr std::size_t kPieceBytes = 1024 * 1024;

// Nobody else's.
std::string new_load_id() {
  std::random_device random;
  std::array<char, 33> digits{};
  for (std::size_t i = 0; i < 32; i += 8) {
    std::snprintf(&digits[i], 9, "%08x", static_cast<unsigned>(random()));
  }
  return digits.data();
}

// The steps of one load.
class Load {
 public:
  Load(Client& server, const PushOptions& options, std::string id)
      : server_(server),
        command_((options.prefix.empty() ? "" : options.prefix + ".") + "BLOOM.LOAD"),
        id_(std::move(id)) {}

  // What stands behind the key.
  void step(std::initializer_list<std::string_view> words) {
    std::vector<std::string_view> all{command_, server_.location().key};
    all.insert(all.end(), words);
    all.insert(all.end(), {"ID", id_});
    const Answer answer = server_.run(Request().add(all), Repeat::never);
    const Reply& reply = answer.replies.at(0);
    if (reply.is(Reply::Type::error) && refusal_of(reply.text) == Refusal::unknown_command) {
      throw RefusedError(server_.location().server(),
                         "it has no " + command_ + ": bloomery.so is not loaded there");
    }
    require_done(reply, server_.location());
  }
  const std::string& id() const noexcept { return id_; }

 private:
  Client& server_;
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
    // Its time ends it.
  }
}

std::uint64_t push_filter(const FilterContents& contents, Client& server,
                          const PushOptions& options) {
  const NativeHead head(contents, options.notes);
  const std::uint64_t byte_count = head.layout.file_bytes;
  const bool begins = options.load_id.empty();
  Load load(server, options, begins ? new_load_id() : options.load_id);
  load.step({begins ? "BEGIN" : "BYTES", std::to_string(byte_count)});

  std::uint64_t sent = 0;
  std::string piece;
  piece.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, byte_count)));
  write_native(head, contents, [&](std::span<const std::byte> bytes) {
    piece.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (piece.size() < kPieceBytes && sent + piece.size() < byte_count) return;
    load.step({"AT", std::to_string(sent), piece});
    sent += piece.size();
    piece.clear();
    if (options.progress) options.progress(sent, byte_count);
  });
  load.step({"COMMIT"});
  return sent;
}

}  // namespace bloomery::redis
