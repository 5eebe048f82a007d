// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/text_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace bloomery::bench {
namespace {

[[noreturn]] void fail(const char* what, const std::string& file) {
  throw std::runtime_error(std::string("cannot ") + what + " " + file + ": " +
                           std::strerror(errno));
}

}  // namespace

std::string read_text(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) fail("read", file);
  return text;
}

void write_text(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) fail("write", file);
}

void require_writable(const std::string& file) {
  if (!std::ofstream(file, std::ios::app)) fail("write", file);
}

}  // namespace bloomery::bench
