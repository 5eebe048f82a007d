// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/filter/parameters.h"
#include "bloomery/format/settings.h"

// The size of those classes that take the low bits of eight hashes (simple_java.h, javascript.h): a
// power of two, a constant of the class that its users may have changed.
namespace bloomery {

inline constexpr std::uint32_t kMaskedProbes = 8;

// The geometry of the setting "bits", or of `usual_bits` without it.
Geometry masked_geometry(const SettingsReader& read, std::uint64_t usual_bits);

// Throws FormatError for another geometry.
void check_masked(const FilterParameters& parameters, const std::string& format);

}  // namespace bloomery
