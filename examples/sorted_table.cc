// SPDX-License-Identifier: Apache-2.0
// A table file as LSM trees have them: sorted rows in blocks, an index of the blocks, and a filter
// of all keys, which is asked before any block is read. The file never changes, so its filter is a
// StaticFilter: the smallest there is, asked where its bytes lie.
//
//   +--------+--------+-----+--------------------------------+--------+-------------------------+
//   | block  | block  | ... | first key and place of a block | filter | where index and filter  |
//   | (rows) |        |     | (index)                        |        | begin (16 bytes)        |
//   +--------+--------+-----+--------------------------------+--------+-------------------------+
#include <bloomery/bloomery.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

using namespace bloomery;

namespace {

using Rows = std::map<std::string, std::string>;
constexpr std::size_t kRowsOfABlock = 64;

void write_table(const std::string& path, const Rows& rows) {
  std::ostringstream table;
  std::ostringstream index;
  std::vector<std::string> keys;
  for (const auto& [key, value] : rows) {
    if (keys.size() % kRowsOfABlock == 0) index << key << ' ' << table.tellp() << '\n';
    table << key << ' ' << value << '\n';
    keys.push_back(key);
  }
  const std::uint64_t index_at = table.str().size();
  table << index.str();
  const std::uint64_t filter_at = table.str().size();
  const auto filter = build_static_filter(keys, {.false_positive_rate = 0.01});
  table.write(reinterpret_cast<const char*>(filter.data()), std::ssize(filter));
  table.write(reinterpret_cast<const char*>(&index_at), sizeof index_at);
  table.write(reinterpret_cast<const char*>(&filter_at), sizeof filter_at);
  std::ofstream(path, std::ios::binary) << table.str();
}

class Table {
 public:
  // Keeps the index and the filter in memory; both are small.
  explicit Table(const std::string& path) : file_(path, std::ios::binary) {
    file_.seekg(-16, std::ios::end);
    const std::uint64_t end = static_cast<std::uint64_t>(file_.tellg());
    const std::string ends = read(end, 16);
    std::memcpy(&index_at_, ends.data(), 8);
    std::uint64_t filter_at = 0;
    std::memcpy(&filter_at, ends.data() + 8, 8);
    std::istringstream index(read(index_at_, filter_at - index_at_));
    std::string key;
    for (std::uint64_t at = 0; index >> key >> at;) blocks_[key] = at;
    filter_bytes_ = read(filter_at, end - filter_at);
    filter_.emplace(std::as_bytes(std::span(filter_bytes_)));
    if (!filter_->verify()) throw FormatError(path + ": its filter is damaged");
  }

  std::optional<std::string> get(const std::string& key) {
    if (!filter_->may_contain(key)) return std::nullopt;
    auto block = blocks_.upper_bound(key);
    const std::uint64_t end = block == blocks_.end() ? index_at_ : block->second;
    if (block == blocks_.begin()) return std::nullopt;
    --block;
    ++blocks_read_;
    std::istringstream rows(read(block->second, end - block->second));
    for (std::string each, value; rows >> each >> value;) {
      if (each == key) return value;
    }
    return std::nullopt;
  }

  std::size_t filter_size() const { return filter_bytes_.size(); }
  int blocks_read() const { return blocks_read_; }

 private:
  std::string read(std::uint64_t at, std::uint64_t size) {
    std::string bytes(size, '\0');
    file_.seekg(static_cast<std::streamoff>(at));
    file_.read(bytes.data(), std::ssize(bytes));
    return bytes;
  }

  std::ifstream file_;
  std::uint64_t index_at_ = 0;
  std::map<std::string, std::uint64_t> blocks_;
  std::string filter_bytes_;
  std::optional<StaticFilter> filter_;
  int blocks_read_ = 0;
};

}  // namespace

int main() {
  Rows rows;
  for (int i = 0; i < 20'000; ++i) rows["row" + std::to_string(1'000'000 + 2 * i)] = "value";
  write_table("rows.table", rows);

  Table table("rows.table");
  int lost = 0;
  for (const auto& [key, value] : rows) lost += table.get(key) == value ? 0 : 1;
  const int read_for_rows = table.blocks_read();
  int invented = 0;
  for (int i = 0; i < 20'000; ++i) {
    invented += table.get("row" + std::to_string(1'000'001 + 2 * i)) ? 1 : 0;
  }
  const int read_for_nothing = table.blocks_read() - read_for_rows;
  std::cout << "a filter of " << table.filter_size() << " bytes; " << read_for_nothing
            << " blocks were read for 20000 keys that are not there\n";
  return lost == 0 && invented == 0 && read_for_nothing < 300 ? 0 : 1;
}
