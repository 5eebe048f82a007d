// SPDX-License-Identifier: Apache-2.0
#include "cli/patience.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/open/open_place.h"
#include "bloomery/store/regular_file.h"
#include "bloomery/store/replacement_file.h"
#include "bloomery/store/writer_lock.h"
#include "bloomery/text/human_number.h"
#include "cli/filter_report.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "cli/terminal_progress.h"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kShortestPauseMs = 2;
constexpr std::uint64_t kLongestPauseMs = 50;
constexpr std::uint64_t kSilentMs = 1000;

std::uint64_t name_count(const FileLocation& location) {
  const auto file =
      RegularFile::open_existing(follow_links(location.path), RegularFile::Access::read);
  return file ? file->status().link_count : 1;
}

// Throws BusyError while a living process changes the file in place.
void require_unchanged(const FileLocation& location) {
  if (location.format != nullptr || inspect(location.path).closed_cleanly) return;
  WriterLock::require_free(follow_links(location.path));
}

Option add_wait_option(Command command, Patience& patience, const std::string& help) {
  return add_value(command, "--wait", "TIME", help, [&patience](const std::string& text) {
    patience.wait_ms = parse_duration_ms(text);
  });
}

void save_live(const FilterContents& contents, const PlaceLocation& location,
               const SaveOptions& options, bool discard) {
  std::optional<Progress> progress;
  const auto show = [&](std::uint64_t done, std::uint64_t all) {
    if (!progress) progress = terminal_progress("send", {{}, all});
    if (progress) progress->update(0, done);
  };
  try {
    bloomery::save(contents, location, {.file = options, .discard = discard, .progress = show});
  } catch (...) {
    if (progress) progress->clear();
    throw;
  }
  if (progress) progress->clear();
}

}  // namespace

void add_replacing(Command command, const std::string& name, Replacing& replacing) {
  const Option replace = command.add_flag("--replace", replacing.replace,
                                          "if " + name + " exists, replace it in one step");
  command
      .add_flag("--discard", replacing.discard,
                "with --replace, for a filter in a server: throw away the keys that it holds, and "
                "those that others add meanwhile; without --discard they stay in the new filter")
      .needs(replace);
}

void require_discards(const Replacing& replacing, const PlaceLocation& location) {
  if (!replacing.discard || location.is_live()) return;
  throw std::invalid_argument(location.text() +
                              ": --discard is for filters in servers; of a file nothing stays that "
                              "--replace replaces");
}

void require_files(const Patience& patience, std::span<const PlaceLocation> locations) {
  if (!patience.wait_ms || !std::ranges::all_of(locations, &PlaceLocation::is_live)) return;
  throw std::invalid_argument(locations.front().text() +
                              ": --wait and --no-wait are for files, which one process writes at a "
                              "time; a filter in a server waits for nobody (?timeout=MS in its "
                              "location says how long for the server)");
}

// The pauses grow, so that eight writers who wait do not keep the ninth from its processor.
void retry_while_busy(const std::string& name, const Patience& patience,
                      const std::function<void()>& act) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::uint64_t pause_ms = kShortestPauseMs;
  bool told = false;
  while (true) {
    try {
      return act();
    } catch (const BusyError&) {
      const auto waited = static_cast<std::uint64_t>(
          std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count());
      if (patience.wait_ms && waited >= *patience.wait_ms) throw;
      if (waited >= kSilentMs && !told) {
        complain(name + ": waiting for another process that writes it");
        told = true;
      }
      if (patience.wait_ms) pause_ms = std::min(pause_ms, *patience.wait_ms - waited);
      std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
      pause_ms = std::min(2 * pause_ms, kLongestPauseMs);
    }
  }
}

void add_patience(Command command, Patience& patience) {
  const Option wait = add_wait_option(
      command, patience,
      "how long to wait for another process that writes the file, such as 10s; by default until "
      "that process has ended");
  command
      .add_flag(
          "--no-wait", [&patience] { patience.wait_ms = 0; },
          "end at once if another process writes the file")
      .excludes(wait);
}

void add_wait(Command command, Patience& patience) {
  add_wait_option(
      command, patience,
      "how long to wait for another process that changes the file in place, such as 10s; "
      "by default not at all");
}

void retry_while_changed(const PlaceLocation& location, const Patience& patience,
                         const std::function<void()>& act) {
  if (location.is_live()) return act();
  retry_while_busy(location.text(), patience, [&] {
    require_unchanged(location.file);
    try {
      act();
    } catch (const FormatError&) {
      // Somebody may have begun meanwhile.
      require_unchanged(location.file);
      throw;
    }
  });
}

AnyFilter load_when_closed(const PlaceLocation& location, const Patience& patience) {
  std::optional<AnyFilter> filter;
  retry_while_changed(location, patience, [&] { filter.emplace(load_for_use(location)); });
  return std::move(*filter);
}

void save(const FilterContents& contents, const PlaceLocation& location, const SaveOptions& options,
          const Patience& patience, bool discard) {
  if (location.is_live()) return save_live(contents, location, options, discard);
  const FileLocation& file = location.file;
  // No wait ends that.
  std::error_code unknown;  // writing it says what is wrong
  if (!options.replace && std::filesystem::exists(file.path, unknown)) {
    throw StoreError(location.text() + ": already exists");
  }
  std::uint64_t names = 1;
  retry_while_busy(location.text(), patience, [&] {
    names = options.replace ? name_count(file) : 1;
    bloomery::save(contents, file, options);
  });
  if (names > 1) {
    complain(location.text() + ": this file had " + std::to_string(names) +
             " names (hard links); the others keep the old filter");
  }
}

}  // namespace bloomery::cli
