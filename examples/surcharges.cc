// SPDX-License-Identifier: Apache-2.0
// A shop's carrier takes a surcharge for 200,000 postcodes. Every page of the shop asks a filter of
// about a byte a postcode; the table is asked only where that says "maybe", so nobody ever pays by
// mistake, and nobody is missed.
#include <bloomery/bloomery.h>

#include <iostream>
#include <string>
#include <unordered_map>
#include <vector>

using namespace bloomery;

namespace {

std::string postcode(int number) {
  return std::to_string(1'000'000 + number).substr(1);
}

// Stands for the carrier's table, in a database.
class SurchargeTable {
 public:
  void add(const std::string& code, int cents) { cents_[code] = cents; }
  int cents_of(const std::string& code) {
    ++asked_;
    const auto found = cents_.find(code);
    return found == cents_.end() ? 0 : found->second;
  }
  int asked() const { return asked_; }

 private:
  std::unordered_map<std::string, int> cents_;
  int asked_ = 0;
};

}  // namespace

int main() {
  SurchargeTable table;
  std::vector<std::string> with_surcharge;
  for (int number = 0; number < 1'000'000; number += 5) {
    with_surcharge.push_back(postcode(number));
    table.add(with_surcharge.back(), 590);
  }
  // Built once, when the carrier sends a new table.
  const auto bytes = build_static_filter(with_surcharge, {.false_positive_rate = 0.01});
  const StaticFilter filter(bytes);

  int wrong = 0;
  int orders = 0;
  for (int number = 0; number < 1'000'000; number += 3, ++orders) {
    const std::string code = postcode(number);
    const int cents = filter.may_contain(code) ? table.cents_of(code) : 0;
    wrong += cents == (number % 5 == 0 ? 590 : 0) ? 0 : 1;
  }
  std::cout << bytes.size() / 1000 << " KB for " << with_surcharge.size() << " postcodes; of "
            << orders << " orders " << table.asked() << " asked the table, " << wrong
            << " were wrong\n";
  const bool asks_seldom = table.asked() < orders / 5 + orders / 50;
  return wrong == 0 && asks_seldom ? 0 : 1;
}
