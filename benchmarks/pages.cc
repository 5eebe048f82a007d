// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/pages.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

#include "bloomery/bits/huge_pages.h"

namespace bloomery::bench {
namespace {

constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;

}  // namespace

Pages::Pages(std::uint64_t byte_count, PageKind kind)
    : mapped_bytes_((byte_count + 2 * kHugePage - 1) / kHugePage * kHugePage + kHugePage),
      word_count_(byte_count / sizeof(std::uint64_t)) {
  mapping_ =
      mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) throw std::bad_alloc();
  madvise(mapping_, mapped_bytes_, kind == PageKind::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  const auto start = reinterpret_cast<std::uintptr_t>(mapping_);
  words_ = reinterpret_cast<std::uint64_t*>((start + kHugePage - 1) / kHugePage * kHugePage);
  std::memset(words_, 0, byte_count);
}

Pages::~Pages() {
  munmap(mapping_, mapped_bytes_);
}

double huge_page_share(std::span<const std::uint64_t> words) {
  if (words.empty()) return 0;
  const auto huge = static_cast<double>(huge_page_byte_count(words).value_or(0));
  return huge / static_cast<double>(words.size_bytes());
}

}  // namespace bloomery::bench
