// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "bloomery/filter/any_filter.h"
#include "bloomery/format/native/file_header.h"
#include "bloomery/format/native/file_notes.h"
#include "bloomery/format/rdb/rdb_file.h"

// The values that our module gives a server to store for a filter of its own, type "bloomeryF":
//
//   number bytes of a native file   strings, the pieces of that file, one after the other
namespace bloomery::rdb {

struct NativeValue {
  AnyFilter filter;
  FileNotes notes;
};

// Extracts or describes the filter of a key (module_types.h) in the dump that it was found in.
// Throw FormatError for a filter that is damaged or lacks bytes. They take memory for bytes that
// came, no more.
NativeValue extract_native(std::span<const std::byte> bytes, const ModuleKey& key);
FileHeader describe_native(std::span<const std::byte> bytes, const ModuleKey& key);

}  // namespace bloomery::rdb
