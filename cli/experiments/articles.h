// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace bloomery::cli {

// An article whose figures are run again. What an article does not name is empty.
struct Article {
  std::string_view word;  // names it in --post
  std::string_view title;
  std::string_view author;
  std::string_view link;
  std::string_view about;  // in a few words
};

inline constexpr std::array kArticles{
    Article{"guava", "布隆过滤器原理", "", "",
            "Java: Guava, SimpleBloomFilter, Redisson; getByKey before a database"},
    Article{"redis", "应用 5: 层峦叠嶂 —— 布隆过滤器", "", "",
            "RedisBloom: BF.ADD, BF.RESERVE, and how large a filter is"},
    Article{"javascript", "布隆过滤器 Bloom Filter", "", "",
            "JavaScript: a class with eight hashes"},
    Article{"penetration", "通俗易懂讲布隆过滤器", "jack_xu",
            "https://juejin.cn/post/6844904131644096526",
            "Java: BloomFilterHelper over a bitmap of Redis, and Guava"},
    Article{"php", "PHP+Redis实现布隆过滤器(bloom filter)", "", "",
            "PHP: a class with three hashes over a bitmap of Redis"},
};

}  // namespace bloomery::cli
