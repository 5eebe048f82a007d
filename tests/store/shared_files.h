// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "bloomery/filter/blocked_filter.h"
#include "bloomery/format/native/file_header.h"
#include "bloomery/store/native_file.h"
#include "bloomery/store/shared_filter.h"
#include "tests/store/read_write.h"

// Files that processes share.
namespace bloomery {

inline constexpr std::uint64_t kCapacity = 100'000;  // some blocks of checksums
inline constexpr SharedOptions kAtOnce{.patience = std::chrono::milliseconds(0)};
inline constexpr SharedOptions kStaysLive{.seal_at_close = false};
inline constexpr SharedOptions kStaysLiveAsked{.access = SharedOptions::read_only,
                                               .seal_at_close = false};

inline void put_filter(const std::filesystem::path& path, std::uint64_t capacity = kCapacity,
                       FileNotes notes = {}) {
  save(BlockedFilter({.capacity = capacity}), path, {.notes = std::move(notes)});
}

inline std::string key(int process, int number) {
  return "process " + std::to_string(process) + " key " + std::to_string(number);
}

// Runs in a child, which then ends without a trace.
inline pid_t spawn(const std::function<void()>& run) {
  const pid_t child = fork();
  if (child != 0) return child;
  int status = 0;
  try {
    run();
  } catch (const std::exception& error) {
    fprintf(stderr, "%s\n", error.what());
    status = 1;
  }
  _exit(status);
}

inline int status_of(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

// The head of a file as another program might have left it.
inline void edit_head(const std::filesystem::path& path,
                      const std::function<void(FileHeader&)>& edit) {
  std::string bytes = testing::read_file(path);
  FileHeader header = decode_head(std::as_bytes(std::span(bytes)), bytes.size());
  edit(header);
  const auto head = encode_head(header);
  std::copy(head.begin(), head.end(), reinterpret_cast<std::byte*>(bytes.data()));
  testing::write_file(path, bytes);
}

}  // namespace bloomery
