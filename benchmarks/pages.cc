#include "benchmarks/pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <new>
#include <string>

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
  const auto first = reinterpret_cast<std::uint64_t>(words.data());
  const std::uint64_t last = first + words.size_bytes();
  std::ifstream smaps("/proc/self/smaps");
  std::string line;
  bool inside = false;
  std::uint64_t huge_bytes = 0;
  while (std::getline(smaps, line)) {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t kib = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) {
      inside = begin < last && first < end;
    } else if (inside && std::sscanf(line.c_str(), "AnonHugePages: %lu kB", &kib) == 1) {
      huge_bytes += kib << 10;
    }
  }
  return std::min(1.0, static_cast<double>(huge_bytes) / static_cast<double>(words.size_bytes()));
}

}  // namespace bloomery::bench
