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

std::uint64_t byte_of(std::uint64_t word, int index) noexcept {
  return (word >> (8 * index)) & 0xff;
}

std::uint64_t gather(std::initializer_list<std::uint64_t> bytes_from_lowest) noexcept {
  std::uint64_t word = 0;
  int shift = 0;
  for (const std::uint64_t byte : bytes_from_lowest) {
    word |= byte << shift;
    shift += 8;
  }
  return word;
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
    add_low += gather({byte_of(low, 3), byte_of(high, 4), byte_of(low, 2), byte_of(low, 5),
                       byte_of(high, 6), byte_of(low, 1), byte_of(high, 7), byte_of(low, 0)});
    add_high += gather({byte_of(high, 3), byte_of(low, 4), byte_of(high, 2), byte_of(high, 5),
                        byte_of(high, 1), byte_of(low, 6), byte_of(high, 0), byte_of(low, 7)});
  }

  Lanes mul0_;
  Lanes mul1_;
  Lanes v0_{};
  Lanes v1_{};
};

}  // namespace

HashPair highway_hash_128(Key key, const SecretKey& secret) noexcept {
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

}  // namespace bloomery
