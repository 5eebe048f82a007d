// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bloomery::cli {

// Opens the calculator's page in a browser, if there is a screen, and prints where it is. Returns
// the exit status. Throws std::runtime_error where the page is not here.
int show_calculator_page();

}  // namespace bloomery::cli
