// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "bloomery/format/format.h"
#include "bloomery/redis/client/client.h"

namespace bloomery::redis {

// The state of another system's filter that cannot be opened, in its server.
enum class Remains : std::uint8_t {
  damaged,  // no bits at all; or a trailer of ours, with no configuration that fits it or something
            // behind it
  others,   // bits, or whatever else, of which nobody knows whose they are
  unsaid,   // by a replica
};

// Looks at the keys of the client's location. A trailer counts where that says trailer=1; elsewhere
// it is somebody else's. Throws as Client::run() does.
Remains bitmap_remains(Client& client, const Format& format);

// How many bytes are there that may be no filter at all: of a system without a configuration, no
// trailer and another length than a filter's. One that SETBIT made looks like that, too: trust=bits
// in the location says that it is one. Nothing where all is well, or nothing is there.
std::optional<std::uint64_t> strange_length(Client& client, const Format& format);

}  // namespace bloomery::redis
