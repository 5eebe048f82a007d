#include "bloomery/store/foreign_file.h"

#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "bloomery/bits/file_mapping.h"
#include "bloomery/errors.h"
#include "bloomery/format/native/grouped.h"
#include "bloomery/store/messages.h"
#include "bloomery/store/replace_file.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kMostConfigBytes = 64 * 1024;

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

FormatSettings read_config(const std::filesystem::path& path) {
  const auto file = RegularFile::open_existing(path, RegularFile::Access::read);
  if (!file) return {};
  if (file->size() > kMostConfigBytes) {
    throw_format_error(path, grouped(file->size()) + " bytes; settings are 65,536 at the most");
  }
  std::string text(file->size(), '\0');
  file->read(std::as_writable_bytes(std::span(text)), 0);
  return parse_config(text, path);
}

std::string config_text(const FormatSettings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) text += name + "=" + value + "\n";
  return text;
}

// No format says how its keys were written: what its system does where nobody chose is assumed, and
// travels on with the filter.
AnyFilter with_keys(AnyFilter filter, const Format& format) {
  filter.set_keys({find_key_encoding(format.keys).value()});
  return filter;
}

}  // namespace

FormatSettings settings_at(const FilterLocation& location) {
  FormatSettings settings = location.settings;
  if (location.format->settings_of != nullptr) settings.merge(read_config(location.config_path()));
  return settings;
}

AnyFilter load_foreign(const RegularFile& file, const FilterLocation& location) {
  const FormatSettings settings = settings_at(location);
  try {
    if (file.size() == 0) return with_keys(location.format->decode({}, settings), *location.format);
    const FileMapping bytes(file.descriptor(), file.size(), FileMapping::Changes::stay_here, true);
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
                                        const std::optional<WriterLock>& replaced) {
  require_holds(format, contents);
  std::uint64_t byte_count = 0;
  format.encode(contents, [&](std::span<const std::byte> piece) { byte_count += piece.size(); });
  return replace_file(target, byte_count, false, replaced, [&](ReplacementFile& file) {
    format.encode(contents, [&](std::span<const std::byte> piece) { file.append(piece); });
  });
}

void write_settings(const FilterContents& contents, const FilterLocation& location, bool replace) {
  if (location.format->settings_of == nullptr) return;
  const std::string text = config_text(location.format->settings_of(contents));
  write_or_replace(
      location.config_path(), replace,
      [&](const std::filesystem::path& target, const std::optional<WriterLock>& replaced) {
        return replace_file(target, text.size(), false, replaced, [&](ReplacementFile& file) {
          file.append(std::as_bytes(std::span(text)));
        });
      });
}

AnyFilter load(const FilterLocation& location) {
  if (location.format == nullptr) return load(location.path);
  const auto file = RegularFile::open(location.path, RegularFile::Access::read);
  return load_foreign(file, location);
}

void save(const FilterContents& contents, const FilterLocation& location,
          const SaveOptions& options) {
  if (location.format == nullptr) return save(contents, location.path, options);
  require_holds(*location.format, contents);
  if (!options.replace && std::filesystem::exists(std::filesystem::symlink_status(location.path))) {
    throw_store_error(location.path, "already exists");
  }
  write_settings(contents, location, options.replace);
  write_or_replace(
      location.path, options.replace,
      [&](const std::filesystem::path& target, const std::optional<WriterLock>& replaced) {
        return write_foreign(contents, *location.format, target, replaced);
      });
}

}  // namespace bloomery
