// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/gtid_state.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "bloomery/errors.h"
#include "bloomery/place/fence_source.h"
#include "bloomery/text/printable.h"

namespace bloomery::mariadb {
namespace {

template <class Number>
Number take_gtid_part(std::string_view all, std::string_view& rest, char end) {
  Number number{};
  const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  const auto used = static_cast<std::size_t>(stop - rest.data());
  const bool ends_well = used == rest.size() ? end == ',' : rest[used] == end;
  if (error != std::errc() || !ends_well) {
    throw StoreError(printable(all) + " is no position of a binary log (domain-server-number)");
  }
  rest.remove_prefix(std::min(rest.size(), used + 1));
  return number;
}

std::string gtid_text(std::uint32_t domain, std::uint32_t server, std::uint64_t number) {
  return std::to_string(domain) + "-" + std::to_string(server) + "-" + std::to_string(number);
}

}  // namespace

GtidState::GtidState(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto domain = take_gtid_part<std::uint32_t>(text, rest, '-');
    const auto server = take_gtid_part<std::uint32_t>(text, rest, '-');
    const auto number = take_gtid_part<std::uint64_t>(text, rest, ',');
    if (domains_.contains(domain)) {
      throw StoreError(printable(text) + " has two positions of one domain");
    }
    advance(domain, server, number);
  }
}

void GtidState::advance(std::uint32_t domain, std::uint32_t server, std::uint64_t number) {
  Last& last = domains_[domain];
  if (number <= last.number) {
    throw SourceChanged("transaction " + gtid_text(domain, server, number) + " stands behind " +
                        gtid_text(domain, last.server, last.number) +
                        " in the binary log: its numbers do not grow (gtid_strict_mode=ON keeps "
                        "them in order)");
  }
  const std::uint64_t step = number - last.number;
  if (step > std::numeric_limits<std::uint64_t>::max() - sum_) {
    throw SourceChanged("the numbers of transactions are too large to be added up");
  }
  sum_ += step;
  last = {server, number};
}

std::string GtidState::text() const {
  std::string text;
  for (const auto& [domain, last] : domains_) {
    if (!text.empty()) text += ',';
    text += gtid_text(domain, last.server, last.number);
  }
  return text;
}

std::string GtidState::domains() const {
  std::string text;
  for (const auto& [domain, last] : domains_) {
    text += (text.empty() ? "" : ",") + std::to_string(domain);
  }
  return text;
}

std::uint64_t LogPosition::of(std::uint64_t sum, std::uint64_t file) {
  if (sum >> (64 - kFileBits) != 0 || file >> kFileBits != 0) {
    throw SourceChanged("the numbers of transactions add up to " + std::to_string(sum) +
                        ", in file " + std::to_string(file) +
                        " of the binary log; allowed: sums below 2^44, and files below 2^20");
  }
  return sum << kFileBits | file;
}

LogFile::LogFile(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::string_view digits = dot == name.npos ? "" : name.substr(dot + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) {
    throw StoreError(printable(name) + " is no name of a file of a binary log");
  }
  base = name.substr(0, dot);
}

std::string LogFile::name_of(std::uint64_t other_number) const {
  constexpr std::size_t kFewestDigits = 6;
  std::string digits = std::to_string(other_number);
  digits.insert(0, kFewestDigits - std::min(kFewestDigits, digits.size()), '0');
  return base + "." + digits;
}

}  // namespace bloomery::mariadb
