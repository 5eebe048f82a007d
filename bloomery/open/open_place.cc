// SPDX-License-Identifier: Apache-2.0
#include "bloomery/open/open_place.h"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "bloomery/format/kinds.h"
#include "bloomery/open/adopting_place.h"
#include "bloomery/place/local_copy.h"
#include "bloomery/redis/places/bitmap_place.h"
#include "bloomery/redis/places/bulk_load.h"
#include "bloomery/redis/places/item_deltas.h"
#include "bloomery/redis/places/item_keys.h"
#include "bloomery/redis/places/item_place.h"
#include "bloomery/redis/places/native_load.h"
#include "bloomery/redis/places/native_place.h"
#include "bloomery/redis/places/push_filter.h"
#include "bloomery/redis/places/string_deltas.h"
#include "bloomery/store/filter_editor.h"
#include "bloomery/store/loaded_place.h"
#include "bloomery/store/mapped_place.h"
#include "bloomery/store/native_file.h"
#include "bloomery/store/replacement_file.h"
#include "bloomery/store/shared_place.h"
#include "bloomery/store/writer_lock.h"
#include "bloomery/text/grouped.h"

namespace bloomery {
namespace {

std::unique_ptr<FilterPlace> load_file(const FileLocation& location, const PlaceOptions& options) {
  AnyFilter filter = load(location);
  if (options.keys_as_said) filter.take_keys_as_said();
  if (options.look) options.look(filter);
  return std::make_unique<LoadedPlace>(location.text(), std::move(filter));
}

// Opens a file that its users may make live, or whole, at any moment: it is looked at again then.
std::unique_ptr<FilterPlace> open_native_to_read(const FileLocation& location,
                                                 const PlaceOptions& options) {
  for (int attempt = 1;; ++attempt) {
    const bool is_live = inspect(location.path).is_live_here;
    try {
      if (is_live)
        return std::make_unique<SharedPlace>(location, /*writes=*/false, options.keys_as_said);
      if (options.load_files) return load_file(location, options);
      return std::make_unique<MappedPlace>(location, /*writes=*/false, options.keys_as_said);
    } catch (const std::exception&) {
      if (attempt == kLockAttempts || inspect(location.path).is_live_here == is_live) throw;
    }
  }
}

std::unique_ptr<FilterPlace> open_file(const FileLocation& location, const PlaceOptions& options) {
  if (options.access == PlaceOptions::shared) {
    return std::make_unique<SharedPlace>(location, /*writes=*/true, options.keys_as_said);
  }
  const bool writes = options.access == PlaceOptions::read_write;
  if (writes && (location.format != nullptr ||
                 !is_changed_in_place(inspect(location.path).contents.parameters.kind))) {
    return std::make_unique<LoadedPlace>(location);
  }
  if (location.format == nullptr && !writes) return open_native_to_read(location, options);
  if (writes) return std::make_unique<MappedPlace>(location, /*writes=*/true, options.keys_as_said);
  return load_file(location, options);
}

std::unique_ptr<FilterPlace> open_one(const PlaceLocation& location, const PlaceOptions& options) {
  const bool writes = options.access == PlaceOptions::read_write;
  if (options.access == PlaceOptions::shared && (location.is_live() || location.file.format)) {
    throw std::invalid_argument(
        location.text() +
        ": only a file of our own is shared by processes; one in a server already is");
  }
  if (location.dialect) {
    return redis::open_item_place(*location.dialect, location.server, writes,
                                  options.allow_forgetting);
  }
  // Nothing else that lives in servers forgets.
  if (location.is_own_bitmap()) return redis::open_native_place(location.server, writes);
  if (location.is_live()) {
    return redis::open_bitmap_place(*location.format, location.server, writes);
  }
  auto place = open_file(location.file, options);
  if (!options.allow_forgetting) require_keeps(place->head().parameters.kind, location.text());
  return place;
}

// A copy that goes on by deltas where the filter's server has our module; else it is read whole
// whenever it has changed.
std::unique_ptr<FilterPlace> open_copied(const PlaceLocation& location,
                                         const PlaceOptions& options) {
  if (location.takes_keys_alone()) {
    throw std::invalid_argument(location.text() +
                                ": a filter of BF.* is not read whole, so there is no copy of it; "
                                "bloom: of a server with the module has one");
  }
  PlaceLocation in_server = location;
  in_server.is_copied = false;
  auto place = open_place(in_server, options);
  LocalCopyOptions copied{.keys = place->head().parameters.keys};
  copied.deltas = open_deltas(location);
  if (!location.copied_from.empty()) {
    copied.kept = [file = location.copied_from](std::uint64_t most_bytes) {
      return load_pulled(file, most_bytes);
    };
  }
  return std::make_unique<LocalCopy>(std::move(place), copied);
}

}  // namespace

std::unique_ptr<FilterPlace> open_place(std::string_view text, const PlaceOptions& options) {
  return open_place(parse_place_location(text), options);
}

std::unique_ptr<FilterPlace> open_place(const PlaceLocation& location,
                                        const PlaceOptions& options) {
  if (location.is_copied) return open_copied(location, options);
  const bool writes = options.access != PlaceOptions::read_only;
  const auto open = [=] { return open_one(location, options); };
  auto place = open();
  // Filters with a watermark that may be exchanged while they are open.
  const bool is_ours_live = location.is_own_bitmap() || location.dialect == redis::Dialect::bloom;
  const bool is_ours_mapped =
      !location.is_live() && location.format == nullptr && !writes && !options.load_files;
  if (!is_ours_live && !is_ours_mapped) return place;
  return std::make_unique<AdoptingPlace>(std::move(place), open, is_ours_live,
                                         options.keys_as_said);
}

std::shared_ptr<DeltaSource> open_deltas(const PlaceLocation& location) {
  if (location.dialect == redis::Dialect::bloom) return redis::open_item_deltas(location.server);
  if (location.is_own_bitmap()) return redis::open_string_deltas(location.server);
  return nullptr;
}

namespace {

// A file that pull keeps in step has no checksums, and is read as it is.
LoadedFile load_live(const std::filesystem::path& file, std::uint64_t most_bytes) {
  const SharedFilter shared(file, {.access = SharedOptions::read_only});
  if (const std::uint64_t bytes = 8 * any_word_count(shared->contents()); bytes > most_bytes) {
    throw StoreError(file.string() + ": has " + grouped(bytes) +
                     " bytes; allowed: " + grouped(most_bytes));
  }
  return shared.copy_noted();
}

}  // namespace

DeltaSource::Kept load_pulled(const std::filesystem::path& file, std::uint64_t most_bytes) {
  LoadedFile loaded =
      inspect(file).is_live_here ? load_live(file, most_bytes) : load_noted(file, most_bytes);
  return {.name = file.string(),
          .filter = std::move(loaded.filter),
          .identity = loaded.notes.identity,
          .reached = loaded.notes.reached(),
          .beat = loaded.notes.beat,
          .chain = std::move(loaded.chain)};
}

AnyFilter load(const PlaceLocation& location) {
  return location.is_live() ? open_place(location)->copy() : load(location.file);
}

bool is_taken(const PlaceLocation& location) {
  if (!location.is_live()) {
    std::error_code unknown;  // writing it says what is wrong
    return std::filesystem::exists(std::filesystem::symlink_status(location.file.path, unknown));
  }
  redis::Client client(redis::parse_location(location.server));
  if (location.dialect) return redis::are_items_taken(client);
  if (location.is_own_bitmap()) return redis::native_exists(client, client.location().key);
  return redis::is_taken(client, *location.format);
}

void require_may_be_there(FilterKind kind, const PlaceLocation& location) {
  if (!location.is_live()) require_folder(location.file.path);
  if (location.is_own_bitmap()) redis::require_lives_in_string(kind, location.text());
}

void require_fits(const FilterContents& contents, const PlaceLocation& location) {
  if (!location.is_own_bitmap()) return;
  redis::require_fits(contents, redis::parse_location(location.server));
}

void require_may_be_kept(const PlaceLocation& location) {
  if (!location.dialect) return;
  throw std::invalid_argument(
      location.text() +
      ": the server cannot put what the old filter holds into a new one; --discard as well as "
      "--replace throws it away" +
      (location.dialect == redis::Dialect::bloom
           ? ", and so does push, which keeps what others add while the keys are read"
           : ""));
}

namespace {

redis::OldFilter old_filter(const PlaceSaveOptions& options) {
  using redis::OldFilter;
  if (!options.file.replace) return OldFilter::refuse;
  if (!options.discard) return OldFilter::keep;
  return options.spares_strangers ? OldFilter::drop_if_filter : OldFilter::drop;
}

}  // namespace

void save(const FilterContents& contents, const PlaceLocation& location,
          const PlaceSaveOptions& options) {
  if (!location.is_live()) return save(contents, location.file, options.file);
  if (location.takes_keys_alone()) {
    throw std::invalid_argument(location.text() +
                                ": takes keys, not bits; load fills a filter there, and push sends "
                                "one whole to a server with the module");
  }
  if (location.dialect) {
    if (options.file.replace && !options.discard) require_may_be_kept(location);
    redis::Client client(redis::parse_location(location.server, {.timeout = redis::kPushTimeout}));
    redis::push_filter(contents, client,
                       {.notes = options.file.notes,
                        .progress = options.progress,
                        .replaces = options.file.replace});
    return;
  }
  redis::Client client(redis::parse_location(location.server));
  const redis::BulkOptions load{
      .old = old_filter(options),
      .progress = options.progress,
      .watermark = options.discard ? options.file.notes.reached() : std::nullopt};
  if (location.is_own_bitmap()) return redis::load_native(client, contents, load);
  redis::bulk_load(client, *location.format, contents, load);
}

void create_in_server(const PlaceLocation& location, std::uint64_t capacity, double rate) {
  redis::Client client(redis::parse_location(location.server));
  redis::create_items(client, capacity, rate);
}

void create_in_server(const PlaceLocation& location, const FilterContents& empty) {
  redis::Client client(redis::parse_location(location.server));
  redis::reserve_filter(empty, client);
}

void clear(const PlaceLocation& location) {
  const auto empty = [&](const FilterParameters& parameters) {
    return kind_of(parameters.kind).make(parameters);
  };
  if (!location.is_live()) {
    FilterEditor editor(location.file);
    editor.filter() = empty(editor.filter().parameters());
    const FileNotes& old = editor.notes();
    editor.notes() = {.note = old.note, .epoch = old.epoch, .identity = Identity::random()};
    return editor.commit();
  }
  if (location.dialect) {
    throw std::invalid_argument(location.text() +
                                ": its server makes no filter empty; destroy removes it, and "
                                "create or push puts another one there");
  }
  const auto place = open_place(location, {.access = PlaceOptions::read_write});
  const AnyFilter filter = empty(place->head().parameters);
  redis::Client client(redis::parse_location(location.server));
  const redis::BulkOptions clears{.old = redis::OldFilter::clear};
  if (location.is_own_bitmap()) return redis::load_native(client, filter.contents(), clears);
  redis::bulk_load(client, *location.format, filter.contents(), clears);
}

void destroy(const PlaceLocation& location) {
  if (location.is_live()) {
    redis::Client client(redis::parse_location(location.server));
    const bool was_there = location.dialect           ? redis::destroy_items(client)
                           : location.is_own_bitmap() ? redis::destroy_native(client)
                                                      : redis::destroy(client, *location.format);
    if (!was_there) throw StoreError(location.text() + ": no filter is there");
    return;
  }
  if (location.format == nullptr && !is_native(location.file.path)) {
    throw FormatError(location.text() + ": not a bloomery filter, so it stays");
  }
  const auto lock = WriterLock::of_existing(location.file.path);
  std::filesystem::remove(location.file.path);
  const bool has_config = location.format != nullptr && location.format->settings_of != nullptr;
  if (has_config) std::filesystem::remove(location.file.config_path());
}

}  // namespace bloomery
