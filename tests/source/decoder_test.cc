// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <zstd.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>

#include "bloomery/errors.h"

namespace bloomery {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

std::string zstd(const std::string& text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 3));
  return bytes;
}
std::string xz(const std::string& text) {
  std::string bytes(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(
                6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()),
                text.size(), reinterpret_cast<std::uint8_t*>(bytes.data()), &size, bytes.size()),
            LZMA_OK);
  bytes.resize(size);
  return bytes;
}

// Decodes bytes that come `step` at a time.
std::string decoded(const std::string& bytes, std::size_t step = 1'000'000) {
  const Encoded as = encoded_as(bytes);
  const auto decoder = make_decoder(as, "the file");
  if (decoder == nullptr) return "not encoded";
  std::size_t at = 0;
  const auto read = [&](char* out, std::size_t count) {
    const std::size_t got = bytes.copy(out, std::min(count, step), at);
    at += got;
    return got;
  };
  std::string text;
  char room[777];
  while (const std::size_t got = decoder->read(room, sizeof room, read)) text.append(room, got);
  return text;
}

std::string some_text(std::size_t size) {
  std::mt19937 random(3);
  std::string text(size, '\0');
  for (char& byte : text) byte = static_cast<char>('a' + random() % 4);
  return text;
}

TEST(Decoder, ReadsStreamsOneBehindTheOther) {
  const std::string a = some_text(300'000);
  for (const auto& encode : {zstd, xz}) {
    EXPECT_EQ(decoded(encode(a)), a);
    EXPECT_EQ(decoded(encode(a) + encode("") + encode("b\n"), 7), a + "b\n");
    EXPECT_EQ(decoded(encode(""), 1), "");
  }
}

TEST(Decoder, RefusesWhatIsCutShortOrDamaged) {
  const std::string text = some_text(5'000);
  for (const auto& encode : {zstd, xz}) {
    const std::string whole = encode(text);
    for (std::size_t size = kEncodedBytes; size < whole.size(); size += 13) {
      EXPECT_THROW(decoded(whole.substr(0, size)), StoreError) << size;
    }
    // A part of a second stream is no end of the first.
    EXPECT_THROW(decoded(whole + whole.substr(0, whole.size() / 2)), StoreError);
    EXPECT_THROW(decoded(whole + "no stream"), StoreError);
  }
  std::string damaged = xz(text);
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
  EXPECT_THROW(decoded(damaged), StoreError);
}

TEST(Decoder, ReadsUtf16InBothOrders) {
  EXPECT_EQ(decoded("\xff\xfe"
                    "a\0\n\0\xe9\0\xac\x20\x3d\xd8\x00\xde"s,
                    1),
            "a\n\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(decoded("\xfe\xff\0a\x20\xac"s), "a\xe2\x82\xac");
  EXPECT_EQ(decoded("\xff\xfe"s), "");
  for (const std::string& broken : {"\xff\xfe"
                                    "a"s,
                                    "\xff\xfe\x3d\xd8"s,
                                    "\xff\xfe\x3d\xd8"
                                    "a\0"s,
                                    "\xff\xfe\x00\xde"s}) {
    EXPECT_THROW(decoded(broken), StoreError);
  }
}

TEST(Decoder, ReadsWhatIsEncodedWithinAnother) {
  const std::string marked =
      "\xff\xfe"
      "a\0\n\0"s;
  EXPECT_EQ(decoded(zstd(marked), 3), "a\n");
  EXPECT_EQ(decoded(xz(zstd("a\nb\n"))), "a\nb\n");
  EXPECT_EQ(decoded(zstd("\x28\xb5")), "\x28\xb5");
  std::string trap = "a\n";
  for (int i = 0; i < 9; ++i) trap = zstd(trap);
  EXPECT_THROW(decoded(trap), StoreError);
}

TEST(Decoder, SkipsFramesThatZstdSkips) {
  const std::string skipped = "\x5a\x2a\x4d\x18\3\0\0\0..."s;
  EXPECT_EQ(decoded(skipped + zstd("a\n") + skipped, 1), "a\n");
  EXPECT_THROW(decoded(skipped.substr(0, 9)), StoreError);
  EXPECT_EQ(encoded_as("P*M"), Encoded::plain);
}

TEST(Decoder, NamesTheWayToReadLongWindows) {
  const std::string text = some_text(5'000);
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 30);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  ZSTD_outBuffer out{bytes.data(), bytes.size(), 0};
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush);
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  bytes.resize(out.pos);
  try {
    decoded(bytes);
    FAIL() << "nothing was thrown";
  } catch (const StoreError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--long=31"));
  }
}

TEST(Decoder, TakesNothingElseForEncoded) {
  EXPECT_EQ(encoded_as("\xff\xfe\0\0"s), Encoded::plain) << "UTF-32";
  EXPECT_EQ(encoded_as("plain"), Encoded::plain);
  EXPECT_EQ(encoded_as(""), Encoded::plain);
  EXPECT_TRUE(may_be_encoded("\x28\xb5"));
  EXPECT_FALSE(may_be_encoded("ab"));
}

}  // namespace
}  // namespace bloomery
