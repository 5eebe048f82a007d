// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "bindings/c/calls.h"
#include "bindings/c/filter_handle.h"
#include "bindings/c/make_filter.h"
#include "bindings/javascript/source/javascript_calls.h"
#include "bloomery/format/format.h"
#include "bloomery/format/kinds.h"
#include "bloomery/store/file_location.h"

namespace bloomery::c {
namespace {

// The bytes that a call gives out, until the next: javascript_result() and javascript_result_size()
// return them.
std::vector<std::byte> result;

const Format& format_of_name(const char* name) {
  return *parse_file_location(need_text(name, "format") + ":bytes").format;
}

AnyFilter decode(const char* name, const char* settings, std::span<const std::byte> bytes) {
  const std::string given = text_or_empty(settings);
  const FileLocation location = parse_file_location(need_text(name, "format") + ":bytes" +
                                                    (given.empty() ? "" : "?" + given));
  AnyFilter filter = location.format->decode(bytes, location.settings);
  // No format says how its keys were written: what its system does where nobody chose.
  filter.set_keys({.encoding = find_key_encoding(location.format->keys).value()});
  return filter;
}

FilterParameters parameters_of(const bloomery_filter& filter) {
  FilterParameters parameters;
  filter.look([&](const FilterContents& contents) { parameters = contents.parameters; });
  return parameters;
}

void encode_result(const bloomery_filter& filter, const Format& format) {
  if (format.encode == nullptr) {
    throw std::invalid_argument(std::string(format.name) + ": such filters are read only");
  }
  filter.look([&](const FilterContents& contents) {
    require_holds(format, contents);
    result = encode(format, contents);
  });
}

void settings_result(const bloomery_filter& filter, const Format& format) {
  result.clear();
  if (format.settings_of == nullptr) return;
  filter.look([&](const FilterContents& contents) {
    require_holds(format, contents);
    std::string lines;
    for (const auto& [name, value] : format.settings_of(contents)) {
      lines += name + "=" + value + "\n";
    }
    const auto text = std::as_bytes(std::span(lines));
    result.assign(text.begin(), text.end());
  });
}

}  // namespace
}  // namespace bloomery::c

using namespace bloomery::c;  // the calls are its outside

extern "C" {

int javascript_ask_number(const bloomery_filter* filter, double key) {
  return bloomery_ask_i64(filter, static_cast<std::int64_t>(key));
}
int javascript_insert_number(bloomery_filter* filter, double key) {
  return bloomery_insert_i64(filter, static_cast<std::int64_t>(key));
}
int javascript_try_erase_number(bloomery_filter* filter, double key) {
  return bloomery_try_erase_i64(filter, static_cast<std::int64_t>(key));
}

const char* javascript_kind(const bloomery_filter* filter) {
  const char* name = nullptr;
  const int status =
      status_of([&] { name = kind_of(parameters_of(need(filter)).kind).name.data(); });
  return status == BLOOMERY_OK ? name : nullptr;
}
double javascript_rate(const bloomery_filter* filter) {
  double rate = -1;
  status_of([&] { rate = parameters_of(need(filter)).false_positive_rate; });
  return rate;
}
int javascript_is_secret(const bloomery_filter* filter) {
  bool is_secret = false;
  const int status =
      status_of([&] { is_secret = parameters_of(need(filter)).hash.secret().has_value(); });
  return status == BLOOMERY_OK ? int{is_secret} : status;
}

bloomery_filter* javascript_from_format(const char* format, const char* settings, const char* keys,
                                        const void* bytes, size_t size) {
  return handle([&] {
    return handle_of(decode(format, settings, {static_cast<const std::byte*>(bytes), size}), keys);
  });
}

int javascript_to_format(const bloomery_filter* filter, const char* format) {
  return status_of([&] { encode_result(need(filter), format_of_name(format)); });
}

int javascript_settings(const bloomery_filter* filter, const char* format) {
  return status_of([&] { settings_result(need(filter), format_of_name(format)); });
}

const void* javascript_result(void) {
  return result.data();
}
size_t javascript_result_size(void) {
  return result.size();
}
void javascript_free_result(void) {
  result = {};
}

}  // extern "C"
