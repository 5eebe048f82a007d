// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bloomery::cli {

// "bloomery: MESSAGE" on standard error.
void complain(const std::string& message);

// Why there is no report. A program that asks for JSON is told so in JSON, on standard error too.
void complain_of_failure(const std::string& message, bool as_json);

}  // namespace bloomery::cli
