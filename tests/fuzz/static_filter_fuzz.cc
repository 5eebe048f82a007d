// SPDX-License-Identifier: Apache-2.0
// Bytes as a static filter, at an odd address: refused, or asked without reading outside.
#include <array>
#include <cmath>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/static_filter.h"
#include "fuzz_target.h"

using namespace bloomery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> room(size + 1);
  for (std::size_t i = 0; i < size; ++i) room[i + 1] = std::byte{data[i]};
  try {
    const StaticFilter filter(std::span<const std::byte>(room).subspan(1));
    const HashPair hash = filter.hash(Key("key"));
    bool all = filter.geometry().bit_count != 0;
    for (const Probe& probe : filter.probes(hash)) all = all && probe.set;
    promise(filter.may_contain_hash(hash) == all);
    // A block of keys, which a kernel may take at once, and one more.
    std::array<bool, 9> found;
    filter.may_contain_many(std::vector(found.size(), hash), found);
    for (const bool each : found) promise(each == all);
    promise(filter.predicted_rate() >= 0 && filter.predicted_rate() <= 1);
    promise(std::isfinite(filter.cardinality()));
    filter.verify();
  } catch (const FormatError&) {
    // Refused, which is an answer.
  }
  return 0;
}
