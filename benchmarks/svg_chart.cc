#include "benchmarks/svg_chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "benchmarks/short_count.h"
#include "bloomery/bits/memory_limit.h"

namespace bloomery::bench {
namespace {

// Places and sizes in pixels.
constexpr double kMargin = 16;
constexpr double kNameWidth = 220;
constexpr double kPanelWidth = 270;
constexpr double kPanelGap = 22;
constexpr double kLabelRoom = 62;  // at the end of the longest bar
constexpr double kTop = 98;        // of the first row
constexpr double kRowHeight = 31;
constexpr double kBarHeight = 11;
constexpr std::size_t kCaptionChars = 165;
constexpr std::size_t kNoteChars = 42;

// A panel reaches to so many times its median bar; longer bars are cut, or they alone would show.
constexpr double kBeyondMedian = 2;

constexpr std::string_view kStyle = R"(<style>
  svg { font-family: system-ui, sans-serif; font-size: 12px; }
  text { fill: #1f2328; }
  .page { fill: #ffffff; }
  .title { font-size: 17px; font-weight: 600; }
  .head { font-weight: 600; }
  .small { font-size: 11px; }
  .faint { fill: #656d76; }
  .wrong { fill: #cf222e; font-weight: 600; }
  .grid { stroke: #d0d7de; stroke-width: 1; }
  .limit { stroke: #bc4c00; stroke-width: 1.5; }
  .change { stroke-dasharray: 3 3; }
  .our.ask { fill: #0969da; }
  .our.insert { fill: #80b3f0; }
  .peer.ask { fill: #6e7781; }
  .peer.insert { fill: #b6bec7; }
  .cut { stroke: #ffffff; stroke-width: 3; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .page { fill: #0d1117; }
    .faint { fill: #9198a1; }
    .wrong { fill: #ff7b72; }
    .grid { stroke: #30363d; }
    .limit { stroke: #f0883e; }
    .our.ask { fill: #4493f8; }
    .our.insert { fill: #24548f; }
    .peer.ask { fill: #9198a1; }
    .peer.insert { fill: #565d66; }
    .cut { stroke: #0d1117; }
  }
</style>
)";

void draw_text(std::string& out, double x, double y, std::string_view classes,
               std::string_view text) {
  out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, classes,
                     xml_text(text));
}

void draw_line(std::string& out, double x1, double y1, double x2, double y2,
               std::string_view classes) {
  out +=
      fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n",
                  x1, y1, x2, y2, classes);
}

void draw_box(std::string& out, double x, double y, double width, double height,
              std::string_view classes) {
  out += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"/>\n", x, y,
      width, height, classes);
}

// The text broken between words into lines of at most so many characters.
std::vector<std::string> wrapped(std::string text, std::size_t width) {
  std::vector<std::string> lines;
  while (text.size() > width) {
    const std::size_t space = text.rfind(' ', width);
    const bool has_space = space != std::string::npos && space > 0;
    lines.push_back(text.substr(0, has_space ? space : width));
    text.erase(0, has_space ? space + 1 : width);
  }
  lines.push_back(std::move(text));
  return lines;
}

// What a bar shows: a call for many keys where there is such a call.
struct Bar {
  const std::optional<Timing>& timing;
  bool is_batch;
};

Bar bar_of(const RowResult& row, Operation batch, Operation one) {
  const bool is_batch = row.timing(batch).has_value();
  return {is_batch ? row.timing(batch) : row.timing(one), is_batch};
}
Bar ask_bar(const RowResult& row) {
  return bar_of(row, Operation::absent_batch, Operation::absent_one);
}
Bar insert_bar(const RowResult& row) {
  return bar_of(row, Operation::insert_batch, Operation::insert_one);
}

// Where a panel ends. The memory limit is always inside.
double longest_ns(const SizeReport& size) {
  std::vector<double> bars;
  for (const RowResult& row : size.rows) {
    if (row.is_wrong()) continue;
    for (const Bar& bar : {ask_bar(row), insert_bar(row)}) {
      if (bar.timing) bars.push_back(bar.timing->cpu_ns);
    }
  }
  const double limit = std::max(size.limit.read.timing.cpu_ns, size.limit.write.timing.cpu_ns);
  const double least = std::max(2 * limit, 1.0);
  if (bars.empty()) return least;
  std::ranges::sort(bars);
  const double median = bars[(bars.size() - 1) / 2];
  return std::max(least, std::min(bars.back(), kBeyondMedian * median));
}

// One size: where it stands and how many pixels a nanosecond has.
class Panel {
 public:
  Panel(const SizeReport& size, double left) : size_(size), left_(left), end_(longest_ns(size)) {}

  void draw_frame(std::string& out, double bottom) const {
    draw_text(out, left_, kTop - 24, "head",
              fmt::format("{}: {} keys", size_.size.name, short_count(size_.size.keys)));
    draw_text(out, left_, kTop - 9, "small faint",
              fmt::format("{} at 1 %; ns a key",
                          human_bytes(static_cast<double>(size_.limit.byte_count))));
    const double step = round_up(end_ / 5);
    for (double ns = 0; ns <= end_; ns += step) {
      draw_line(out, x(ns), kTop, x(ns), bottom, "grid");
      draw_text(out, x(ns) - 3, bottom + 14, "small faint", fmt::format("{:g}", ns));
    }
  }

  void draw_limits(std::string& out, double bottom) const {
    const double read = size_.limit.read.timing.cpu_ns;
    const double change = size_.limit.write.timing.cpu_ns;
    draw_line(out, x(read), kTop, x(read), bottom, "limit");
    draw_line(out, x(change), kTop, x(change), bottom, "limit change");
  }

  void draw_row(std::string& out, const RowResult& row, double top) const {
    if (row.is_wrong()) {
      draw_note(out, top, "small wrong", "WRONG: " + row.fault());
    } else if (row.verdict == Verdict::left_out) {
      draw_note(out, top, "small faint", row.note);
    } else {
      const std::string owner = row.ours ? "our" : "peer";
      draw_bar(out, ask_bar(row), top + 3, owner + " ask");
      draw_bar(out, insert_bar(row), top + 4 + kBarHeight, owner + " insert");
    }
  }

 private:
  double x(double ns) const {
    return left_ + (kPanelWidth - kLabelRoom) * std::min(1.0, ns / end_);
  }

  void draw_bar(std::string& out, const Bar& bar, double top, std::string_view classes) const {
    if (!bar.timing) return;
    const double ns = bar.timing->cpu_ns;
    const double right = x(ns);
    draw_box(out, left_, top, right - left_, kBarHeight, classes);
    if (ns > end_) draw_line(out, right - 12, top + kBarHeight + 1, right - 6, top - 1, "cut");
    draw_text(out, right + 4, top + kBarHeight - 2, "small",
              fmt::format("{:.{}f}{}", ns, ns < 9.95 ? 1 : 0, bar.is_batch ? "" : " single"));
  }

  // Beside the limits, in the height of one row.
  void draw_note(std::string& out, double top, std::string_view classes, std::string note) const {
    const auto lines = wrapped(std::move(note), kNoteChars);
    const auto& limit = size_.limit;
    const double left = x(std::max(limit.read.timing.cpu_ns, limit.write.timing.cpu_ns)) + 6;
    const double first = top + kRowHeight / 2 + (lines.size() > 1 ? -2 : 4);
    for (std::size_t i = 0; i < std::min<std::size_t>(lines.size(), 2); ++i) {
      draw_text(out, left, first + 13 * static_cast<double>(i), classes, lines[i]);
    }
  }

  const SizeReport& size_;
  double left_;
  double end_;  // the longest bar, in nanoseconds
};

// All rows of all sizes, in the order of the table.
std::vector<std::string> row_names(const Report& report) {
  std::vector<std::string> names;
  for (const SizeReport& size : report.sizes) {
    for (const RowResult& row : size.rows) {
      if (std::ranges::find(names, row.row) == names.end()) names.push_back(row.row);
    }
  }
  return names;
}

void draw_legend(std::string& out) {
  double at = kMargin;
  const double middle = kTop - 50;
  const auto box = [&](std::string_view classes, std::string_view text) {
    draw_box(out, at, middle - 9, 18, kBarHeight, classes);
    draw_text(out, at + 24, middle, "small", text);
    at += 40 + 6.2 * static_cast<double>(text.size());
  };
  const auto line = [&](std::string_view classes, std::string_view text) {
    draw_line(out, at + 9, middle - 11, at + 9, middle + 4, classes);
    draw_text(out, at + 20, middle, "small", text);
    at += 36 + 6.2 * static_cast<double>(text.size());
  };
  box("our ask", "ours: look-up of absent keys");
  box("our insert", "insert");
  box("peer ask", "peers: look-up");
  box("peer insert", "insert");
  line("limit", "memory limit: reading a random line");
  line("limit change", "changing it");
}

std::vector<std::string> caption_lines(const Report& report) {
  std::vector<std::string> lines{
      fmt::format("Calls of {} keys where there are such calls, else single ones; processor time "
                  "of one thread, median of {}. Bars beyond the edge are cut.",
                  report.batch, report.repetitions)};
  for (std::string& line :
       wrapped("Measured on " + report.measured_on + ": " + report.machine.description(),
               kCaptionChars)) {
    lines.push_back(std::move(line));
  }
  return lines;
}

void draw_rows(std::string& out, const Report& report, const std::vector<std::string>& names,
               const std::vector<Panel>& panels) {
  for (std::size_t line = 0; line < names.size(); ++line) {
    const double top = kTop + kRowHeight * static_cast<double>(line);
    draw_text(out, kMargin, top + kRowHeight / 2 + 4, "", names[line]);
    for (std::size_t i = 0; i < panels.size(); ++i) {
      const auto& rows = report.sizes[i].rows;
      const auto row = std::ranges::find(rows, names[line], &RowResult::row);
      if (row != rows.end()) panels[i].draw_row(out, *row, top);
    }
  }
}

}  // namespace

std::string draw_chart(const Report& report) {
  if (report.sizes.empty()) throw std::invalid_argument("a chart needs the section speed");
  const std::vector<std::string> names = row_names(report);
  const std::vector<std::string> caption = caption_lines(report);
  std::vector<Panel> panels;
  double right = kMargin + kNameWidth;
  for (const SizeReport& size : report.sizes) {
    panels.emplace_back(size, right);
    right += kPanelWidth + kPanelGap;
  }
  const double width = std::max(right + kMargin - kPanelGap, 940.0);
  const double bottom = kTop + kRowHeight * static_cast<double>(names.size());
  const double height = bottom + 36 + 16 * static_cast<double>(caption.size());

  std::string svg;
  svg += fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\">\n"
      "<title>Nanoseconds a key, bloomery beside its peers</title>\n",
      width, height);
  svg += kStyle;
  svg += "<rect width=\"100%\" height=\"100%\" rx=\"8\" class=\"page\"/>\n";
  draw_text(svg, kMargin, 26, "title", "Nanoseconds a key: bloomery beside its peers");
  draw_legend(svg);
  for (const Panel& panel : panels) panel.draw_frame(svg, bottom);
  draw_rows(svg, report, names, panels);
  for (const Panel& panel : panels) panel.draw_limits(svg, bottom);
  for (std::size_t i = 0; i < caption.size(); ++i) {
    draw_text(svg, kMargin, bottom + 36 + 16 * static_cast<double>(i), "small faint", caption[i]);
  }
  svg += "</svg>\n";
  return svg;
}

std::string xml_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&apos;";
        break;
      default:
        safe += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
    }
  }
  return safe;
}

double round_up(double value) {
  if (!(value > 0)) throw std::invalid_argument("round_up needs a number above zero");
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (value <= factor * power) return factor * power;
  }
  return 10 * power;
}

}  // namespace bloomery::bench
