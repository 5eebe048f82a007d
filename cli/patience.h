// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "bloomery/filter/any_filter.h"
#include "bloomery/open/place_location.h"
#include "cli/command_line.h"

namespace bloomery::cli {

// How long a command waits for another process that writes the same file.
struct Patience {
  std::optional<std::uint64_t> wait_ms;  // none: until that process has ended
};

// --wait, --no-wait.
void add_patience(Command command, Patience& patience);

// Repeats act(), which writes the file `name`, while somebody else writes that file. Says so on
// standard error after a second. Throws as `act` does; BusyError where patience ends.
void retry_while_busy(const std::string& name, const Patience& patience,
                      const std::function<void()>& act);
// --wait alone, for who does not wait otherwise.
void add_wait(Command command, Patience& patience);
inline constexpr Patience kNoPatience{.wait_ms = 0};
// act(), which opens the filter, once nobody changes its file in place any more.
void retry_while_changed(const PlaceLocation& location, const Patience& patience,
                         const std::function<void()>& act);
// load_for_use() in this way.
AnyFilter load_when_closed(const PlaceLocation& location, const Patience& patience);

// save(), which also tells on standard error of hard links that keep the old filter, and shows how
// far it has come with a filter in a server.
void save(const FilterContents& contents, const PlaceLocation& location, const SaveOptions& options,
          const Patience& patience, bool discard = false);

// Throws std::invalid_argument for a patience that only a file takes, where none of those that the
// command writes or reads is one.
void require_files(const Patience& patience, std::span<const PlaceLocation> locations);

// --replace, and --discard of a filter in a server that is replaced.
struct Replacing {
  bool replace = false;
  bool discard = false;
};
void add_replacing(Command command, const std::string& name, Replacing& replacing);
// Throws std::invalid_argument for a --discard of what is replaced whole in any case.
void require_discards(const Replacing& replacing, const PlaceLocation& location);

}  // namespace bloomery::cli
