// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/filter/filter_contents.h"
#include "bloomery/format/format.h"
#include "bloomery/format/native/file_layout.h"
#include "bloomery/format/native/file_notes.h"

namespace bloomery {

// A filter as the bytes of a native file (docs/format.md): its head, ready to be written, and the
// length of the rest. Throws std::invalid_argument for a note that is too long, and for a filter
// that our own reader would refuse.
struct NativeHead {
  // `chain`: FileHeader::chain.
  NativeHead(const FilterContents& contents, const FileNotes& notes, const std::string& chain = {});

  std::vector<std::byte> bytes;
  FileLayout layout;
};

// All of the bytes, in pieces of at most a megabyte. Takes each block as it is at one moment, so
// bits may be set meanwhile.
void write_native(const NativeHead& head, const FilterContents& contents, const ByteSink& sink);

}  // namespace bloomery
