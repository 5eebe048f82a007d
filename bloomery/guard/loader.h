// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bloomery/hash/key.h"
#include "bloomery/place/call_context.h"

namespace bloomery {

// One database query for a batch of different keys: answer i is the row of key i, or nullopt where
// there is no such row. Made of any function of the keys, or of the keys and the context, whose
// deadline it should keep: a thread that waits in the database cannot be called back. What it
// throws reaches all who wait for the answer; a failed query is never "no such row". Called from
// many threads at once. It must not ask the guard that called it.
template <class Value>
class Loader {
 public:
  using Rows = std::vector<std::optional<Value>>;

  Loader(std::nullptr_t) noexcept {}  // none: the guard refuses it

  template <class F>
  requires(!std::same_as<F, Loader> &&
           std::is_invocable_r_v<Rows, F&, std::span<const Key>, const CallContext&>) Loader(F load)
      : load_(std::move(load)) {}
  template <class F>
  requires(!std::same_as<F, Loader> && std::is_invocable_r_v<Rows, F&, std::span<const Key>>)
      Loader(F load) {
    if constexpr (requires { load == nullptr; }) {
      if (load == nullptr) return;
    }
    load_ = [load = std::move(load)](std::span<const Key> keys, const CallContext&) mutable {
      return Rows(load(keys));
    };
  }

  explicit operator bool() const noexcept { return static_cast<bool>(load_); }
  Rows operator()(std::span<const Key> keys, const CallContext& context) const {
    return load_(keys, context);
  }

 private:
  std::function<Rows(std::span<const Key>, const CallContext&)> load_;
};

// A loader broke its contract: not one answer a key.
struct LoaderError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace bloomery
