// SPDX-License-Identifier: Apache-2.0
#include "tests/store/system_faults.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <optional>

namespace {

constexpr std::size_t kFewBytes = 1000;

struct Plan {
  bool armed = false;
  int nth = 0;
  int error_number = 0;
  std::string name;
  int calls = 0;
  std::string failed;
  std::function<void()> action;
  bool halting = false;
  unsigned halts = 0;
  std::optional<std::uint32_t> file_system;
};
Plan plan;

bool fails(const char* name) {
  if (!plan.armed || (!plan.name.empty() && plan.name != name)) return false;
  if (++plan.calls != plan.nth) return false;
  if (plan.action) {
    plan.armed = false;
    plan.action();
    return false;
  }
  plan.failed = name;
  errno = plan.error_number;
  return true;
}

bool is_interrupted() {
  if (!plan.halting || ++plan.halts % 2 == 0) return false;
  errno = EINTR;
  return true;
}

std::size_t cut(std::size_t count) {
  return plan.halting ? std::min(count, kFewBytes) : count;
}

}  // namespace

extern "C" {
int __real_open(const char* path, int flags, ...);
ssize_t __real_pread(int descriptor, void* to, size_t count, off_t offset);
ssize_t __real_pwrite(int descriptor, const void* from, size_t count, off_t offset);
int __real_fsync(int descriptor);
int __real_rename(const char* from, const char* to);
int __real_renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned);
int __real_linkat(int from_folder, const char* from, int to_folder, const char* to, int flags);
int __real_ftruncate(int descriptor, off_t size);
int __real_fchmod(int descriptor, mode_t mode);
int __real_flock(int descriptor, int operation);
int __real_fstatfs(int descriptor, struct statfs* about);
int __real_msync(void* at, size_t count, int flags);
int __real_posix_fallocate(int descriptor, off_t offset, off_t count);

int __wrap_open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  if (fails((flags & O_TMPFILE) == O_TMPFILE ? "O_TMPFILE" : "open")) return -1;
  return __real_open(path, flags, mode);
}
ssize_t __wrap_pread(int descriptor, void* to, size_t count, off_t offset) {
  if (fails("pread") || is_interrupted()) return -1;
  return __real_pread(descriptor, to, cut(count), offset);
}
ssize_t __wrap_pwrite(int descriptor, const void* from, size_t count, off_t offset) {
  if (fails("pwrite") || is_interrupted()) return -1;
  return __real_pwrite(descriptor, from, cut(count), offset);
}
int __wrap_fsync(int descriptor) {
  return fails("fsync") ? -1 : __real_fsync(descriptor);
}
int __wrap_rename(const char* from, const char* to) {
  return fails("rename") ? -1 : __real_rename(from, to);
}
int __wrap_renameat2(int from_folder, const char* from, int to_folder, const char* to,
                     unsigned flags) {
  return fails("renameat2") ? -1 : __real_renameat2(from_folder, from, to_folder, to, flags);
}
int __wrap_linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  return fails("linkat") ? -1 : __real_linkat(from_folder, from, to_folder, to, flags);
}
int __wrap_ftruncate(int descriptor, off_t size) {
  return fails("ftruncate") ? -1 : __real_ftruncate(descriptor, size);
}
int __wrap_fchmod(int descriptor, mode_t mode) {
  return fails("fchmod") ? -1 : __real_fchmod(descriptor, mode);
}
int __wrap_flock(int descriptor, int operation) {
  // Closing the file would do the same, so nobody asks whether it failed.
  if (operation == LOCK_UN) return __real_flock(descriptor, operation);
  return fails("flock") || is_interrupted() ? -1 : __real_flock(descriptor, operation);
}
int __wrap_fstatfs(int descriptor, struct statfs* about) {
  const int result = __real_fstatfs(descriptor, about);
  if (plan.file_system) about->f_type = *plan.file_system;
  return result;
}
int __wrap_msync(void* at, size_t count, int flags) {
  return fails("msync") ? -1 : __real_msync(at, count, flags);
}
// Returns its error, unlike the others.
int __wrap_posix_fallocate(int descriptor, off_t offset, off_t count) {
  return fails("posix_fallocate") ? plan.error_number
                                  : __real_posix_fallocate(descriptor, offset, count);
}
}

namespace bloomery::testing {

FailingCall::FailingCall(int nth, int error_number, std::string name) {
  plan = {};
  plan.nth = nth;
  plan.error_number = error_number;
  plan.name = std::move(name);
  plan.armed = true;
}
BeforeCall::BeforeCall(int nth, std::string name, std::function<void()> action) {
  plan = {};
  plan.nth = nth;
  plan.name = std::move(name);
  plan.action = std::move(action);
  plan.armed = true;
}
BeforeCall::~BeforeCall() {
  plan = {};
}
bool BeforeCall::has_run() const {
  return !plan.armed;
}

FailingCall::~FailingCall() {
  plan = {};
}
std::string FailingCall::failed() const {
  return plan.failed;
}
int FailingCall::calls() const {
  return plan.calls;
}

FileSystemIs::FileSystemIs(std::uint32_t magic) {
  plan.file_system = magic;
}
FileSystemIs::~FileSystemIs() {
  plan.file_system.reset();
}

HaltingCalls::HaltingCalls() {
  plan.halting = true;
}
HaltingCalls::~HaltingCalls() {
  plan.halting = false;
}

}  // namespace bloomery::testing
