// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace bloomery::module {

// Places for clients that read whole filters, piece by piece (BLOOM.READ): the first ones of all
// who ask, in the order in which they came. Who finds none asks again before kReaderLivesMs is
// over, and keeps his turn. So nobody starves, and who went away in the middle gives up his place
// by time.
class ReadPlaces {
 public:
  static constexpr std::uint64_t kReaderLivesMs = 3000;

  // Returns whether the client, who asks at `now_ms`, is one of the first `most`.
  bool admits(std::uint64_t client, std::uint64_t now_ms, std::uint64_t most);
  // The client has read everything.
  void leave(std::uint64_t client) noexcept;

 private:
  struct Reader {
    std::uint64_t client;
    std::uint64_t asked_ms;
  };
  std::vector<Reader> readers_{};  // in the order in which they came
};

// The places of this server. All is done in the thread that the server runs commands in.
ReadPlaces& read_places() noexcept;

}  // namespace bloomery::module
