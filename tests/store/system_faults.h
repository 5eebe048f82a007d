// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

// Makes system calls of the library fail on demand. The test program is linked with --wrap, so the
// library itself knows nothing of it.
namespace bloomery::testing {

// While it lives, the n-th call (from 1) fails with `error_number`; of all calls that are watched,
// or of those named.
class FailingCall {
 public:
  FailingCall(int nth, int error_number, std::string name = "");
  FailingCall(const FailingCall&) = delete;
  FailingCall& operator=(const FailingCall&) = delete;
  ~FailingCall();

  // Which call failed; empty when there were fewer.
  std::string failed() const;
  // How often the named calls were made.
  int calls() const;
};

// While it lives, `action` runs before the n-th call (from 1) of that name; once.
class BeforeCall {
 public:
  BeforeCall(int nth, std::string name, std::function<void()> action);
  BeforeCall(const BeforeCall&) = delete;
  BeforeCall& operator=(const BeforeCall&) = delete;
  ~BeforeCall();

  bool has_run() const;
};

// While it lives, reads and writes do at most a few bytes, and every other one is interrupted.
class HaltingCalls {
 public:
  HaltingCalls();
  HaltingCalls(const HaltingCalls&) = delete;
  HaltingCalls& operator=(const HaltingCalls&) = delete;
  ~HaltingCalls();
};

// While it lives, fstatfs() says this of every file.
class FileSystemIs {
 public:
  explicit FileSystemIs(std::uint32_t magic);
  FileSystemIs(const FileSystemIs&) = delete;
  FileSystemIs& operator=(const FileSystemIs&) = delete;
  ~FileSystemIs();
};

}  // namespace bloomery::testing
