// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace bloomery::bench {

enum class PageKind { huge, small };

// Zeroed words in pages of their own, every one touched; huge pages advised or forbidden.
class Pages {
 public:
  Pages(std::uint64_t byte_count, PageKind kind);
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages();

  std::span<std::uint64_t> words() const noexcept { return {words_, word_count_}; }

 private:
  void* mapping_;
  std::uint64_t mapped_bytes_;
  std::uint64_t* words_;
  std::uint64_t word_count_;
};

// Share of these words that the kernel keeps in huge pages; 0 where it does not say.
double huge_page_share(std::span<const std::uint64_t> words);

}  // namespace bloomery::bench
