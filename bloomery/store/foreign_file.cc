// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/foreign_file.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/os/file_mapping.h"
#include "bloomery/store/messages.h"
#include "bloomery/store/replace_file.h"
#include "bloomery/text/grouped.h"
#include "bloomery/text/printable.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kMostConfigBytes = 64 * 1024;
constexpr int kAttempts = 100;

// Stands in FILE.config while FILE is exchanged for one of other settings: nobody takes these bits
// for those of the other.
constexpr std::string_view kBetweenTwo = "the-filter-beside-this-is-being-replaced\n";

bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Names and values in turns, with blanks or = between: "name=value" a line, or HGETALL's lines.
FormatSettings parse_config(std::string_view text, const std::filesystem::path& path) {
  FormatSettings settings;
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (!is_blank(c) && c != '=') {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  if (words.size() % 2 != 0) {
    throw_format_error(path,
                       "a name without a value; names and values come in turns, as name=value");
  }
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (!settings.try_emplace(words[i], words[i + 1]).second) {
      throw_format_error(path, words[i] + " is there twice");
    }
  }
  return settings;
}

std::optional<std::string> read_text(const std::filesystem::path& path) {
  const auto file = RegularFile::open_existing(path, RegularFile::Access::read);
  if (!file) return std::nullopt;
  if (file->size() > kMostConfigBytes) {
    throw_format_error(path, grouped(file->size()) + " bytes; settings are 65,536 at the most");
  }
  std::string text(file->size(), '\0');
  file->read(std::as_writable_bytes(std::span(text)), 0);
  return text;
}

FormatSettings read_config(const std::filesystem::path& path) {
  const auto text = read_text(path);
  if (text == kBetweenTwo) {
    throw_format_error(path,
                       "the filter beside it is being replaced, or that was cut short: what "
                       "its bits mean is not known; make it again");
  }
  return text ? parse_config(*text, path) : FormatSettings();
}

std::string config_text(const FormatSettings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) text += name + "=" + value + "\n";
  return text;
}

void write_config(const std::filesystem::path& path, std::string_view text, bool replace) {
  write_or_replace(
      path, replace,
      [&](const std::filesystem::path& target, const std::optional<WriterLock>& replaced) {
        return replace_file(target, text.size(), false, replaced, [&](ReplacementFile& file) {
          file.append(std::as_bytes(std::span(text)));
        });
      });
}

// FILE.config, which changes with FILE or not at all.
class ConfigChange {
 public:
  explicit ConfigChange(std::filesystem::path path)
      : path_(std::move(path)), before_(read_text(path_)) {}

  bool is(std::string_view text) const { return before_ == text; }

  void write(std::string_view text, bool replace) {
    try {
      write_config(path_, text, replace);
    } catch (...) {
      // The configuration may be in place all the same, where only the sync of the folder failed.
      is_changed_ = is_changed_ || read_text(path_) == text;
      throw;
    }
    is_changed_ = true;
  }

  // Makes the config what it was, after a failure.
  void take_back() const {
    if (!is_changed_) return;
    if (before_) {
      write_config(path_, *before_, true);
    } else {
      std::filesystem::remove(path_);
    }
  }

 private:
  std::filesystem::path path_;
  std::optional<std::string> before_;
  bool is_changed_ = false;
};

// Writes where no file was. Unasked, nothing is replaced: whoever makes FILE.config makes FILE too.
// With `replace` several may be at it, and FILE has no settings until it is there, as below.
std::optional<WriterLock> write_new(const FilterContents& contents, const FileLocation& location,
                                    bool replace, const std::filesystem::path& target) {
  const Format& format = *location.format;
  ConfigChange config(location.config_path());
  const std::string text = config_text(format.settings_of(contents));
  std::optional<WriterLock> written;
  try {
    written = write_foreign(contents, format, target, std::nullopt, [&] {
      config.write(replace ? kBetweenTwo : std::string_view(text), replace);
    });
  } catch (...) {
    if (!std::filesystem::exists(target)) {
      config.take_back();
    } else if (replace) {
      config.write(text, true);  // FILE is in place, but may not stay
    }
    throw;
  }
  if (!written) {
    // Somebody else's file. Its settings are his to write; until the next attempt there are none.
    if (!replace) config.take_back();
    return std::nullopt;
  }
  if (!replace) return written;
  try {
    config.write(text, true);
  } catch (...) {
    std::filesystem::remove(target);
    config.take_back();
    throw;
  }
  return written;
}

// FILE and its settings, which change in two steps. Under the settings of the one the bits of the
// other say "absent" of keys that they hold, so between the steps there are no settings at all. The
// caller holds the lock of the file that is replaced, if one is.
std::optional<WriterLock> write_with_settings(const FilterContents& contents,
                                              const FileLocation& location, bool replace,
                                              const std::filesystem::path& target,
                                              const std::optional<WriterLock>& replaced) {
  const Format& format = *location.format;
  if (format.settings_of == nullptr) return write_foreign(contents, format, target, replaced);
  if (!replaced) return write_new(contents, location, replace, target);
  ConfigChange config(location.config_path());
  const std::string text = config_text(format.settings_of(contents));
  if (config.is(text)) return write_foreign(contents, format, target, replaced);
  std::optional<WriterLock> written;
  try {
    written =
        write_foreign(contents, format, target, replaced, [&] { config.write(kBetweenTwo, true); });
  } catch (...) {
    if (replaced->file().is_named(target)) {
      config.take_back();
    } else {
      config.write(text, true);  // it is in place, but may not stay
    }
    throw;
  }
  config.write(text, true);
  return written;
}

// Returns whether the setting says what a filter was made for.
bool is_promise(std::string_view name) noexcept {
  return name == "capacity" || name == "rate";
}

// Returns whether the settings give the sizes of a filter. Capacity and rate give them where
// nothing else does.
bool has_sizes(const FormatSettings& settings) noexcept {
  return !std::ranges::all_of(settings, [](const auto& one) { return is_promise(one.first); });
}

std::optional<double> number_in(std::string_view text) noexcept {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

// Returns whether two texts are the same setting; 0.030 is 0.03.
bool say_the_same(std::string_view a, std::string_view b) noexcept {
  if (a == b) return true;
  const auto number = number_in(a);
  return number && number == number_in(b);
}

// No format says how its keys were written: what its system does where nobody chose is assumed, and
// travels on with the filter.
AnyFilter with_keys(AnyFilter filter, const Format& format) {
  filter.set_keys({find_key_encoding(format.keys).value()});
  return filter;
}

}  // namespace

FormatSettings settings_at(const FileLocation& location) {
  FormatSettings settings = location.settings;
  if (location.format->settings_of == nullptr) return settings;
  FormatSettings beside = read_config(location.config_path());
  const bool is_sized = has_sizes(beside);
  for (const auto& [name, value] : settings) {
    const auto found = beside.find(name);
    if (found == beside.end() || say_the_same(value, found->second)) continue;
    if (is_sized && is_promise(name)) continue;
    throw std::invalid_argument(
        location.path.string() + ": " + name + "=" + printable(value) + ", but " +
        location.config_path().string() + " says " + name + "=" + printable(found->second) +
        ": keys would be asked at other bits, and \"absent\" would be wrong. Leave out " + name +
        ", or correct the .config");
  }
  settings.merge(beside);
  return settings;
}

AnyFilter load_foreign(const RegularFile& file, const FileLocation& location) {
  const FormatSettings settings = settings_at(location);
  try {
    if (file.size() == 0) return with_keys(location.format->decode({}, settings), *location.format);
    const FileMapping bytes(file.descriptor(), file.size(), FileMapping::Changes::stay_here,
                            LostPages::kAreReplaced);
    AnyFilter filter = location.format->decode(bytes.bytes(), settings);
    if (bytes.is_damaged()) throw_store_error(location.path, "was cut short while it was read");
    return with_keys(std::move(filter), *location.format);
  } catch (const FormatError& error) {
    throw_format_error(location.path, error.what());
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(location.path.string() + ": " + error.what());
  } catch (const std::system_error& error) {
    throw_store_error(location.path, error.what());
  }
}

std::optional<WriterLock> write_foreign(const FilterContents& contents, const Format& format,
                                        const std::filesystem::path& target,
                                        const std::optional<WriterLock>& replaced,
                                        const std::function<void()>& when_written) {
  require_holds(format, contents);
  std::uint64_t byte_count = 0;
  format.encode(contents, [&](std::span<const std::byte> piece) { byte_count += piece.size(); });
  return replace_file(target, byte_count, false, replaced, [&](ReplacementFile& file) {
    format.encode(contents, [&](std::span<const std::byte> piece) { file.append(piece); });
    if (when_written) when_written();
  });
}

AnyFilter load(const FileLocation& location) {
  if (location.format == nullptr) return load(location.path);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto file = RegularFile::open(location.path, RegularFile::Access::read);
    // Settings that were read beside a file that was replaced meanwhile may be those of the new
    // one.
    const auto is_same = [&] {
      return location.format->settings_of == nullptr || file.is_named(location.path);
    };
    try {
      AnyFilter filter = load_foreign(file, location);
      if (is_same()) return filter;
    } catch (const FormatError&) {
      if (is_same()) throw;
    }
  }
  throw_busy(location.path);
}

void save(const FilterContents& contents, const FileLocation& location,
          const SaveOptions& options) {
  if (location.format == nullptr) return save(contents, location.path, options);
  require_holds(*location.format, contents);
  std::error_code unknown;  // writing it says what is wrong
  if (!options.replace &&
      std::filesystem::exists(std::filesystem::symlink_status(location.path, unknown))) {
    throw_exists(location.path);
  }
  write_or_replace(
      location.path, options.replace,
      [&](const std::filesystem::path& target, const std::optional<WriterLock>& replaced) {
        return write_with_settings(contents, location, options.replace, target, replaced);
      });
}

}  // namespace bloomery
