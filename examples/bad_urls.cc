// SPDX-License-Identifier: Apache-2.0
// A browser's list of bad URLs. The vendor makes a static filter of the list and ships it as a
// file; the browser asks the filter for every page, and the vendor's list only where the filter
// says "maybe". So the vendor learns of hardly any page that is visited, no good page is ever
// blocked, and no bad one is let through.
#include <bloomery/bloomery.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

#include "bloomery/text/canonical_url.h"

using namespace bloomery;

namespace {

// One spelling of a URL on both sides.
std::string spelled(const std::string& url) {
  std::string room;
  return std::string(canonical_url(url, room));
}

class Vendor {
 public:
  void add(const std::string& url) { list_.insert(spelled(url)); }

  // The smallest filter there is; a new list is a new file.
  void publish(const std::string& path) const {
    const std::vector<std::string> urls(list_.begin(), list_.end());
    const auto filter = build_static_filter(urls, {.false_positive_rate = 0.001});
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(filter.data()), std::ssize(filter));
  }
  bool has(const std::string& url) {
    ++asked_;
    return list_.contains(url);
  }
  int asked() const { return asked_; }

 private:
  std::unordered_set<std::string> list_;
  int asked_ = 0;
};

class Browser {
 public:
  Browser(Vendor& vendor, const std::string& path) : vendor_(vendor) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    filter_.emplace(std::as_bytes(std::span(bytes_)));
    if (!filter_->verify()) throw FormatError(path + ": is damaged");
  }

  bool is_blocked(const std::string& url) {
    const std::string key = spelled(url);
    return filter_->may_contain(key) && vendor_.has(key);
  }
  std::size_t byte_count() const { return bytes_.size(); }

 private:
  Vendor& vendor_;
  std::string bytes_;
  std::optional<StaticFilter> filter_;  // over the bytes
};

}  // namespace

int main() {
  Vendor vendor;
  for (int i = 0; i < 100'000; ++i) vendor.add("http://bad.example/" + std::to_string(i));
  vendor.publish("bad_urls.filter");
  Browser browser(vendor, "bad_urls.filter");
  std::filesystem::remove("bad_urls.filter");

  int good_blocked = 0;
  for (int i = 0; i < 200'000; ++i) {
    good_blocked += browser.is_blocked("https://good.example/page?id=" + std::to_string(i));
  }
  const int asked = vendor.asked();
  int bad_blocked = 0;
  for (int i = 0; i < 100'000; ++i) {
    bad_blocked += browser.is_blocked("HTTP://BAD.example:80/./" + std::to_string(i) + "#top");
  }
  std::cout << "100000 bad URLs in a file of " << browser.byte_count() / 1000
            << " KB; of 200000 good pages " << good_blocked
            << " were blocked, and the vendor heard of " << asked
            << "; of 100000 bad ones, spelled otherwise, " << bad_blocked << " were blocked\n";
  return good_blocked == 0 && bad_blocked == 100'000 && asked < 400 ? 0 : 1;
}
