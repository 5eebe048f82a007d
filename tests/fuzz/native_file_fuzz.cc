// SPDX-License-Identifier: Apache-2.0
// Any bytes are a filter or are refused; a filter that is read works, and says the same of itself.
//
// The input is a file without the zeros before its body, after one byte of wishes: 1 = with a right
// checksum of the header, 2 = with a right table behind the body. Nobody guesses a checksum.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "bloomery/bits/byte_order.h"
#include "bloomery/errors.h"
#include "bloomery/format/native/crc32c.h"
#include "bloomery/format/native/file_header.h"
#include "bloomery/store/body_io.h"
#include "bloomery/store/native_file.h"
#include "fuzz_target.h"

namespace {

using namespace bloomery;

constexpr int kSignHeader = 1;
constexpr int kSignBody = 2;

std::vector<std::byte> file_of(std::span<const std::byte> input) {
  if (input.empty()) return {};
  const int wishes = static_cast<int>(input[0]);
  input = input.subspan(1);
  std::vector<std::byte> file(input.begin(), input.end());
  if (file.size() < kHeaderBytes) return file;
  const std::uint64_t field_bytes = get_number<std::uint16_t>(file, 14);
  if (file.size() < kHeaderBytes + field_bytes) return file;
  if ((wishes & kSignHeader) != 0) {
    const std::span<const std::byte> head = file;
    put_number(std::span(file), 60,
               crc32c(head.subspan(kHeaderBytes, field_bytes), crc32c(head.first(60))));
  }
  const auto layout = FileLayout::of(static_cast<std::uint16_t>(field_bytes), 0);
  const auto body = input.subspan(kHeaderBytes + field_bytes);
  file.resize(kHeaderBytes + field_bytes);
  file.resize(layout.body_offset);
  file.insert(file.end(), body.begin(), body.end());
  if ((wishes & kSignBody) != 0) {
    for (std::size_t at = 0; at < body.size(); at += kBlockBytes) {
      const std::uint32_t sum =
          crc32c(body.subspan(at, std::min<std::size_t>(kBlockBytes, body.size() - at)));
      file.resize(file.size() + sizeof sum);
      put_number(std::span(file), file.size() - sizeof sum, sum);
    }
  }
  return file;
}

void use(AnyFilter filter, const FileInfo& info) {
  promise(info.damaged_blocks == 0U && info.closed_cleanly);
  promise(info.contents.inserted == filter.inserted());
  promise(std::isfinite(filter.cardinality()) && std::isfinite(filter.predicted_rate()));
  if (!filter.can_insert()) return;
  filter.insert("key");
  promise(filter.may_contain("key"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = file_of(std::as_bytes(std::span(data, size)));
  const int descriptor = memfd_create("fuzzed", MFD_CLOEXEC);
  promise(descriptor >= 0);
  promise(write(descriptor, file.data(), file.size()) == static_cast<ssize_t>(file.size()));
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  try {
    use(load(path), inspect(path, true));
  } catch (const FormatError&) {
    // Refused, which is an answer; inspect may still answer, but not fall.
    try {
      inspect(path, true);
    } catch (const FormatError&) {
    }
  }
  close(descriptor);
  return 0;
}
