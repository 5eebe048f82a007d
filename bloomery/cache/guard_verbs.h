// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/cache/guard_verbs_options.h"
#include "bloomery/hash/key.h"
#include "bloomery/place/call_context.h"
#include "bloomery/place/watermark.h"
#include "bloomery/redis/client/client.h"

namespace bloomery {

// The verbs of docs/guard_protocol.md for the keys of one guard, without a filter. Each is one step
// of the server for a key, and one trip for a batch: one for 1,000 keys, in a cluster one for a
// node. What a verb throws, it may have done for some of the keys; all may be called again.
//
// Each throws what redis::Client::run() throws, and RefusedError for what the server says. All
// calls may run together.
class GuardVerbs {
 public:
  // The client outlives it. `name` has no braces. Throws std::invalid_argument on a life outside of
  // 1 ms to ten years.
  GuardVerbs(redis::Client& client, std::string name, GuardVerbsOptions options = {});

  enum class Said : std::uint8_t { value, none, lease, wait, open };
  struct Answer {
    Said said = Said::open;
    std::string value{};
    std::string lease{};  // with a value: it is to be loaded anew, and put under this
  };
  // Returns what each key's row is, or who loads it; takes the leases of those that nobody loads.
  std::vector<Answer> get(std::span<const Key> keys, const CallContext& context = {});

  struct Row {
    Key key;
    std::string_view lease{};
    const std::string* value = nullptr;         // null: no such row
    std::chrono::milliseconds life{};           // made 1 ms to ten years
    std::chrono::milliseconds refresh_after{};  // 0: never
  };
  // Writes rows under their leases. Returns how many came too late, which were not written.
  std::size_t put(std::span<const Row> rows, const CallContext& context = {});
  // Gives leases back. Of the rows only key and lease are read.
  void drop(std::span<const Row> rows, const CallContext& context = {});

  // Marks the keys as those of an insert that comes. Returns whether its marks of all of them held
  // until now.
  bool announce(std::span<const Key> keys, const Identity& insert, const CallContext& context = {});
  // Erases after an insert that was announced, whose marks go, or after a change or deletion, whose
  // identity is not set.
  void erase(std::span<const Key> keys, const Identity& insert, const CallContext& context = {});

  // Returns the name of a key's entry. That of its lease is it and ":lease".
  std::string entry_name(Key key) const;
  // Returns which keys may travel together, at most so many: all, or in a cluster those of one
  // node.
  std::vector<std::vector<std::size_t>> parts_of(std::span<const Key> keys, std::size_t most,
                                                 const CallContext& context);

 private:
  // One call of a verb: of as many keys as a slot may have.
  struct Call {
    std::vector<Key> keys{};
    std::vector<std::string> arguments{};
  };
  using Take = std::function<void(std::size_t call, const redis::Reply& reply)>;

  bool is_cluster() const noexcept;
  std::vector<std::string> words_of(std::string_view verb, const Call& call, bool whole) const;
  void run(std::string_view verb, std::span<const Call> calls, const CallContext& context,
           const Take& take);
  std::vector<std::size_t> travel(std::string_view verb, std::span<const Call> calls,
                                  std::span<const std::size_t> part, bool whole,
                                  const CallContext& context, const Take& take);
  // Calls for each key, or for each 1,000: `add` appends the arguments of key i.
  std::vector<Call> calls_of(std::span<const Key> keys, const std::vector<std::string>& first,
                             const std::function<void(std::size_t i, Call& call)>& add) const;

  redis::Client& client_;
  const std::string name_;
  const GuardVerbsOptions options_;
};

}  // namespace bloomery
