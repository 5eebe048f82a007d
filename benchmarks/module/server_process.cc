// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/module/server_process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "benchmarks/module/connection.h"
#include "benchmarks/text_file.h"

namespace bloomery::module_bench {
namespace {

// A port that nobody has now.
std::uint16_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(socket, reinterpret_cast<sockaddr*>(&address), size) != 0) {
    throw std::runtime_error("no free port on the loopback");
  }
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  close(socket);
  return ntohs(address.sin_port);
}

std::string new_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "bloomery-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  return pattern;
}

}  // namespace

ServerProcess::ServerProcess(const std::string& module)
    : folder_(new_folder()), port_(free_port()) {
  try {
    start(std::filesystem::absolute(module).string());
  } catch (...) {
    end();
    throw;
  }
}

ServerProcess::~ServerProcess() {
  end();
}

void ServerProcess::start(const std::string& module) {
  const char* const named = std::getenv("REDIS_SERVER");
  const std::string server = named != nullptr ? named : "redis-server";
  const std::string port = std::to_string(port_);
  const std::string log_file = folder_ + "/log";
  const std::array<const char*, 14> words{
      server.c_str(), "--bind",        "127.0.0.1",    "--port", port.c_str(),
      "--dir",        folder_.c_str(), "--save",       "",       "--daemonize",
      "no",           "--loadmodule",  module.c_str(), nullptr};
  const pid_t parent = getpid();
  child_ = fork();
  if (child_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    const int out = open(log_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(out, 1);
    dup2(out, 2);
    execvp(words[0], const_cast<char* const*>(words.data()));
    dprintf(2, "%s is not installed", words[0]);
    _exit(127);
  }
  for (int i = 0; i < 400; ++i) {
    if (child_ < 0 || waitpid(child_, nullptr, WNOHANG) == child_) {
      child_ = -1;
      throw std::runtime_error("cannot start " + server + ":\n" + log());
    }
    try {
      Connection(port_).ask({"PING"});
      return;
    } catch (const std::runtime_error&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
  }
  throw std::runtime_error(server + " does not answer:\n" + log());
}

double ServerProcess::cpu_seconds() const {
  clockid_t clock{};
  timespec now{};
  if (clock_getcpuclockid(child_, &clock) != 0 || clock_gettime(clock, &now) != 0) {
    throw std::runtime_error("the server has no clock any more:\n" + log());
  }
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string ServerProcess::log() const {
  return bench::read_text(folder_ + "/log");
}

void ServerProcess::end() noexcept {
  if (child_ > 0) {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace bloomery::module_bench
