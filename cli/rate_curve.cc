// SPDX-License-Identifier: Apache-2.0
#include "cli/rate_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "bloomery/store/replace_file.h"
#include "cli/bar_chart.h"
#include "cli/report.h"

namespace bloomery::cli {
namespace {

constexpr std::array kParts{0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0};  // of the capacity

constexpr double kPageWidth = 640;
constexpr double kPageHeight = 360;
constexpr double kPageMargin = 60;
constexpr double kMostLoad = 4;
constexpr int kCurveSteps = 160;
constexpr std::array kColors{"#c0392b", "#2471a3", "#1e8449", "#7d3c98", "#b9770e"};

std::string decimal(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&') {
      safe += "&amp;";
    } else if (c == '<') {
      safe += "&lt;";
    } else {
      safe += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return safe;
}

// The places of loads and rates on the page: to the right and, by powers of ten, upwards.
struct Page {
  int lowest = 0;  // power of ten

  double x(double load) const {
    return kPageMargin + (kPageWidth - 2 * kPageMargin) * load / kMostLoad;
  }
  double y(double rate) const {
    const double power = std::max(std::log10(std::max(rate, 1e-300)), static_cast<double>(lowest));
    return kPageMargin + (kPageHeight - 2 * kPageMargin) * power / lowest;
  }
};

std::string svg_text(double x, double y, const char* anchor, const std::string& text) {
  return "<text x=\"" + decimal(x) + "\" y=\"" + decimal(y) + "\" text-anchor=\"" + anchor + "\">" +
         escaped(text) + "</text>\n";
}

std::string svg_line(double x1, double y1, double x2, double y2) {
  return "<line x1=\"" + decimal(x1) + "\" y1=\"" + decimal(y1) + "\" x2=\"" + decimal(x2) +
         "\" y2=\"" + decimal(y2) + "\" stroke=\"#ddd\"/>\n";
}

std::string axes(const Page& page) {
  std::string svg;
  for (int load = 0; load <= static_cast<int>(kMostLoad); ++load) {
    svg += svg_line(page.x(load), kPageMargin, page.x(load), kPageHeight - kPageMargin);
    svg += svg_text(page.x(load), kPageHeight - kPageMargin + 18, "middle",
                    std::to_string(load) + "x");
  }
  const int step = std::max(1, (-page.lowest + 5) / 6);
  for (int power = 0; power >= page.lowest; power -= step) {
    const double y = page.y(std::pow(10, power));
    svg += svg_line(kPageMargin, y, kPageWidth - kPageMargin, y);
    svg += svg_text(kPageMargin - 6, y + 4, "end", power == 0 ? "1" : "1e" + std::to_string(power));
  }
  return svg + svg_text(kPageWidth / 2, kPageHeight - 16, "middle", "keys, of the capacity");
}

}  // namespace

std::string curve_text(const RateCurve& curve, const Terminal& terminal, double most,
                       const LoadNow& now) {
  std::vector<Bar> bars;
  const auto add = [&](double rate, const std::string& label, Color color) {
    bars.push_back({label, rate, short_number(rate, 3), color});
  };
  bool is_now_left = now.load > 0;
  const auto add_now = [&] {
    add(now.rate,
        (now.is_about ? "now about " : "now ") + short_number(now.load, now.is_about ? 2 : 3) + "x",
        Color::bold);
    is_now_left = false;
  };
  for (const double part : kParts) {
    const double load = part * most / kParts.back();
    if (is_now_left && now.load < load) add_now();
    const Color color = load > 1 ? Color::red : Color::none;
    add(curve.rate_at(load), short_number(load, 3) + "x", load == 1 ? Color::green : color);
  }
  if (is_now_left) add_now();
  return colored("Rate of " + curve.name + " by its load, of the capacity", Color::bold, terminal) +
         '\n' + bar_chart(bars, terminal);
}

std::string curves_svg(const std::string& title, const std::vector<RateCurve>& curves) {
  double lowest = 0.1;
  for (const RateCurve& curve : curves) lowest = std::min(lowest, curve.rate_at(0.25));
  const Page page{std::max(-30, static_cast<int>(std::floor(std::log10(std::max(lowest, 1e-30)))))};
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " +
                    decimal(kPageWidth) + " " + decimal(kPageHeight) +
                    "\" font-family=\"sans-serif\" font-size=\"12\">\n" +
                    "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
                    svg_text(kPageWidth / 2, 28, "middle", title) + axes(page);
  std::size_t index = 0;
  for (const RateCurve& curve : curves) {
    const std::string color = kColors[index % kColors.size()];
    svg += "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" + color + "\" points=\"";
    for (int step = 1; step <= kCurveSteps; ++step) {
      const double load = kMostLoad * step / kCurveSteps;
      svg += decimal(page.x(load)) + "," + decimal(page.y(curve.rate_at(load))) +
             (step < kCurveSteps ? " " : "\"/>\n");
    }
    const double y = kPageHeight - kPageMargin - 10 - 16 * static_cast<double>(index++);
    svg += "<rect x=\"" + decimal(kPageWidth - kPageMargin - 110) + "\" y=\"" + decimal(y - 9) +
           "\" width=\"10\" height=\"10\" fill=\"" + color + "\"/>\n" +
           svg_text(kPageWidth - kPageMargin - 94, y, "start", curve.name);
  }
  return svg + "</svg>\n";
}

Option add_svg(Command command, std::string& file) {
  return add_value(command, "--svg", "FILE",
                   "also write the rate by the load as a picture, from empty to four times as full",
                   [&file](const std::string& text) { file = text; });
}

void write_svg(const std::string& file, const std::string& svg) {
  write_or_replace(file, true, [&](const auto& target, const auto& replaced) {
    return replace_file(target, svg.size(), false, replaced,
                        [&](ReplacementFile& made) { made.append(std::as_bytes(std::span(svg))); });
  });
}

}  // namespace bloomery::cli
