// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "bindings/c/filter_handle.h"

// Filters from where they are.
namespace bloomery::c {

std::unique_ptr<bloomery_filter> open_handle(const char* location, int flags, const char* keys);
std::unique_ptr<bloomery_filter> load_handle(const char* location, const char* keys);

}  // namespace bloomery::c
