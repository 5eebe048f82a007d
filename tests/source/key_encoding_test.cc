// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/key_encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "source_helpers.h"

namespace bloomery {
namespace {

using testing::HasSubstr;
using namespace std::string_literals;

TEST(KeyEncoding, IsNamedByTheWordsOfTheCommand) {
  EXPECT_EQ(parse_key_encoding("text"), KeyEncoding::text);
  EXPECT_EQ(parse_key_encoding("hex"), KeyEncoding::hex);
  EXPECT_EQ(parse_key_encoding("base64"), KeyEncoding::base64);
  EXPECT_EQ(parse_key_encoding("u64"), KeyEncoding::u64);
  EXPECT_EQ(parse_key_encoding("i64"), KeyEncoding::i64);
  EXPECT_THAT(message_of<std::invalid_argument>([] { parse_key_encoding("HEX"); }),
              HasSubstr("allowed: text|hex|base64|u64|i64|i32|utf16|kryo|kryo-i32|kryo-i64"));
}

// docs/formats.md names them so, and Java's classes are called so.
TEST(KeyEncoding, RefusesCodecsByWhateverTheyAreCalled) {
  const auto refusal = [](const char* name) {
    return message_of<std::invalid_argument>([name] { parse_key_encoding(name); });
  };
  for (const char* const name :
       {"fst", "FST", "FstCodec", "jboss", "MarshallingCodec", "jboss-marshalling", "json",
        "JsonJacksonCodec", "SnappyCodecV2", "org.redisson.codec.FstCodec", "marshalling_codec"}) {
    EXPECT_THAT(refusal(name), HasSubstr("is a codec whose bytes only the program that writes them "
                                         "knows; let that print them, and give them --as hex"))
        << name;
  }
  for (const char* const name : {"kryo5", "Kryo5", "Kryo5Codec"}) {
    EXPECT_THAT(refusal(name), HasSubstr("kryo for a String, kryo-i32 for an Integer")) << name;
  }
  for (const char* const name :
       {"StringCodec", "LongCodec", "org.redisson.client.codec.LongCodec"}) {
    EXPECT_THAT(refusal(name), HasSubstr("--as text")) << name;
  }
  for (const char* const name : {"string", "long", "utf8", "", "kryo6"}) {
    EXPECT_THAT(refusal(name), HasSubstr("is no encoding of keys; allowed: text|hex")) << name;
  }
}

TEST(KeyEncoding, OtherSystemsKeysAreTheirBytes) {
  const auto decoded = [](const char* encoding, const char* text) {
    return decode_key(parse_key_encoding(encoding), text);
  };
  EXPECT_EQ(decoded("i32", "-2"), "\xfe\xff\xff\xff"s);
  EXPECT_EQ(decoded("i32", "258"), "\2\1\0\0"s);
  EXPECT_EQ(decoded("utf16", "a\xe7\x94\xa8"), "a\0\x28\x75"s);
  EXPECT_EQ(decoded("utf16", "\xf0\x9f\x98\x80"), "\x3d\xd8\x00\xde"s);
  EXPECT_EQ(decoded("kryo", "ab"), "\3a\xe2"s);
  EXPECT_EQ(decoded("kryo-i32", "-65"), "\2\x81\1"s);
  EXPECT_EQ(decoded("kryo-i64", "-9223372036854775808"),
            "\x09\xff\xff\xff\xff\xff\xff\xff\xff\xff"s);
  for (const char* text : {"2147483648", "-2147483649", "", "1.5", "x"}) {
    EXPECT_THROW(decoded("i32", text), std::invalid_argument) << text;
    EXPECT_THROW(decoded("kryo-i32", text), std::invalid_argument) << text;
  }
}

TEST(KeyEncoding, NoTextNeedsMoreRoomThanWasSaid) {
  for (const char* encoding : {"utf16", "kryo"}) {
    for (const std::string& text :
         {std::string(), std::string(1, 'a'), std::string(33, 'a'), std::string(100, '\x80'),
          std::string(99, '\xe0'), "\xf0\x9f\x98\x80"s, std::string(64, '\0')}) {
      const KeyEncoding as = parse_key_encoding(encoding);
      std::vector<char> room(decoded_byte_limit(as, text.size()));
      EXPECT_LE(decode_key(as, text, room.data()), room.size()) << encoding << " " << text;
    }
  }
}

TEST(KeyEncoding, TextIsItself) {
  EXPECT_EQ(decode_key(KeyEncoding::text, "a\0\xff"s), "a\0\xff"s);
  EXPECT_EQ(decode_key(KeyEncoding::text, ""), "");
}

TEST(KeyEncoding, HexTakesEitherCase) {
  EXPECT_EQ(decode_key(KeyEncoding::hex, "00fFaB10"), "\x00\xff\xab\x10"s);
  EXPECT_EQ(decode_key(KeyEncoding::hex, ""), "");
}

TEST(KeyEncoding, HexRefusesHalfBytesAndOtherDigits) {
  for (const char* text : {"a", "abc", "0g", "g0", "0x", " 0", "a\r", "\xff\xff"}) {
    EXPECT_THROW(decode_key(KeyEncoding::hex, text), std::invalid_argument) << text;
  }
}

// The examples of RFC 4648 section 10.
TEST(KeyEncoding, Base64IsThatOfTheStandard) {
  EXPECT_EQ(decode_key(KeyEncoding::base64, ""), "");
  EXPECT_EQ(decode_key(KeyEncoding::base64, "Zg=="), "f");
  EXPECT_EQ(decode_key(KeyEncoding::base64, "Zm8="), "fo");
  EXPECT_EQ(decode_key(KeyEncoding::base64, "Zm9v"), "foo");
  EXPECT_EQ(decode_key(KeyEncoding::base64, "Zm9vYg=="), "foob");
  EXPECT_EQ(decode_key(KeyEncoding::base64, "Zm9vYmE="), "fooba");
  EXPECT_EQ(decode_key(KeyEncoding::base64, "Zm9vYmFy"), "foobar");
  EXPECT_EQ(decode_key(KeyEncoding::base64, "+/+/"), "\xfb\xff\xbf");
}

TEST(KeyEncoding, Base64HasOneSpellingForEachKey) {
  for (const char* text : {"Zg", "Zg=", "Zg==\n", "Z===", "====", "=Zg=", "Zg==Zg==", "Zm9v=",
                           "Zm=v", "Zh==", "Zm9=", "-_-_", "Zm9\r", "Zm 9"}) {
    EXPECT_THROW(decode_key(KeyEncoding::base64, text), std::invalid_argument) << text;
  }
}

TEST(KeyEncoding, IntegersAreEightLittleEndianBytes) {
  EXPECT_EQ(decode_key(KeyEncoding::u64, "0"), "\0\0\0\0\0\0\0\0"s);
  EXPECT_EQ(decode_key(KeyEncoding::u64, "258"), "\x02\x01\0\0\0\0\0\0"s);
  EXPECT_EQ(decode_key(KeyEncoding::u64, "0258"), "\x02\x01\0\0\0\0\0\0"s);
  EXPECT_EQ(decode_key(KeyEncoding::u64, "18446744073709551615"), std::string(8, '\xff'));
  EXPECT_EQ(decode_key(KeyEncoding::i64, "-1"), std::string(8, '\xff'));
  EXPECT_EQ(decode_key(KeyEncoding::i64, "-9223372036854775808"), "\0\0\0\0\0\0\0\x80"s);
  EXPECT_EQ(decode_key(KeyEncoding::i64, "258"), decode_key(KeyEncoding::u64, "258"));
}

TEST(KeyEncoding, KeysHaveOneTextThatSpellsThem) {
  EXPECT_EQ(key_text(KeyEncoding::text, "a\0b"s), "a\0b"s);
  for (const char* text : {"0", "258", "18446744073709551615"}) {
    EXPECT_EQ(key_text(KeyEncoding::u64, decode_key(KeyEncoding::u64, text)), text);
  }
  for (const char* text : {"0", "-1", "-9223372036854775808", "9223372036854775807"}) {
    EXPECT_EQ(key_text(KeyEncoding::i64, decode_key(KeyEncoding::i64, text)), text);
  }
  EXPECT_EQ(key_text(KeyEncoding::u64, "seven.."), std::nullopt);
  EXPECT_EQ(key_text(KeyEncoding::i64, "nine....."), std::nullopt);
  EXPECT_EQ(hex_text("\0\x7f\xff"s), "007fff");
}

TEST(KeyEncoding, IntegersAreReadWholeOrRefused) {
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "1.0", "1e3", "0x1", "1\r", "eins",
                           "18446744073709551616", "99999999999999999999999"}) {
    EXPECT_THROW(decode_key(KeyEncoding::u64, text), std::invalid_argument) << text;
  }
  for (const char* text : {"", "-", "--1", "9223372036854775808", "-9223372036854775809"}) {
    EXPECT_THROW(decode_key(KeyEncoding::i64, text), std::invalid_argument) << text;
  }
}

// Two numbers of one spelling each, and the same four bytes: which of them is said, not guessed.
TEST(KeyEncoding, SaysWhereSignedAndUnsignedPart) {
  EXPECT_EQ(decode_key(KeyEncoding::i32, "-1"), std::string(4, '\xff'));
  EXPECT_THAT(message_of<std::invalid_argument>([] { decode_key(KeyEncoding::i32, "4294967295"); }),
              HasSubstr("a u32 beyond has the bytes of the i32 that is 4294967296 less"));
}

TEST(KeyEncoding, IsAfterTheNormalisation) {
  EXPECT_EQ(decode_key(KeyForm{KeyEncoding::i32, Normalise::integer}, " +007"), "\7\0\0\0"s);
  EXPECT_EQ(decode_key(KeyForm{KeyEncoding::utf16, Normalise::lower}, "A"), "a\0"s);
}

TEST(KeyEncoding, SaysWhatIsWrongAndWhatIsAllowed) {
  EXPECT_THAT(message_of<std::invalid_argument>([] { decode_key(KeyEncoding::hex, "abc"); }),
              HasSubstr("\"abc\" has an odd number of characters"));
  EXPECT_THAT(message_of<std::invalid_argument>([] { decode_key(KeyEncoding::u64, "1\r"); }),
              HasSubstr(R"("1\r" is not a u64 (decimal digits, at most 18446744073709551615))"));
  EXPECT_THAT(message_of<std::invalid_argument>(
                  [] { decode_key(KeyEncoding::hex, std::string(100'001, 'a')); }),
              testing::AllOf(HasSubstr("(100001 bytes)"), testing::SizeIs(testing::Lt(300U))));
}

}  // namespace
}  // namespace bloomery
