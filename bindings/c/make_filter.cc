// SPDX-License-Identifier: Apache-2.0
#include "bindings/c/make_filter.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "bindings/c/insert_keys.h"
#include "bindings/c/key_reader.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/filter/owned_static_filter.h"
#include "bloomery/format/format.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/native/native_reader.h"
#include "bloomery/store/file_location.h"
#include "bloomery/text/printable.h"

namespace bloomery::c {
namespace {

FilterOptions options_of(const bloomery_options& given) {
  FilterOptions options{
      .capacity = given.capacity, .seed = given.seed, .secret = given.secret != 0};
  if (given.rate != 0) options.false_positive_rate = given.rate;
  if (given.expansion != 0) options.growth.expansion = given.expansion;
  if (given.tightening != 0) options.growth.tightening = given.tightening;
  options.window.length_ms = given.window_ms;
  if (given.generations != 0) options.window.generations = given.generations;
  if (given.hash != nullptr) {
    const std::optional<HashId> hash = text_hash_named(given.hash);
    if (!hash || given.secret != 0 || given.format != nullptr) {
      throw std::invalid_argument(
          "options: hash is product, fold, aes or xxh3, and of no secret filter or other format; " +
          printable(given.hash) + " was given");
    }
    options.hash = *hash;
  }
  return options;
}

FilterKind kind_of_options(const bloomery_options& options) {
  return options.kind == nullptr ? FilterKind::blocked : kind_named(options.kind);
}

// Refuses options that the kind would pass over: its caller wants another kind.
void require_options_of(FilterKind kind, const bloomery_options& given) {
  const auto refuse = [&](const char* what, FilterKind other) {
    throw std::invalid_argument("options: a " + std::string(kind_name(kind)) + " filter " + what +
                                "; kind is to be " + std::string(kind_name(other)));
  };
  if (kind != FilterKind::windowed && (given.window_ms != 0 || given.generations != 0)) {
    refuse("forgets nothing and has no window", FilterKind::windowed);
  }
  if (kind != FilterKind::scalable && (given.expansion != 0 || given.tightening != 0)) {
    refuse("does not grow", FilterKind::scalable);
  }
}

// The location's own parser reads settings, and names what it refuses.
FileLocation format_of(const bloomery_options& options) {
  if (options.kind != nullptr) {
    throw std::invalid_argument(
        "options: a filter of another system's format has its kind; kind "
        "and format were both given");
  }
  const std::string settings = text_or_empty(options.settings);
  return parse_file_location(std::string(options.format) + ":new" +
                             (settings.empty() ? "" : "?" + settings));
}

AnyFilter make_any(const bloomery_options& options) {
  const FilterOptions of = options_of(options);
  if (options.format == nullptr) {
    if (options.settings != nullptr) {
      throw std::invalid_argument("options: settings are a format's, and none was named");
    }
    require_options_of(kind_of_options(options), options);
    return make_filter(kind_of_options(options), of);
  }
  const FileLocation location = format_of(options);
  if (location.format->create == nullptr) {
    throw std::invalid_argument(std::string(location.format->name) +
                                ": only the system itself makes such filters");
  }
  AnyFilter filter = location.format->create(of, location.settings);
  filter.set_keys({.encoding = find_key_encoding(location.format->keys).value()});
  return filter;
}

AnyFilter build_static(const bloomery_options& options, const bloomery_keys& given) {
  require_options_of(kind_of_options(options), options);
  const std::string said = text_or_empty(options.keys);
  KeyReader keys(given);
  const KeyForm form =
      said.empty() ? keys.usual_form_to_insert() : read_form_text(said).value_or(KeyForm{});
  keys.set_form(form);
  FilterOptions of = options_of(options);
  of.capacity = std::max<std::uint64_t>(of.capacity, 1);
  of.keys = form;
  const FilterParameters parameters = parameters_for(kind_of_options(options), {}, of);
  std::vector<HashPair> hashes(keys.count());
  for (std::size_t first = 0; first < keys.count(); first += kPiece) {
    const std::size_t count = std::min(kPiece, keys.count() - first);
    keys.read(first, count).visit([&](auto piece) {
      std::ranges::transform(piece, hashes.begin() + static_cast<std::ptrdiff_t>(first),
                             [&](const auto& key) { return parameters.hash(key); });
    });
  }
  return AnyFilter(OwnedStaticFilter::build(parameters, hashes));
}

}  // namespace

std::unique_ptr<bloomery_filter> handle_of(AnyFilter filter, const char* keys, Known known) {
  return std::make_unique<bloomery_filter>(hold_in_memory(std::move(filter), known),
                                           text_or_empty(keys));
}

std::string text_or_empty(const char* text) {
  return text == nullptr ? std::string() : std::string(text);
}

std::string need_text(const char* text, const char* what) {
  if (text == nullptr) throw std::invalid_argument(std::string(what) + " is a null pointer");
  return text;
}

std::unique_ptr<bloomery_filter> make_handle(const bloomery_options& options) {
  return handle_of(make_any(options), options.keys, Known::is_empty);
}

std::unique_ptr<bloomery_filter> build_handle(bloomery_options options, const bloomery_keys& keys) {
  if (options.format == nullptr && is_built_once(kind_of_options(options))) {
    return handle_of(build_static(options, keys), options.keys, Known::form);
  }
  if (options.capacity == 0) options.capacity = std::max<std::size_t>(keys.count, 1);
  auto filter = make_handle(options);
  insert_keys(*filter, keys, nullptr);
  return filter;
}

std::unique_ptr<bloomery_filter> copy_handle(const bloomery_filter& filter) {
  const auto form = filter.chosen();
  return handle_of(filter.copy(), form ? form_text(*form).c_str() : nullptr);
}

std::unique_ptr<bloomery_filter> handle_from_bytes(const void* bytes, std::size_t size) {
  if (bytes == nullptr) throw std::invalid_argument("bytes is a null pointer");
  NativeReader reader(size);
  reader.take({static_cast<const std::byte*>(bytes), size});
  return handle_of(reader.finish(), nullptr);
}

void size_of(const bloomery_options& options, bloomery_size& size) {
  // A new filter's memory is not touched, so that making one of another system's costs nothing.
  const Geometry geometry = options.format == nullptr
                                ? geometry_for(kind_of_options(options), options_of(options))
                                : make_any(options).geometry();
  size.bit_count = geometry.bit_count;
  size.probe_count = geometry.probe_count;
  size.lines_per_key = geometry.lines_per_key;
}

}  // namespace bloomery::c
