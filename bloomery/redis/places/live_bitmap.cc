// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/live_bitmap.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/filter/classic_layout.h"
#include "bloomery/format/bloom_filter_helper.h"
#include "bloomery/format/gozero.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/mitz_probes.h"
#include "bloomery/format/orestes.h"
#include "bloomery/format/php.h"
#include "bloomery/format/pyrebloom.h"
#include "bloomery/format/redis_bitmap.h"
#include "bloomery/format/redisson.h"
#include "bloomery/format/redisson_probes.h"
#include "bloomery/format/scrapy.h"
#include "bloomery/format/scrapy_md5.h"
#include "bloomery/redis/client/numbers.h"
#include "bloomery/redis/places/trailer.h"

namespace bloomery::redis {
namespace {

using namespace std::string_view_literals;

constexpr std::uint64_t kMostBits = std::uint64_t{1} << 32;  // of a string of Redis
constexpr std::uint64_t kBitsInKilobyte = 8192;

std::uint64_t need_bits(const SettingsReader& read, std::uint64_t most) {
  const std::uint64_t bits = read.need_count("bits");
  if (bits > most) read.refuse("bits", "at most " + std::to_string(most) + ", one string's");
  return bits;
}

LiveBitmap gozero_of(const SettingsReader& read) {
  const Geometry geometry{.bit_count = need_bits(read, kMostBits), .probe_count = 14};
  LiveBitmap filter{.parameters = promised_parameters(GozeroProbes::kKind, geometry, read)};
  filter.positions = positions_of<ClassicLayout<GozeroProbes>>(filter.parameters);
  return filter;
}

LiveBitmap php_of(const SettingsReader& read) {
  const auto kilobytes = read.count("size_kb");
  if (kilobytes.value_or(0) > kMostBits / kBitsInKilobyte) {
    read.refuse("size_kb", "at most 524288, 512 MiB");
  }
  const std::uint64_t bits = kilobytes ? *kilobytes * kBitsInKilobyte : need_bits(read, kMostBits);
  if (read.count("bits").value_or(bits) != bits) read.refuse("bits", "not 8192 times size_kb");
  LiveBitmap filter{.parameters = promised_parameters(PhpProbes::kKind,
                                                      {.bit_count = bits, .probe_count = 3}, read)};
  filter.positions = positions_of<ClassicLayout<PhpProbes>>(filter.parameters);
  return filter;
}

LiveBitmap pyrebloom_of(const SettingsReader& read) {
  LiveBitmap filter{.parameters =
                        bitmap_parameters(PyrebloomProbes::kKind, read, pyrebloom::geometry)};
  if (filter.parameters.geometry.bit_count > pyrebloom::kPartBits) {
    read.refuse("bits", "of more than one string, which cannot be asked where they live");
  }
  filter.positions = positions_of<ClassicLayout<PyrebloomProbes>>(filter.parameters);
  return filter;
}

LiveBitmap bloom_filter_helper_of(const SettingsReader& read) {
  LiveBitmap filter{
      .parameters = bitmap_parameters(Mitz32Probes::kKind, read, bloom_filter_helper::geometry)};
  if (filter.parameters.geometry.bit_count > kMostBits) read.refuse("bits", "at most 2^32");
  filter.positions = positions_of<ClassicLayout<Mitz32Probes>>(filter.parameters);
  return filter;
}

LiveBitmap scrapy_of(const SettingsReader& read) {
  const scrapy::Shape shape = scrapy::shape_of(read);
  LiveBitmap filter{.parameters = promised_parameters(shape.kind, shape.geometry, read)};
  filter.positions = shape.kind == FilterKind::scrapy_md5
                         ? positions_of<ClassicLayout<ScrapyMd5Probes>>(filter.parameters)
                         : positions_of<ClassicLayout<ScrapyProbes>>(filter.parameters);
  return filter;
}

// Reads a whole number from 1 to `most` as Java writes it: no blanks, no zeros before it. Throws
// StoreError for anything else.
std::uint64_t number_of(const FormatSettings& fields, const char* name, std::uint64_t most,
                        const std::string& where) {
  const std::string& text = fields.find(name)->second;
  std::uint64_t value = 0;
  if (!read_number(text, value) || std::to_string(value) != text || value == 0 || value > most) {
    throw StoreError(where + ": its " + name + " is no number from 1 to " + std::to_string(most));
  }
  return value;
}

// Reads the capacity and rate that a filter was made for. They are for people only: a filter that
// does not say them, or says nonsense, answers as well. `read` is given the fields, or nothing if
// it refuses them.
template <class Read>
void read_promise(const FormatSettings& fields, const Format& format, Read read) {
  try {
    read(SettingsReader(fields, format.name, format.settings));
  } catch (const std::invalid_argument&) {
    const FormatSettings none;
    read(SettingsReader(none, format.name, format.settings));
  }
}

LiveBitmap redisson_of(const FormatSettings& fields, const std::string& where) {
  LiveBitmap filter{.parameters = {.kind = RedissonProbes::kKind}};
  FilterParameters& parameters = filter.parameters;
  parameters.geometry.bit_count = number_of(fields, "size", 4'294'967'294, where);
  parameters.geometry.probe_count =
      static_cast<std::uint32_t>(number_of(fields, "hashIterations", 255, where));
  read_promise(fields, redisson::kFormat, [&](const SettingsReader& read) {
    derive_promise(parameters);
    parameters.capacity = read.count("expectedInsertions").value_or(parameters.capacity);
    parameters.false_positive_rate =
        read.rate("falseProbability").value_or(parameters.false_positive_rate);
  });
  filter.positions = positions_of<ClassicLayout<RedissonProbes>>(parameters);
  return filter;
}

LiveBitmap orestes_of(const FormatSettings& fields, const std::string& where) {
  constexpr std::string_view kMethod = "Murmur3KirschMitzenmacher";
  if (fields.find("hashmethod")->second != kMethod) {
    throw StoreError(where + ": its hashmethod is not " + std::string(kMethod) +
                     ", the one that is known here");
  }
  const Geometry geometry{
      .bit_count = number_of(fields, "m", 2'147'483'647, where),
      .probe_count = static_cast<std::uint32_t>(number_of(fields, "k", 255, where))};
  LiveBitmap filter;
  read_promise(fields, orestes::kFormat, [&](const SettingsReader& read) {
    filter.parameters = orestes::parameters_of(geometry, read);
  });
  filter.positions = positions_of<ClassicLayout<OrestesProbes>>(filter.parameters);
  return filter;
}

std::string same_key(std::string_view name) {
  return std::string(name);
}

constexpr std::array kRedissonFields{"size"sv, "hashIterations"sv, "expectedInsertions"sv,
                                     "falseProbability"sv};
constexpr std::array kOrestesFields{"m"sv, "k"sv, "hashmethod"sv, "n"sv, "p"sv, "c"sv};

struct Maker {
  const Format* format;
  LiveBitmap (*make)(const SettingsReader& read);  // of the location's settings, or null
  std::string_view key_ending{};

  // `configured`: makes the filter of a system whose configuration says all; null for other
  // systems.
  LiveBitmap (*configured)(const FormatSettings& fields, const std::string& where) = nullptr;
  std::string (*config_key)(std::string_view name) = nullptr;
  ConfigFields fields{};
  std::string_view counts_ending{};
};

constexpr std::array kMakers{
    Maker{&redisson::kFormat, nullptr, "", redisson_of, redisson::config_key, {kRedissonFields, 2}},
    Maker{&gozero::kFormat, gozero_of},
    Maker{&php::kFormat, php_of},
    Maker{&pyrebloom::kFormat, pyrebloom_of, ".0"},
    Maker{&bloom_filter_helper::kFormat, bloom_filter_helper_of},
    Maker{&scrapy::kFormat, scrapy_of},
    Maker{
        &orestes::kFormat, nullptr, ":bits", orestes_of, same_key, {kOrestesFields, 3}, ":counts"},
};

const Maker* maker_of(const Format& format) noexcept {
  const auto found = std::ranges::find(kMakers, &format, &Maker::format);
  return found == kMakers.end() ? nullptr : &*found;
}

KeyForm usual_keys(const Format& format) {
  return {.encoding = find_key_encoding(format.keys).value()};
}

// Joins the names of a filter's keys with the filter that its system has under them, `made`, and
// with all that the location says.
LiveBitmap completed(LiveBitmap names, LiveBitmap made, const Location& location) {
  names.parameters = std::move(made.parameters);
  names.positions = std::move(made.positions);
  names.parameters.keys = usual_keys(*names.format);
  names.trusts_bits = says_trust(location);
  names.has_trailer = says_trailer(location);
  check_any_contents({.parameters = names.parameters});
  if (names.has_trailer) require_trailer(*names.format, names.parameters, names.name);
  return names;
}

FormatSettings own_settings(Location location) {
  take_trust(location);
  take_trailer(location);
  return location.settings;
}

}  // namespace

bool is_live_format(const Format& format) noexcept {
  return maker_of(format) != nullptr;
}

std::string live_formats() {
  std::string names;
  for (const Maker& each : kMakers) {
    names += (names.empty() ? "" : ", ") + std::string(each.format->name);
  }
  return names;
}

bool says_trust(const Location& location) {
  const auto found = location.settings.find("trust");
  if (found == location.settings.end()) return false;
  if (found->second != "bits") {
    throw std::invalid_argument(location.text() + ": trust=" + found->second +
                                "; there is only trust=bits");
  }
  return true;
}

bool take_trust(Location& location) {
  if (!says_trust(location)) return false;
  location.settings.erase("trust");
  return true;
}

bool says_trailer(const Location& location) {
  const auto found = location.settings.find("trailer");
  if (found == location.settings.end()) return false;
  if (found->second != "1") {
    throw std::invalid_argument(location.text() + ": trailer=" + found->second +
                                "; there is only trailer=1");
  }
  return true;
}

bool take_trailer(Location& location) {
  if (!says_trailer(location)) return false;
  location.settings.erase("trailer");
  return true;
}

void require_trailer(const Format& format, const FilterParameters& parameters,
                     const std::string& name) {
  if (&format == &php::kFormat) {
    throw std::invalid_argument(name +
                                ": trailer=1: the class's reset() clears bits, and might leave "
                                "what says that they are there");
  }
  if (trailer_offset(parameters) + kTrailerBytes <= kMostBits / 8) return;
  throw std::invalid_argument(name +
                              ": trailer=1: behind so many bits a string of 512 MiB has no room");
}

LiveBitmap live_names(const Location& location, const Format& format) {
  const Maker* const maker = maker_of(format);
  if (maker == nullptr) {
    throw std::invalid_argument(std::string(format.name) +
                                ": not a format that lives in a server; those are " +
                                live_formats());
  }
  return {.name = std::string(format.name) + ":" + location.text(),
          .key = location.key + std::string(maker->key_ending),
          .config_key = maker->config_key == nullptr ? "" : maker->config_key(location.key),
          .counts_key =
              maker->counts_ending.empty() ? "" : location.key + std::string(maker->counts_ending),
          .format = &format};
}

ConfigFields config_fields(const Format& format) {
  const Maker* const maker = maker_of(format);
  return maker == nullptr ? ConfigFields{} : maker->fields;
}

LiveBitmap live_configured(const Location& location, const Format& format,
                           const FormatSettings& fields) {
  const Maker& maker = *maker_of(format);
  refuse_settings(own_settings(location), format.name,
                  "the configuration beside the bitmap says all");
  LiveBitmap names = live_names(location, format);
  for (const std::string_view name : maker.fields.names.first(maker.fields.fixed)) {
    const auto found = fields.find(name);
    if (found == fields.end() || found->second.empty()) {
      throw StoreError(names.name + ": no filter of " + std::string(format.name) +
                       " is there: the hash " + names.config_key + " has no " + std::string(name));
    }
    names.config.push_back({name, found->second});
  }
  LiveBitmap made = maker.configured(fields, names.name + ", hash " + names.config_key);
  LiveBitmap filter = completed(std::move(names), std::move(made), location);
  filter.settings = format.settings_of({.parameters = filter.parameters});
  return filter;
}

LiveBitmap live_bitmap(const Location& location, const Format& format) {
  const FormatSettings settings = own_settings(location);
  LiveBitmap made = maker_of(format)->make(SettingsReader(settings, format.name, format.settings));
  LiveBitmap filter = completed(live_names(location, format), std::move(made), location);
  filter.settings = settings;
  return filter;
}

}  // namespace bloomery::redis
