// SPDX-License-Identifier: Apache-2.0
// Any bytes are a text of keys or are refused; a text that is taken gives each of its records,
// whether it comes from a file or through a pipe, to one thread or several. The first byte says how
// to read it.

#include "bloomery/source/text_source.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/source/decoder.h"
#include "fuzz_target.h"

namespace bloomery {
namespace {

using Keys = std::optional<std::vector<std::string>>;

constexpr std::size_t kMostBytes = 60'000;  // what a pipe holds

SourceOptions options_of(std::uint8_t byte) {
  SourceOptions options;
  options.csv = (byte & 1) != 0;
  options.field = options.csv || (byte & 2) != 0 ? 1 + ((byte >> 2) & 1U) : 0;
  options.delimiter = (byte & 8) != 0 ? "::" : ",";
  options.skip_header = (byte & 16) != 0;
  options.separator = (byte & 32) != 0 ? '\0' : '\n';
  return options;
}

Keys read_all(int descriptor, const SourceOptions& options, unsigned threads) {
  try {
    TextSource source(InputFile(descriptor, "input"), options);
    Keys keys(std::in_place);
    source.for_each_prepared({threads, {}}, [&](const Batch& batch) {
      promise(batch.keys.size() == batch.lines.size());
      keys->insert(keys->end(), batch.keys.begin(), batch.keys.end());
      return true;
    });
    return keys;
  } catch (const std::invalid_argument&) {
  } catch (const StoreError&) {
  }
  return std::nullopt;
}

Keys through_file(const std::string& text, const SourceOptions& options, unsigned threads) {
  const int file = memfd_create("fuzz", MFD_CLOEXEC);
  promise(file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  promise(lseek(file, 0, SEEK_SET) == 0);
  return read_all(file, options, threads);
}

Keys through_pipe(const std::string& text, const SourceOptions& options) {
  std::array<int, 2> ends{};
  promise(pipe(ends.data()) == 0);
  promise(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  close(ends[1]);
  return read_all(ends[0], options, 1);
}

// Fields of a record between quotes and outside, a byte after the other: slow, and plain to see.
Keys expected_csv(std::string text, const SourceOptions& options) {
  Keys keys(std::in_place);
  std::vector<std::string> fields(1);
  bool quoted = false;
  bool at_begin = true;
  std::size_t record_count = 0;
  const auto end_record = [&] {
    if (++record_count == 1 && options.skip_header) return;
    promise(fields.size() >= options.field);
    keys->push_back(fields[options.field - 1]);
  };
  if (text.empty() || text.back() != options.separator) text += options.separator;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char byte = text[i];
    if (quoted && byte == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      fields.back() += text[++i];
    } else if (byte == '"' && (quoted || at_begin)) {
      quoted = !quoted;
      at_begin = false;
    } else if (!quoted && byte == '\r' && i + 1 < text.size() && text[i + 1] == options.separator) {
      // none of the field
    } else if (!quoted && byte == options.separator) {
      end_record();
      fields.assign(1, {});
      at_begin = true;
    } else if (!quoted && text.compare(i, options.delimiter.size(), options.delimiter) == 0) {
      fields.emplace_back();
      i += options.delimiter.size() - 1;
      at_begin = true;
    } else {
      fields.back() += byte;
      at_begin = false;
    }
  }
  return keys;
}

}  // namespace
}  // namespace bloomery

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bloomery;
  if (size == 0 || size > kMostBytes) return 0;
  const SourceOptions options = options_of(data[0]);
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Keys keys = through_file(text, options, 1);
  // A pipe has fewer bytes at hand when its begin is looked at, so it may be taken where a file is
  // refused.
  const Keys piped = through_pipe(text, options);
  promise(!keys || piped == keys);
  if ((data[0] & 64) != 0) promise(through_file(text, options, 3) == keys);
  const bool is_plain = encoded_as(text) == Encoded::plain && !text.starts_with("\xef\xbb\xbf");
  if (keys && options.csv && is_plain && !text.empty()) {
    promise(*keys == *expected_csv(text, options));
  }
  return 0;
}
