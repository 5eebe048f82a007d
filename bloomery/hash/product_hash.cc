#include "bloomery/hash/product_hash.h"

namespace bloomery {

HashPair ProductHash::hash_short(Key key, std::uint64_t spread) noexcept {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < key.size(); ++i) {
    word |= std::uint64_t{static_cast<unsigned char>(key[i])} << (8 * i);
  }
  return finish(add(begin(key.size(), spread), {{word, word, word, word, word, word}}));
}

HashPair ProductHash::hash_long(Key key, std::uint64_t spread) noexcept {
  State state = begin(key.size(), spread);
  const char* at = key.data();
  for (std::size_t left = key.size(); left > kBlock; left -= kBlock, at += kBlock) {
    state = add_words(state, at, kBlock);
  }
  return finish(add_words(state, key.data() + key.size() - kBlock, kBlock));
}

}  // namespace bloomery
