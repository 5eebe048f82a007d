// SPDX-License-Identifier: Apache-2.0
#include "bloomery/hash/highway_hash.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace bloomery {
namespace {

static_assert(std::endian::native == std::endian::little, "words are read in place");

using Lanes = std::array<std::uint64_t, 4>;

constexpr Lanes kInit0 = {0xdbe6d5d5fe4cce2f, 0xa4093822299f31d0, 0x13198a2e03707344,
                          0x243f6a8885a308d3};
constexpr Lanes kInit1 = {0x3bd39e10cb0ef593, 0xc0acf169b5f18a8c, 0xbe5466cf34e90c6c,
                          0x452821e638d01377};
constexpr std::size_t kPacketSize = 32;

constexpr std::uint64_t byte_at(int index) noexcept {
  return std::uint64_t{0xff} << (8 * index);
}

class State {
 public:
  explicit State(const SecretKey& secret) noexcept : mul0_(kInit0), mul1_(kInit1) {
    for (int i = 0; i < 4; ++i) {
      v0_[i] = mul0_[i] ^ secret.words[i];
      v1_[i] = mul1_[i] ^ std::rotl(secret.words[i], 32);
    }
  }

  void update(const Lanes& packet) noexcept {
    for (int i = 0; i < 4; ++i) {
      v1_[i] += mul0_[i] + packet[i];
      mul0_[i] ^= (v1_[i] & 0xffffffff) * (v0_[i] >> 32);
      v0_[i] += mul1_[i];
      mul1_[i] ^= (v0_[i] & 0xffffffff) * (v1_[i] >> 32);
    }
    zipper_merge_and_add(v1_[1], v1_[0], v0_[1], v0_[0]);
    zipper_merge_and_add(v1_[3], v1_[2], v0_[3], v0_[2]);
    zipper_merge_and_add(v0_[1], v0_[0], v1_[1], v1_[0]);
    zipper_merge_and_add(v0_[3], v0_[2], v1_[3], v1_[2]);
  }

  // The last 1 to 31 bytes: their count enters the state, and they enter a zeroed packet, the final
  // three bytes of a shorter tail where no word would reach them.
  void update_tail(const unsigned char* tail, std::size_t size) noexcept {
    const std::uint64_t count = size;
    for (std::uint64_t& word : v0_) word += (count << 32) + count;
    for (std::uint64_t& word : v1_) {
      const auto low = static_cast<std::uint32_t>(word);
      const auto high = static_cast<std::uint32_t>(word >> 32);
      const int turn = static_cast<int>(size);
      word = std::rotl(low, turn) | std::uint64_t{std::rotl(high, turn)} << 32;
    }
    std::array<unsigned char, kPacketSize> packet{};
    const std::size_t whole = size & ~std::size_t{3};
    const std::size_t rest = size & 3;
    std::memcpy(packet.data(), tail, whole);
    if ((size & 16) != 0) {
      std::memcpy(packet.data() + 28, tail + size - 4, 4);
    } else if (rest != 0) {
      packet[16] = tail[whole];
      packet[17] = tail[whole + (rest >> 1)];
      packet[18] = tail[size - 1];
    }
    update(std::bit_cast<Lanes>(packet));
  }

  HashPair finish() noexcept {
    for (int round = 0; round < 6; ++round) {
      update({std::rotl(v0_[2], 32), std::rotl(v0_[3], 32), std::rotl(v0_[0], 32),
              std::rotl(v0_[1], 32)});
    }
    return {v0_[0] + mul0_[0] + v1_[2] + mul1_[2], v0_[1] + mul0_[1] + v1_[3] + mul1_[3]};
  }

 private:
  static void zipper_merge_and_add(std::uint64_t high, std::uint64_t low, std::uint64_t& add_high,
                                   std::uint64_t& add_low) noexcept {
    // Bytes that go as far together go at once.
    add_low += ((low & byte_at(3)) | (high & byte_at(4))) >> 24 |
               ((low & byte_at(5)) | (high & byte_at(6))) >> 16 | (high & byte_at(7)) >> 8 |
               (low & byte_at(2)) | (low & byte_at(1)) << 32 | low << 56;
    add_high += ((high & byte_at(3)) | (low & byte_at(4))) >> 24 | (high & byte_at(5)) >> 16 |
                (low & byte_at(6)) >> 8 | (high & byte_at(2)) | (low & byte_at(7)) |
                (high & byte_at(1)) << 24 | high << 56 >> 8;
  }

  Lanes mul0_;
  Lanes mul1_;
  Lanes v0_{};
  Lanes v1_{};
};

}  // namespace

HashPair highway_hash_128_by_words(Key key, const SecretKey& secret) noexcept {
  State state(secret);
  const auto* bytes = reinterpret_cast<const unsigned char*>(key.data());
  std::size_t left = key.size();
  for (; left >= kPacketSize; left -= kPacketSize, bytes += kPacketSize) {
    Lanes packet;
    std::memcpy(packet.data(), bytes, kPacketSize);
    state.update(packet);
  }
  if (left != 0) state.update_tail(bytes, left);
  return state.finish();
}

bool has_avx2() noexcept {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
#else
  return false;
#endif
}

HashPair highway_hash_128(Key key, const SecretKey& secret) noexcept {
#if defined(__x86_64__)
  if (has_avx2()) return highway_hash_128_by_avx2(key.data(), key.size(), secret);
#endif
  return highway_hash_128_by_words(key, secret);
}

void highway_hash_128_many(std::span<const Key> keys, const SecretKey& secret,
                           HashPair* out) noexcept {
#if defined(__x86_64__)
  if (has_avx2()) {
    for (const Key key : keys) *out++ = highway_hash_128_by_avx2(key.data(), key.size(), secret);
    return;
  }
#endif
  for (const Key key : keys) *out++ = highway_hash_128_by_words(key, secret);
}

}  // namespace bloomery
