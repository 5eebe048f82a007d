// SPDX-License-Identifier: Apache-2.0
#include "cli/calculator_page.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "cli/exit_status.h"
#include "cli/output.h"

namespace bloomery::cli {
namespace {

namespace fs = std::filesystem;

// The page lies in share/bloomery beside bin, and in docs of the tree that a build stands in.
fs::path calculator_page() {
  const fs::path program = fs::read_symlink("/proc/self/exe");
  const fs::path bin = program.parent_path();
  std::error_code unknown;
  const fs::path installed = bin.parent_path() / "share/bloomery/calculator/index.html";
  if (fs::exists(installed, unknown)) return installed;
  for (fs::path folder = bin; folder != folder.parent_path(); folder = folder.parent_path()) {
    const fs::path page = folder / "docs/calculator/index.html";
    if (fs::exists(page, unknown)) return page;
  }
  throw std::runtime_error("the calculator's page is not here; expected: " + installed.string());
}

bool has_screen() {
  for (const char* const name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') return true;
  }
  return false;
}

// Opens the page, if anything can; the printed path is left otherwise.
void open_in_browser(std::string page) {
  std::string program = "xdg-open";
  char* const arguments[] = {program.data(), page.data(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments, environ) != 0) return;
  waitpid(child, nullptr, 0);
}

}  // namespace

int show_calculator_page() {
  const std::string page = calculator_page().string();
  Output output;
  output.write(page + "\n");
  output.flush();
  if (has_screen()) open_in_browser(page);
  return kSome;
}

}  // namespace bloomery::cli
