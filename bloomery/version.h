// SPDX-License-Identifier: Apache-2.0
#pragma once

// The version of these headers, for #if; the build reads it here. Numbers of one minor version are
// compatible, until 1.0.
#define BLOOMERY_VERSION_MAJOR 0
#define BLOOMERY_VERSION_MINOR 1
#define BLOOMERY_VERSION_PATCH 0
#define BLOOMERY_VERSION \
  (BLOOMERY_VERSION_MAJOR * 10000 + BLOOMERY_VERSION_MINOR * 100 + BLOOMERY_VERSION_PATCH)
