// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tests/source/temporary_folder.h"
#include "tests/support/read_file.h"

namespace bloomery::testing {

struct Outcome {
  int status = -1;  // of the shell line; 128 + signal where a signal ended it
  std::string out;
  std::string err;

  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

// A shell in an empty folder of its own, where `bloomery` is the command under test.
class Shell {
 public:
  Outcome run(const std::string& line, std::string_view input = {}) const {
    const std::filesystem::path command = BLOOMERY_COMMAND;
    streams_.write("in", input);
    const std::string script = "PATH='" + command.parent_path().string() + "':$PATH\ncd '" +
                               folder_.path("") + "' || exit 99\n" + line + "\n";
    const std::string whole = "/bin/sh '" + streams_.write("script", script) + "' <'" +
                              streams_.path("in") + "' >'" + streams_.path("out") + "' 2>'" +
                              streams_.path("err") + "'";
    const int status = std::system(whole.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            bytes_of(streams_.path("out")), bytes_of(streams_.path("err"))};
  }

  void write(const std::string& name, std::string_view bytes) const { folder_.write(name, bytes); }
  std::string read(const std::string& name) const { return bytes_of(folder_.path(name)); }
  bool has(const std::string& name) const { return std::filesystem::exists(folder_.path(name)); }
  std::string path(const std::string& name) const { return folder_.path(name); }

 private:
  static std::string bytes_of(const std::string& path) {
    return std::filesystem::exists(path) ? read_file(path) : std::string();
  }

  TemporaryFolder folder_;
  TemporaryFolder streams_;
};

// "prefix0\nprefix1\n...": `count` lines.
inline std::string numbered_lines(const std::string& prefix, std::size_t count) {
  std::string lines;
  for (std::size_t i = 0; i < count; ++i) lines += prefix + std::to_string(i) + "\n";
  return lines;
}

inline std::size_t count_lines(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace bloomery::testing
