// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace bloomery {

// One line that tells a person how far a long work has come:
//   load: 3.2M of 10M keys (32 %), 4.1M/s, 2 s left
// Prints nothing itself: hands text to a sink, at most ten times a second, each time a carriage
// return and what overwrites the line before. An update between two costs a look at the clock. One
// thread at a time.
class Progress {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  using Sink = std::function<void(std::string_view)>;

  // The amount of work. An empty value or 0 means unknown; bytes are asked for only if the number
  // of keys is unknown.
  struct Totals {
    std::optional<std::uint64_t> key_count;
    std::optional<std::uint64_t> byte_count;
  };

  Progress(std::string label, Totals totals, Sink sink,
           Clock clock = std::chrono::steady_clock::now);

  // How much is done by now, since the beginning.
  void update(std::uint64_t key_count, std::uint64_t byte_count = 0);

  // Ends the line with what was done and how long it took.
  void finish();

  // Wipes the line, as before a message.
  void clear();

 private:
  std::string line(std::chrono::duration<double> elapsed) const;
  void show(std::string text, char end);

  std::string label_;
  Totals totals_;
  Sink sink_;
  Clock clock_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point next_;
  std::uint64_t key_count_ = 0;
  std::uint64_t byte_count_ = 0;
  std::size_t shown_width_ = 0;
};

// "0.4 s", "2 s", "3 min 20 s", "1 h 5 min".
std::string format_duration(std::chrono::duration<double> duration);

}  // namespace bloomery
