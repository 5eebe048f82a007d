// SPDX-License-Identifier: Apache-2.0
#include "cli/bar_chart.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace bloomery::cli {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kGap = 2;

// The blocks that fill 0 to 7 eighths of a character.
constexpr std::array<const char*, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

std::string bar_of(double share, std::size_t width, bool unicode) {
  const std::size_t parts = unicode ? 8 : 1;
  auto filled = static_cast<std::size_t>(std::lround(share * static_cast<double>(width * parts)));
  if (share > 0) filled = std::max<std::size_t>(filled, 1);
  std::string bar;
  for (std::size_t i = 0; i < filled / parts; ++i) bar += unicode ? "█" : "#";
  return unicode ? bar + kEighths[filled % parts] : bar;
}

}  // namespace

std::string bar_chart(const std::vector<Bar>& bars, const Terminal& terminal) {
  std::size_t label_width = 0;
  std::size_t text_width = 0;
  double most = 0;
  for (const Bar& bar : bars) {
    label_width = std::max(label_width, bar.label.size());
    text_width = std::max(text_width, bar.text.size());
    most = std::max(most, bar.value);
  }
  const std::size_t others = kIndent + label_width + kGap + kGap + text_width;
  const std::size_t width = terminal.width > others + 10 ? terminal.width - others : 10;
  std::string chart;
  for (const Bar& bar : bars) {
    const double share = most > 0 ? bar.value / most : 0;
    chart += std::string(kIndent, ' ') + bar.label +
             std::string(label_width - bar.label.size() + kGap, ' ') +
             colored(bar_of(share, width, terminal.has_unicode), bar.color, terminal) +
             std::string(share > 0 ? kGap : 0, ' ') + bar.text + '\n';
  }
  return chart;
}

}  // namespace bloomery::cli
