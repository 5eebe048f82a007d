// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "bloomery/format/format.h"

// Deltas make one version of a filter's file into a later one, for those who ship filters around.
// docs/format.md has the bytes.
namespace bloomery {

// Gives `sink` the delta from one whole file of our own to another. Reads both once; memory does
// not depend on their size. A delta has no secret key, but it says which bits were set.
//
// Throws StoreError and FormatError as load() does, and IncompatibleError where only the whole new
// file will do: another layout, hash or identity, layers that came, a kind that is made anew each
// time; and where `to` is the earlier one: it lacks bits of `from`, or has a lower watermark. What
// `sink` has then is no delta.
void write_delta(const std::filesystem::path& from, const std::filesystem::path& to,
                 const ByteSink& sink);

enum class Patched {
  changed,
  already,  // the file was what the delta leads to, and stayed as it is
};

// Makes the file into what `delta` leads to, in one step, as save() does. Every byte is checked on
// both ends: the file must be the very one that the delta leads from, and what is put in its place
// is the very one that it leads to.
//
// Throws FormatError for a delta that is damaged, IncompatibleError for one of another file,
// BusyError and StoreError as FilterEditor does. The file is then what it was.
Patched apply_delta(const std::filesystem::path& file, std::span<const std::byte> delta);

}  // namespace bloomery
