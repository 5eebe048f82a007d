// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "bloomery/filter/any_filter.h"
#include "bloomery/store/file_location.h"
#include "bloomery/store/regular_file.h"
#include "bloomery/store/writer_lock.h"

// Files of other systems' formats: the steps that loading, saving and editing share. They are
// replaced in one step like our own; but they hold neither notes nor checksums.
namespace bloomery {

// Settings from FILE.config, if present, overridden by the location's. Throws FormatError for a
// config that is none.
FormatSettings settings_at(const FileLocation& location);

// The filter of an open file; its keys() are the format's usual ones. Throws FormatError, naming
// the file.
AnyFilter load_foreign(const RegularFile& file, const FileLocation& location);

// Writes a file as write_file in native_file_access.h does; calls when_written before the file
// takes the target's name. Throws IncompatibleError for a filter of another scheme.
std::optional<WriterLock> write_foreign(const FilterContents& contents, const Format& format,
                                        const std::filesystem::path& target,
                                        const std::optional<WriterLock>& replaced,
                                        const std::function<void()>& when_written = {});

}  // namespace bloomery
