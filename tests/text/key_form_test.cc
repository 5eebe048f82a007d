// SPDX-License-Identifier: Apache-2.0
#include "bloomery/text/key_form.h"

#include <gtest/gtest.h>

#include <string>

namespace bloomery {
namespace {

TEST(KeyForm, IsPlainTextWhereNobodySays) {
  EXPECT_EQ(form_text({}), "text");
  EXPECT_EQ(form_problem({}), "");
}

TEST(KeyForm, HasAWordForEveryEncoding) {
  std::string words;
  for (int number = 0; number < 10; ++number) {
    const auto encoding = static_cast<KeyEncoding>(number);
    const std::string_view name = key_encoding_name(encoding);
    EXPECT_EQ(find_key_encoding(name), encoding) << number;
    EXPECT_EQ(form_problem({encoding}), "");
    EXPECT_NE(form_bytes({encoding}), "");
    words += (words.empty() ? "" : "|") + std::string(name);
  }
  EXPECT_EQ(words, kKeyEncodings);
  EXPECT_EQ(find_key_encoding("i128"), std::nullopt);
}

TEST(KeyForm, IsRefusedWhereNobodyKnowsIt) {
  EXPECT_NE(form_problem({static_cast<KeyEncoding>(11)}), "");
  EXPECT_EQ(form_problem(kUnknownForm), "");
  EXPECT_NE(form_problem({KeyEncoding::unknown, Normalise::trim}), "");
  EXPECT_EQ(find_key_encoding("unknown"), std::nullopt) << "nobody says that";
  EXPECT_NE(form_problem({KeyEncoding::text, static_cast<Normalise>(16)}), "");
  EXPECT_NE(form_problem({KeyEncoding::i64, Normalise::url}), "");
  EXPECT_NE(form_problem({KeyEncoding::text, Normalise::url | Normalise::lower}), "");
  EXPECT_EQ(form_problem({KeyEncoding::utf16, Normalise::url | Normalise::trim}), "");
  EXPECT_NE(form_problem({KeyEncoding::hex, Normalise::trim}), "");
  EXPECT_NE(form_problem({KeyEncoding::i64, Normalise::lower}), "");
  EXPECT_NE(form_problem({KeyEncoding::text, Normalise::lower | Normalise::integer}), "");
  EXPECT_EQ(form_problem({KeyEncoding::i64, Normalise::integer | Normalise::trim}), "");
}

TEST(KeyForm, IsSaidAsTheOptionsAre) {
  EXPECT_EQ(form_text({KeyEncoding::kryo_i64}), "kryo-i64");
  EXPECT_EQ(form_text({KeyEncoding::text, Normalise::lower | Normalise::trim}),
            "text --normalise trim,lower");
}

TEST(KeyForm, IsReadAsItIsSaid) {
  for (int encoding = 0; encoding < 10; ++encoding) {
    for (int normalise = 0; normalise < 16; ++normalise) {
      const KeyForm form{static_cast<KeyEncoding>(encoding), static_cast<Normalise>(normalise)};
      const auto read = read_form_text(form_text(form));
      if (form_problem(form).empty()) {
        EXPECT_EQ(read, form) << form_text(form);
      } else {
        EXPECT_EQ(read, std::nullopt) << form_text(form);
      }
    }
  }
  for (const char* none : {"", "i128", "text --normalise upper", "text,i64"}) {
    EXPECT_EQ(read_form_text(none), std::nullopt) << none;
  }
}

}  // namespace
}  // namespace bloomery
