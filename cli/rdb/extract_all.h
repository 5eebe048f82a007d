// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/rdb/extract_key.h"

namespace bloomery::cli {

// bloomery rdb extract --all: every filter into a file of its own in a folder, which is made where
// it is not there. Nothing is written where a file would have to be replaced unasked. What cannot
// be written does not hinder the rest. Returns the exit status.
int extract_all(const ExtractArguments& arguments);

}  // namespace bloomery::cli
