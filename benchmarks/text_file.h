// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bloomery::bench {

// Read and write a whole file; throw std::runtime_error with the name of the file and the reason.
std::string read_text(const std::string& file);
void write_text(const std::string& file, const std::string& text);

// A run of minutes must not end with a file that cannot be written.
void require_writable(const std::string& file);

}  // namespace bloomery::bench
