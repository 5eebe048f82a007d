// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/progress.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "bloomery/text/human_number.h"

namespace bloomery {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(100);

// Before this a rate would be noise, and the time left nonsense.
constexpr double kFirstRateSeconds = 0.1;

std::optional<double> share_done(std::uint64_t done, std::optional<std::uint64_t> total) {
  // A total that is exceeded was wrong, so it is unknown.
  if (!total || *total == 0 || done > *total) return std::nullopt;
  return static_cast<double>(done) / static_cast<double>(*total);
}

}  // namespace

Progress::Progress(std::string label, Totals totals, Sink sink, Clock clock)
    : label_(std::move(label)),
      totals_(totals),
      sink_(std::move(sink)),
      clock_(std::move(clock)),
      start_(clock_()),
      next_(start_ + kInterval) {}

void Progress::update(std::uint64_t key_count, std::uint64_t byte_count) {
  key_count_ = key_count;
  byte_count_ = byte_count;
  const auto now = clock_();
  if (now < next_) return;
  next_ = now + kInterval;
  show(line(now - start_), '\0');
}

void Progress::finish() {
  const std::chrono::duration<double> elapsed = clock_() - start_;
  std::string text =
      label_ + ": " + format_count(key_count_) + " keys in " + format_duration(elapsed);
  if (elapsed.count() >= kFirstRateSeconds) {
    const double rate = static_cast<double>(key_count_) / elapsed.count();
    text += ", " + format_count(static_cast<std::uint64_t>(rate)) + "/s";
  }
  show(std::move(text), '\n');
}

void Progress::clear() {
  if (shown_width_ > 0) show({}, '\r');
}

std::string Progress::line(std::chrono::duration<double> elapsed) const {
  std::string text = label_ + ": " + format_count(key_count_);
  std::optional<double> share = share_done(key_count_, totals_.key_count);
  if (share) text += " of " + format_count(*totals_.key_count);
  text += " keys";
  if (!share) share = share_done(byte_count_, totals_.byte_count);
  if (share) text += " (" + std::to_string(static_cast<int>(*share * 100)) + " %)";
  if (elapsed.count() < kFirstRateSeconds) return text;

  const double rate = static_cast<double>(key_count_) / elapsed.count();
  text += ", " + format_count(static_cast<std::uint64_t>(rate)) + "/s";
  if (share && *share > 0) {
    text += ", " + format_duration(elapsed * ((1 - *share) / *share)) + " left";
  }
  return text;
}

// Blanks over what the line before shows beyond this one.
void Progress::show(std::string text, char end) {
  const std::size_t width = text.size();
  std::string shown = "\r" + std::move(text);
  shown.append(shown_width_ - std::min(shown_width_, width), ' ');
  if (end != '\0') shown += end;
  shown_width_ = end == '\0' ? width : 0;
  sink_(shown);
}

std::string format_duration(std::chrono::duration<double> duration) {
  const double exact = std::max(duration.count(), 0.0);
  // A century is no estimate; it also keeps the integer below in range.
  if (!(exact < 3.2e9)) return "for ever";
  if (exact < 0.95) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%.1f s", exact);
    return text.data();
  }
  const auto seconds = static_cast<std::uint64_t>(std::llround(exact));
  const std::uint64_t minutes = seconds / 60;
  if (minutes == 0) return std::to_string(seconds) + " s";
  if (minutes < 60) {
    return std::to_string(minutes) + " min " + std::to_string(seconds % 60) + " s";
  }
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

}  // namespace bloomery
