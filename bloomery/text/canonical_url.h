// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bloomery {

// The one spelling of all those that RFC 3986, sections 6.2.2 and 6.2.3, calls equal, without the
// fragment, which no server sees:
//
//   HTTP://Example.COM:80/a/./b/../%7Euser?q=%c3%a9#top
//   http://example.com/a/~user?q=%C3%A9
//
// The scheme and the host in lower case; no port that is the scheme's own (http, https, ws, wss,
// ftp) or empty; %XX as the character where that needs none, else in upper case; no dot segments;
// "/" for no path. A query stays in its order. A text without "scheme://" is left as it is, and so
// is one with a percent sign without two digits behind it: nobody knows what it was to mean.
//
// The result is its own canonical form, and at most one byte longer than `url`. It is `url`, or in
// `room`.
std::string_view canonical_url(std::string_view url, std::string& room);

// The other spelling of a canonical URL with letters beyond ASCII: all of them as %XX where one
// stands as it is, else none as %XX. Nothing where there is no such letter.
std::optional<std::string> other_spelling(std::string_view url);

// Returns whether the host has letters beyond ASCII, which the DNS knows by "xn--". No spelling of
// that kind is made here: its tables differ by machine.
bool has_international_host(std::string_view url) noexcept;

}  // namespace bloomery
