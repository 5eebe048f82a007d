// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include "bloomery/c/bloomery.h"

// The calls of JavaScript beside the C interface.
extern "C" {

// Calls for a safe integer, which a double holds: making a BigInt of it costs more than the
// question.
int javascript_ask_number(const bloomery_filter* filter, double key);
int javascript_insert_number(bloomery_filter* filter, double key);
int javascript_try_erase_number(bloomery_filter* filter, double key);

// Single facts of bloomery_info(), which reads every bit for them; these calls do not. A failure is
// null or a negative number.
const char* javascript_kind(const bloomery_filter* filter);
double javascript_rate(const bloomery_filter* filter);
int javascript_is_secret(const bloomery_filter* filter);

// The bytes of another system's file. `settings`: "name=value&name=value", or null; `keys` as of
// bloomery_open().
bloomery_filter* javascript_from_format(const char* format, const char* settings, const char* keys,
                                        const void* bytes, size_t size);
// Leaves the bytes, or what they do not say, a line each, as the result.
int javascript_to_format(const bloomery_filter* filter, const char* format);
int javascript_settings(const bloomery_filter* filter, const char* format);

const void* javascript_result(void);
size_t javascript_result_size(void);
void javascript_free_result(void);
}
