#include "benchmarks/markdown_table.h"

#include <fmt/core.h>

#include <stdexcept>

#include "benchmarks/short_count.h"
#include "bloomery/bits/memory_limit.h"

namespace bloomery::bench {
namespace {

std::string nanoseconds(double ns) {
  return fmt::format("{:.{}f}", ns, ns < 9.95 ? 1 : 0);
}

// "23 / 5.1 (90 %)": a call a key, a call for many, and what share of memory's speed that is.
std::string cell(const RowResult& row, Operation one, Operation batch, const LineCost& limit) {
  const auto& single = row.timing(one);
  const auto& many = row.timing(batch);
  std::string text = single ? nanoseconds(single->cpu_ns) : "–";
  text += " / ";
  text += many ? nanoseconds(many->cpu_ns) : "–";
  if (many) text += fmt::format(" ({:.0f} %)", 100 * limit.timing.cpu_ns / many->cpu_ns);
  return text;
}

std::string row_line(const RowResult& row, const MemoryLimit& limit) {
  if (row.verdict == Verdict::left_out) {
    return fmt::format("| {} | | | {} | | |\n", row.row, row.note);
  }
  if (row.is_wrong()) {
    return fmt::format("| {} | {:.2f} | | WRONG: {} | | |\n", row.row, row.bits_per_key,
                       row.fault());
  }
  return fmt::format("| {} | {:.2f} | {} | {} | {} | {} |\n", row.row, row.bits_per_key,
                     row.asked_rate > 0 ? percent(row.measured_rate) : "exact",
                     cell(row, Operation::insert_one, Operation::insert_batch, limit.write),
                     cell(row, Operation::absent_one, Operation::absent_batch, limit.read),
                     cell(row, Operation::present_one, Operation::present_batch, limit.read));
}

std::string limit_line(const char* pages, const LineCost& read, const LineCost& write) {
  return fmt::format("| a random line, {} | | | {} change | {} read | |\n", pages,
                     nanoseconds(write.timing.cpu_ns), nanoseconds(read.timing.cpu_ns));
}

std::string size_table(const SizeReport& size) {
  const MemoryLimit& limit = size.limit;
  std::string table = fmt::format(
      "| {} keys, {} at 1 % ({}) | bits a key | measured rate | insert one / batch | "
      "absent one / batch | present one / batch |\n|---|---|---|---|---|---|\n",
      short_count(size.size.keys), human_bytes(static_cast<double>(limit.byte_count)),
      size.size.name);
  table += limit_line("huge pages", limit.read, limit.write);
  table += limit_line("4 KiB pages", limit.read_small_pages, limit.write_small_pages);
  for (const RowResult& row : size.rows) table += row_line(row, limit);
  return table;
}

}  // namespace

std::string markdown_tables(const Report& report) {
  std::string text = fmt::format(
      "Measured on {}: {}. Nanoseconds a key, in brackets how near a batch is to the memory "
      "limit.\n",
      report.measured_on, report.machine.description());
  for (const SizeReport& size : report.sizes) {
    text += '\n';
    text += size_table(size);
  }
  return text;
}

std::string with_figures(const std::string& document, const std::string& figures) {
  const std::string begin = kFiguresBegin;
  const std::size_t first = document.find(begin);
  const std::size_t last =
      first == std::string::npos ? first : document.find(kFiguresEnd, first + begin.size());
  if (last == std::string::npos) {
    throw std::runtime_error("a document for figures has the lines \"" +
                             begin.substr(0, begin.size() - 1) +
                             "\" and, below it, \"<!-- figures: end -->\"");
  }
  return document.substr(0, first) + begin + "\n" + figures + "\n" + document.substr(last);
}

}  // namespace bloomery::bench
