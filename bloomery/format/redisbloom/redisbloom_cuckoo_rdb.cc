// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/redisbloom/redisbloom_cuckoo_rdb.h"

#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/format/redisbloom/redisbloom_cuckoo_dump.h"
#include "bloomery/format/redisbloom/redisbloom_hash_seed.h"

namespace bloomery::redisbloom {
namespace {

constexpr std::uint32_t kFirstWithParameters = 4;

[[noreturn]] void refuse_cuckoo(const ValueReader& reader, const std::string& why) {
  const std::string place = reader.place();
  throw FormatError("not a cuckoo filter of RedisBloom: " + why +
                    (place.empty() ? "" : ", " + place));
}

void check(const ValueReader& reader, const CuckooShape& shape) {
  try {
    check_cuckoo(shape);
  } catch (const std::invalid_argument& error) {
    refuse_cuckoo(reader, error.what());
  }
}

CuckooShape read_shape(ValueReader& reader, std::uint32_t version) {
  if (version > kFirstWithHashSeed) {
    refuse_cuckoo(reader,
                  "encoding version " + std::to_string(version) + ", where 1 to 5 are known");
  }
  CuckooShape shape;
  take_sub_filters(reader.number("sub-filters"), shape);
  shape.bucket_count = reader.number("buckets");
  shape.items = reader.number("items");
  if (version >= kFirstWithParameters) {
    shape.deletes = reader.number("deletes");
    shape.bucket_size = reader.number("bucket size");
    shape.max_iterations = reader.number("iterations");
    shape.expansion = reader.number("expansion");
  } else {
    shape.hash = CuckooHash::murmur_32;
  }
  return shape;
}

void check_sub_filter(const ValueReader& reader, const CuckooShape& shape, std::uint64_t i,
                      std::uint64_t buckets, std::uint64_t size) {
  const std::uint64_t bytes = sub_filter_bytes(shape, i);
  if (buckets != bytes / shape.bucket_size) {
    refuse_cuckoo(reader, "sub-filter " + std::to_string(i) + " of " + std::to_string(buckets) +
                              " buckets, where it has " +
                              std::to_string(bytes / shape.bucket_size));
  }
  if (size != bytes) {
    refuse_cuckoo(reader, "slots of " + std::to_string(size) + " bytes, where sub-filter " +
                              std::to_string(i) + " has " + std::to_string(bytes));
  }
}

// Calls keep(size) behind each string of slots, all of which have the size that the shape says. As
// with chains, a value that is refused is read to its end.
template <class Keep>
CuckooShape read_value(ValueReader& reader, std::uint32_t version, Keep keep) {
  CuckooShape shape = read_shape(reader, version);
  const bool has_buckets = version >= kFirstWithParameters;
  std::exception_ptr refusal;
  const auto judge = [&](auto act) {
    if (refusal) return;
    try {
      act();
    } catch (...) {
      refusal = std::current_exception();
    }
  };
  judge([&] { check(reader, shape); });
  for (std::uint64_t i = 0; i < shape.sub_filters; ++i) {
    const std::uint64_t buckets = has_buckets ? reader.number("buckets of a sub-filter") : 0;
    const std::uint64_t size = reader.string("slots");
    judge([&] {
      if (!has_buckets && i == 0) {
        shape.bucket_size = size / shape.bucket_count;
        check(reader, shape);
      }
      const std::uint64_t known = sub_filter_bytes(shape, i) / shape.bucket_size;
      check_sub_filter(reader, shape, i, has_buckets ? buckets : known, size);
      keep(size);
    });
  }
  if (version >= kFirstWithHashSeed) {
    try {
      read_no_hash_seed(reader);
    } catch (const HashSeedError&) {
      if (!refusal) refusal = std::current_exception();
    }
  }
  if (refusal) std::rethrow_exception(refusal);
  return shape;
}

}  // namespace

CuckooFilter read_cuckoo_value(ValueReader& reader, std::uint32_t encoding_version) {
  std::vector<HeapWords> slots;
  try {
    const CuckooShape shape = read_value(reader, encoding_version, [&](std::uint64_t size) {
      HeapWords words((size + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
      reader.copy(std::as_writable_bytes(words.words()).first(size));
      slots.push_back(std::move(words));
    });
    return {shape, std::move(slots)};
  } catch (const std::invalid_argument& error) {
    refuse_cuckoo(reader, error.what());
  }
}

CuckooShape read_cuckoo_shape(ValueReader& reader, std::uint32_t encoding_version) {
  return read_value(reader, encoding_version, [](std::uint64_t) {});
}

void write_cuckoo_value(const CuckooFilter& filter, ValueWriter& writer) {
  const CuckooShape& shape = filter.shape();
  writer.number(stored_sub_filters(shape));
  writer.number(shape.bucket_count);
  writer.number(shape.items);
  writer.number(shape.deletes);
  writer.number(shape.bucket_size);
  writer.number(shape.max_iterations);
  writer.number(shape.expansion);
  for (std::size_t i = 0; i < shape.sub_filters; ++i) {
    writer.number(sub_filter_bytes(shape, i) / shape.bucket_size);
    writer.string(filter.slots(i));
  }
}

}  // namespace bloomery::redisbloom
