// SPDX-License-Identifier: Apache-2.0
#include "cli/follow/status_text.h"

#include <cmath>
#include <string_view>

#include "bloomery/place/watermark_text.h"
#include "bloomery/text/printable.h"
#include "cli/report.h"

namespace bloomery::cli {

double seconds_behind(const FollowerStatus& status) {
  if (!status.fresh_as_of) return -1;
  return std::chrono::duration<double>(Follower::Clock::now() - *status.fresh_as_of).count();
}

std::string status_line(const FollowerStatus& status, double rows_per_second) {
  std::string line(state_name(status.state));
  line += ": " + std::to_string(status.key_count) + " keys";
  if (status.capacity > 0) line += " of " + std::to_string(status.capacity);
  if (is_full_for_good(status)) line += " (full)";
  if (const auto rate = rate_now(status)) line += ", rate " + short_number(*rate, 2);
  line += ", " + short_number(rows_per_second, 3) + " rows/s";
  const double behind = seconds_behind(status);
  if (behind >= 0) line += ", " + short_number(behind, 2) + " s behind";
  line += ", " + std::to_string(status.rebuilds) + " scans";
  line += !status.has_watermark ? ", no watermark: no fence is ever reached"
          : status.watermark    ? ", watermark " + watermark_text(status.watermark)
                                : ", no watermark yet";
  if (status.denied > 0) {
    line += ", DENIED " + std::to_string(status.denied) + " times a row that it had";
  }
  if (status.state == FollowerStatus::State::failing) {
    line += "; " + printable(status.last_error, 500);
  }
  return line;
}

std::string metrics_text(const FollowerStatus& status) {
  std::string text;
  const auto add = [&](std::string_view name, std::string_view type, std::string_view help,
                       const std::string& value) {
    const std::string whole = "bloomery_follow_" + std::string(name);
    text += "# HELP " + whole + " " + std::string(help) + "\n# TYPE " + whole + " " +
            std::string(type) + "\n" + whole + " " + value + "\n";
  };
  const auto number = [](std::uint64_t count) { return std::to_string(count); };
  const bool follows = status.state == FollowerStatus::State::following;
  add("up", "gauge", "1 while changes are carried", follows ? "1" : "0");
  add("keys", "gauge", "Keys in the filter, about", number(status.key_count));
  add("capacity", "gauge", "Keys that it was made for; 0 where that is unknown",
      number(status.capacity));
  add("false_positive_rate", "gauge",
      "Share of absent keys that the filter says maybe of, with so many keys; -1: unknown",
      short_number(rate_now(status).value_or(-1)));
  add("behind_seconds", "gauge",
      "How long ago everything was in that the database had; -1: never yet",
      std::to_string(seconds_behind(status)));
  add("watermark_position", "gauge", "How far the filter has its source",
      number(status.watermark ? status.watermark->position : 0));
  add("scanned_keys_total", "counter", "Keys read by scans", number(status.scanned));
  add("carried_keys_total", "counter", "Keys that came as changes", number(status.carried));
  add("deleted_rows", "gauge", "Rows that went since the filter was made", number(status.deleted));
  add("scans_total", "counter", "How often the filter was built of all rows",
      number(status.rebuilds));
  add("resumes_total", "counter", "How often it went on where it was", number(status.resumed));
  add("left_entries_total", "counter", "Rows of which the cache may have an old entry for a while",
      number(status.left_entries));
  add("failures_total", "counter", "What failed and was tried again", number(status.failures));
  add("audited_keys_total", "counter", "Rows that the filter was asked back for (--audit)",
      number(status.audited));
  add("denied_keys_total", "counter", "How often it denied one of them: it had lost bits",
      number(status.denied));
  return text;
}

namespace {

std::string seconds_text(double seconds) {
  return seconds < 10 ? short_number(seconds, 2) : std::to_string(std::llround(seconds));
}

// Why a filter is not one to rely on now; empty: it is.
std::string why_unhealthy(const FollowerStatus& status, std::chrono::duration<double> most) {
  using enum FollowerStatus::State;
  if (status.is_doubted) return "the filter denied a row that it had; it is built again";
  if (status.state == failing) return "failing: " + without_controls(status.last_error);
  if (status.state == ended) return "the follower has ended";
  const double behind = seconds_behind(status);
  if (behind < 0) {
    return status.state == scanning ? "the table is read for the first time" : "starting";
  }
  if (status.state == starting) return "the follower begins again";
  if (behind <= most.count()) return {};
  return seconds_text(behind) + " s behind; --healthy allows " + seconds_text(most.count());
}

}  // namespace

StatusAnswer answer_status(std::string_view path, const FollowerStatus& status,
                           std::chrono::duration<double> most) {
  if (path == "/metrics") return {.status = 200, .text = metrics_text(status)};
  if (path != "/healthz")
    return {.status = 404, .text = "there are /metrics, /healthz and /fence\n"};
  const std::string why = why_unhealthy(status, most);
  const std::string line = status_line(status, 0) + "\n";
  if (why.empty()) return {.status = 200, .text = line};
  return {.status = 503, .text = "not ready: " + why + "\n" + line};
}

}  // namespace bloomery::cli
