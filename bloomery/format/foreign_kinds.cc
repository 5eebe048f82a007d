#include "bloomery/format/foreign_kinds.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/filter/basic_filter.h"
#include "bloomery/filter/classic_layout.h"
#include "bloomery/format/dcso.h"
#include "bloomery/format/gozero.h"
#include "bloomery/format/hutool.h"
#include "bloomery/format/javascript.h"
#include "bloomery/format/leveldb.h"
#include "bloomery/format/mitz_probes.h"
#include "bloomery/format/orestes.h"
#include "bloomery/format/parquet.h"
#include "bloomery/format/php.h"
#include "bloomery/format/pyrebloom.h"
#include "bloomery/format/redisbloom_filter.h"
#include "bloomery/format/redisson_probes.h"
#include "bloomery/format/rocksdb.h"
#include "bloomery/format/simple_java.h"

namespace bloomery {
namespace {

template <class Scheme>
using Probing = FlatKind<ClassicLayout<Scheme>>;

template <class Scheme>
using InOneLine = FlatKind<OneLineLayout<Scheme>>;

// As with_kind, for schemes of other systems.
template <class Visit>
decltype(auto) with_foreign_kind(FilterKind kind, Visit visit) {
  switch (kind) {
    case FilterKind::mitz_64:
      return visit.template operator()<Probing<Mitz64Probes>>();
    case FilterKind::mitz_32:
      return visit.template operator()<Probing<Mitz32Probes>>();
    case FilterKind::redisson:
      return visit.template operator()<Probing<RedissonProbes>>();
    case FilterKind::redisson_legacy:
      return visit.template operator()<Probing<RedissonLegacyProbes>>();
    case FilterKind::php:
      return visit.template operator()<Probing<PhpProbes>>();
    case FilterKind::simple_java:
      return visit.template operator()<Probing<SimpleJavaProbes>>();
    case FilterKind::javascript:
      return visit.template operator()<Probing<JavascriptProbes>>();
    case FilterKind::javascript_sane:
      return visit.template operator()<Probing<JavascriptSaneProbes>>();
    case FilterKind::orestes:
      return visit.template operator()<Probing<OrestesProbes>>();
    case FilterKind::pyrebloom:
      return visit.template operator()<Probing<PyrebloomProbes>>();
    case FilterKind::gozero:
      return visit.template operator()<Probing<GozeroProbes>>();
    case FilterKind::hutool_bitmap:
      return visit.template operator()<Probing<HutoolBitMapProbes>>();
    case FilterKind::hutool_bitset:
      return visit.template operator()<Probing<HutoolBitSetProbes>>();
    case FilterKind::leveldb:
      return visit.template operator()<Probing<leveldb_format::Probes>>();
    case FilterKind::rocksdb:
      return visit.template operator()<InOneLine<rocksdb_format::FastLocal>>();
    case FilterKind::dcso:
      return visit.template operator()<Probing<dcso::Probes>>();
    case FilterKind::parquet:
      return visit.template operator()<InOneLine<parquet::SplitBlock>>();
    case FilterKind::redisbloom:
      return visit.template operator()<GrowingKind<redisbloom::Filter>>();
    case FilterKind::redisbloom_32:
      return visit.template operator()<GrowingKind<redisbloom::Filter32>>();
    default:
      throw FormatError("unknown filter kind " + std::to_string(static_cast<int>(kind)));
  }
}

struct SchemeName {
  FilterKind kind;
  std::string_view name;
  std::string_view hash;
};

constexpr SchemeName kNames[] = {
    {FilterKind::mitz_64, "mitz-64", "murmur3 x64-128"},
    {FilterKind::mitz_32, "mitz-32", "murmur3 x64-128, half of it"},
    {FilterKind::redisson, "redisson", "HighwayHash-128"},
    {FilterKind::redisson_legacy, "redisson-legacy", "HighwayHash-128"},
    {FilterKind::php, "php", "BKDR, JS, SDBM of PHP"},
    {FilterKind::simple_java, "simple-java", "factor h + char, 8 factors"},
    {FilterKind::javascript, "javascript", "seed h + charAt, 8 seeds"},
    {FilterKind::javascript_sane, "javascript-sane", "seed h + charCodeAt, 8 seeds"},
    {FilterKind::orestes, "orestes", "murmur3 x86-32, twice"},
    {FilterKind::pyrebloom, "pyrebloom", "MurmurHash64A, one a probe"},
    {FilterKind::gozero, "gozero", "murmur3 x64-128, one a probe"},
    {FilterKind::hutool_bitmap, "hutool", "string hashes of Hutool"},
    {FilterKind::hutool_bitset, "hutool-bitset", "string hashes of Hutool"},
    {FilterKind::leveldb, "leveldb", "LevelDB's 32-bit hash"},
    {FilterKind::rocksdb, "rocksdb", "RocksDB's XXH3 preview"},
    {FilterKind::dcso, "dcso", "FNV-1"},
    {FilterKind::parquet, "parquet", "XXH64"},
    {FilterKind::redisbloom, "redisbloom", "MurmurHash64A"},
    {FilterKind::redisbloom_32, "redisbloom-32", "MurmurHash2"},
};

const SchemeName& names_of(FilterKind kind) {
  const auto* const found = std::ranges::find(kNames, kind, &SchemeName::kind);
  if (found == std::end(kNames)) {
    throw FormatError("unknown filter kind " + std::to_string(static_cast<int>(kind)));
  }
  return *found;
}

void check_foreign(const FilterContents& contents) {
  const FilterParameters& parameters = contents.parameters;
  const double rate = parameters.false_positive_rate;
  if (parameters.capacity == 0 || !(rate > 0 && rate < 1)) {
    throw FormatError("impossible promise of a filter: capacity " +
                      std::to_string(parameters.capacity) + " (at least 1), rate " +
                      std::to_string(rate) + " (above 0, below 1)");
  }
  with_foreign_kind(parameters.kind, [&]<class K>() { K::check(contents); });
}

std::uint64_t foreign_word_count(const FilterContents& contents) {
  return with_foreign_kind(contents.parameters.kind,
                           [&]<class K>() { return K::word_count(contents); });
}

}  // namespace

std::string_view any_kind_name(FilterKind kind) {
  return is_foreign(kind) ? names_of(kind).name : kind_name(kind);
}

std::string_view any_hash_name(const FilterParameters& parameters) {
  if (is_foreign(parameters.kind)) return names_of(parameters.kind).hash;
  return parameters.hash.id() == HashId::secret ? "HighwayHash-128" : "XXH3-128";
}

void check_any_contents(const FilterContents& contents) {
  is_foreign(contents.parameters.kind) ? check_foreign(contents) : check_contents(contents);
}

std::uint64_t any_word_count(const FilterContents& contents) {
  return is_foreign(contents.parameters.kind) ? foreign_word_count(contents)
                                              : stored_word_count(contents);
}

std::uint32_t foreign_line_bits(FilterKind kind) noexcept {
  return kind == FilterKind::parquet ? parquet::SplitBlock::kLineBits : Geometry{}.line_bits;
}

AnyFilter open_foreign_as_is(const FilterContents& contents, SharedWords words) {
  check_foreign(contents);
  if (std::as_const(words).words().size() != foreign_word_count(contents)) {
    throw FormatError("the words are not as many as the geometry says");
  }
  return with_foreign_kind(contents.parameters.kind, [&]<class K>() {
    return AnyFilter(K::open(contents, std::move(words)));
  });
}

AnyFilter open_foreign(FilterContents contents, SharedWords words) {
  AnyFilter filter = open_foreign_as_is(contents, words);
  const double keys = contents.inserted != 0 ? 0 : filter.cardinality();
  if (keys == 0) return filter;
  contents.inserted = static_cast<std::uint64_t>(std::max(1.0, std::round(keys)));
  return open_foreign_as_is(contents, std::move(words));
}

AnyFilter open_foreign(FilterContents contents, HeapWords words) {
  return open_foreign(std::move(contents), SharedWords::of(std::move(words)));
}

AnyFilter make_foreign(const FilterParameters& parameters) {
  const FilterContents contents{.parameters = parameters};
  check_foreign(contents);
  return open_foreign_as_is(contents, SharedWords::of(HeapWords(foreign_word_count(contents))));
}

void derive_promise(FilterParameters& parameters) noexcept {
  const Geometry& geometry = parameters.geometry;
  const double keys =
      static_cast<double>(geometry.bit_count) * std::log(2.0) / geometry.probe_count;
  parameters.capacity = static_cast<std::uint64_t>(std::max(1.0, std::round(keys)));
  parameters.false_positive_rate =
      std::max(kMinRate, std::ldexp(1.0, -static_cast<int>(geometry.probe_count)));
}

}  // namespace bloomery
