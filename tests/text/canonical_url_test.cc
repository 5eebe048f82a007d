// SPDX-License-Identifier: Apache-2.0
#include "bloomery/text/canonical_url.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

namespace bloomery {
namespace {

std::string canonical(std::string_view url) {
  std::string room;
  return std::string(canonical_url(url, room));
}

TEST(CanonicalUrl, IsOneForAllSpellingsOfAPage) {
  for (const char* const url :
       {"http://example.com/a/~b", "HTTP://example.com/a/~b", "http://EXAMPLE.Com/a/~b",
        "http://example.com:80/a/~b", "http://example.com:/a/~b", "http://example.com/a/%7Eb",
        "http://example.com/a/%7eb", "http://example.com/./a/~b", "http://example.com/a/c/../~b",
        "http://example.com/../a/~b", "http://example.com/a/%2E/~b", "http://example.com/a/~b#top",
        "http://ex%61mple.com/a/~b", "http://example.com/x/%2e%2E/a/~b#a#b"}) {
    EXPECT_EQ(canonical(url), "http://example.com/a/~b") << url;
  }
}

TEST(CanonicalUrl, KeepsApartWhatAServerMayKeepApart) {
  for (const char* const url :
       {"http://example.com/A", "http://example.com/a/", "http://example.com/a?", "https://e.com/",
        "http://example.com:8080/", "https://example.com:80/", "http://example.com/a%2Fb",
        "http://example.com//a", "http://example.com/?b=1&a=2", "http://example.com/?q=../x",
        "http://User:Pass@example.com/", "http://example.com/%C3%A9", "http://[::1]:8080/x",
        "http://example.com./", "http://example.com/a%25b", "http://example.com/\xc3\xa9",
        "file:///etc/passwd", "x-y+z.1://h/"}) {
    EXPECT_EQ(canonical(url), url);
  }
}

TEST(CanonicalUrl, WritesEveryPartOneWay) {
  EXPECT_EQ(canonical("HTTPS://WWW.Example.com:443"), "https://www.example.com/");
  EXPECT_EQ(canonical("http://example.com?q"), "http://example.com/?q");
  EXPECT_EQ(canonical("http://User@HOST:80/"), "http://User@host/");
  EXPECT_EQ(canonical("http://[2001:DB8::1]:80/"), "http://[2001:db8::1]/");
  EXPECT_EQ(canonical("http://a/b/.."), "http://a/");
  EXPECT_EQ(canonical("http://a/b/."), "http://a/b/");
  EXPECT_EQ(canonical("http://a/b/../../../c"), "http://a/c");
  EXPECT_EQ(canonical("http://a/b//../c"), "http://a/b/c");
  EXPECT_EQ(canonical("http://a/%c3%a9%2f?%3d"), "http://a/%C3%A9%2F?%3D");
  EXPECT_EQ(canonical("http://H%C3%89/"), "http://h%C3%89/");
  EXPECT_EQ(canonical("ftp://h:21/"), "ftp://h/");
}

TEST(CanonicalUrl, KnowsTheOtherSpellingOfLettersBeyondAscii) {
  EXPECT_EQ(other_spelling("http://a/\xc3\xa9?\xc3\xa9=1%20"), "http://a/%C3%A9?%C3%A9=1%20");
  EXPECT_EQ(other_spelling("http://a/%C3%A9?%C3%A9=1%20"), "http://a/\xc3\xa9?\xc3\xa9=1%20");
  EXPECT_EQ(other_spelling("http://a/\xc3\xa9%C3%A9"), "http://a/%C3%A9%C3%A9");
  for (const char* const url : {"http://a/b%20c", "\xc3\xa9", "a/%C3%A9", "http://a/%C", ""}) {
    EXPECT_EQ(other_spelling(url), std::nullopt) << url;
  }
  for (const char* const url : {"http://m\xc3\xbcnchen.de", "http://m%C3%BCnchen.de/?a"}) {
    EXPECT_TRUE(has_international_host(url)) << url;
  }
  for (const char* const url :
       {"http://a.de/\xc3\xbc", "http://xn--mnchen-3ya.de/", "m\xc3\xbc", "http://a.de?\xc3\xbc"}) {
    EXPECT_FALSE(has_international_host(url)) << url;
  }
}

TEST(CanonicalUrl, LeavesWhatIsNoUrlAsItIs) {
  for (const char* const text : {"", "example.com/A#b", "mailto:A@B", "://x", "1http://A/", "//A/b",
                                 "h%74tp://A/", "/a/../b", "HTTP:/a", "no scheme://A"}) {
    EXPECT_EQ(canonical(text), text);
  }
  for (const char* const text : {"http://A/%", "http://A/%7", "http://A/%%37E%7e#x", "HTTP://A/%g0",
                                 "http://%41ftp/%../..//"}) {
    EXPECT_EQ(canonical(text), text);
  }
  EXPECT_EQ(canonical("http://A/#%"), "http://a/") << "of a fragment nothing counts";
}

// A key that one command printed would otherwise be another key for the next.
TEST(CanonicalUrl, IsItsOwnCanonicalForm) {
  constexpr auto kParts = std::to_array<std::string_view>(
      {"http", "://", "A",  "b",  ":", "80", "@",   "/", ".", "..",
       "%",    "2e",  "7E", "25", "?", "#",  "%2F", "[", "]", "\xc3\xa9"});
  std::mt19937 random(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string url = round % 4 == 0 ? "" : "HTTP://";
    for (auto parts = random() % 12; parts > 0; --parts) {
      url += kParts[random() % kParts.size()];
    }
    const std::string once = canonical(url);
    ASSERT_EQ(canonical(once), once) << url;
    ASSERT_LE(once.size(), url.size() + 1) << url;
  }
}

}  // namespace
}  // namespace bloomery
