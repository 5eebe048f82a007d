// SPDX-License-Identifier: Apache-2.0
// Any bytes are a delta or are refused; a delta changes only the body that it is given, and what it
// leads to is written as a delta that leads there too.
//
// The input is a delta without its checksum, which nobody guesses.
#include <algorithm>
#include <span>
#include <vector>

#include "bloomery/bits/byte_order.h"
#include "bloomery/errors.h"
#include "bloomery/format/native/crc32c.h"
#include "bloomery/store/delta_reader.h"
#include "bloomery/store/delta_writer.h"
#include "fuzz_target.h"

namespace {

using namespace bloomery;

constexpr std::uint64_t kMostBodyBytes = 1 << 20;
constexpr std::size_t kDeltaPieceWords = 1024;

std::vector<std::uint64_t> applied(std::span<const std::byte> bytes) {
  DeltaReader reader(bytes);
  if (reader.body_bytes() > kMostBodyBytes) throw FormatError("larger than this test's memory");
  std::vector<std::uint64_t> words(reader.body_bytes() / sizeof(std::uint64_t));
  for (std::size_t at = 0; at < words.size(); at += kDeltaPieceWords) {
    reader.apply(std::span(words).subspan(at, std::min(kDeltaPieceWords, words.size() - at)));
  }
  reader.finish();
  return words;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  std::vector<std::byte> delta(input.begin(), input.end());
  delta.resize(size + sizeof(std::uint32_t));
  put_number(std::span(delta), size, crc32c(input));
  try {
    const std::vector<std::uint64_t> words = applied(delta);
    const DeltaReader reader(delta);
    std::vector<std::byte> again;
    DeltaWriter writer([&](auto bytes) { again.insert(again.end(), bytes.begin(), bytes.end()); },
                       reader.head(), reader.body_bytes());
    writer.add(std::vector<std::uint64_t>(words.size()), words);
    writer.finish(reader.ends());
    promise(applied(again) == words);
  } catch (const FormatError&) {
    // Refused, which is an answer.
  }
  return 0;
}
