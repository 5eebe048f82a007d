// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/open/place_location.h"
#include "bloomery/source/key_encoding.h"
#include "cli/patience.h"

namespace bloomery::cli {

struct ExtractArguments {
  std::string file;
  bool json = false;
  std::string key;
  KeyEncoding encoding = KeyEncoding::text;
  std::optional<std::uint64_t> database;
  PlaceLocation out;
  std::string folder;  // of --all: in the place of key and out
  bool replace = false;
  Patience patience;
};

// bloomery rdb extract: one key's filter, whole, or a refusal that names its type. Returns the exit
// status.
int extract_key(const ExtractArguments& arguments);

}  // namespace bloomery::cli
