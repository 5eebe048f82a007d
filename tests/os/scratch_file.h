// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/os/file_bytes.h"
#include "bloomery/os/open_file.h"
#include "tests/support/new_folder.h"

// Files of a folder of their own.
namespace bloomery::os {

inline constexpr std::uint32_t kNewFile = 0666;
inline constexpr std::uint32_t kOwnerOnly = 0600;

class ScratchFiles : public ::testing::Test {
 protected:
  ScratchFiles() = default;
  ~ScratchFiles() override { std::filesystem::remove_all(folder_); }

  // The name has letters that are not of Latin 1.
  std::filesystem::path path(std::u8string name) const { return folder_ / (u8"文-ü-" + name); }

  // Makes a file and leaves it open.
  FileDescriptor put(const std::filesystem::path& at, std::string_view text,
                     std::uint32_t permissions = kNewFile) const {
    FileDescriptor file = open_or_create(at, permissions);
    EXPECT_TRUE(file.is_open()) << errno;
    EXPECT_EQ(write_at(file.number(), std::as_bytes(std::span(text)), 0),
              static_cast<std::ptrdiff_t>(text.size()));
    return file;
  }

  static std::string text_of(int descriptor, std::uint64_t offset = 0) {
    std::string text(100, '\0');
    const auto got = read_at(descriptor, std::as_writable_bytes(std::span(text)), offset);
    EXPECT_GE(got, 0) << errno;
    text.resize(static_cast<std::size_t>(got));
    return text;
  }
  static std::string text_at(const std::filesystem::path& at) {
    const FileDescriptor file = open_file(at, Access::read);
    EXPECT_TRUE(file.is_open()) << errno;
    return text_of(file.number());
  }

  std::size_t name_count() const {
    const std::filesystem::directory_iterator names(folder_);
    return static_cast<std::size_t>(std::distance(begin(names), end(names)));
  }

  std::filesystem::path folder_ = new_folder();
};

}  // namespace bloomery::os
