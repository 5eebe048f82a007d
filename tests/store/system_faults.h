// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

// Makes system calls of the library fail on demand. The test program is linked with --wrap, so the
// library itself knows nothing of it.
namespace bloomery::testing {

// Makes the n-th call (from 1) fail with `error_number`, while the object lives; of all calls that
// are watched, or of those named.
class FailingCall {
 public:
  FailingCall(int nth, int error_number, std::string name = "");
  FailingCall(const FailingCall&) = delete;
  FailingCall& operator=(const FailingCall&) = delete;
  ~FailingCall();

  // Returns which call failed; empty when there were fewer.
  std::string failed() const;
  // How often the named calls were made.
  int calls() const;
};

// Runs `action` once before the n-th call (from 1) of that name, while the object lives.
class BeforeCall {
 public:
  BeforeCall(int nth, std::string name, std::function<void()> action);
  BeforeCall(const BeforeCall&) = delete;
  BeforeCall& operator=(const BeforeCall&) = delete;
  ~BeforeCall();

  bool has_run() const;
};

// Makes reads and writes do at most a few bytes, and interrupts every other one, while the object
// lives.
class HaltingCalls {
 public:
  HaltingCalls();
  HaltingCalls(const HaltingCalls&) = delete;
  HaltingCalls& operator=(const HaltingCalls&) = delete;
  ~HaltingCalls();
};

// Makes fstatfs() say this of every file, while the object lives.
class FileSystemIs {
 public:
  explicit FileSystemIs(std::uint32_t magic);
  FileSystemIs(const FileSystemIs&) = delete;
  FileSystemIs& operator=(const FileSystemIs&) = delete;
  ~FileSystemIs();
};

}  // namespace bloomery::testing
