// SPDX-License-Identifier: Apache-2.0
// A server that forks its workers, as PHP's, Python's and many of C++ do: all of them know at once
// what one has seen, in one mapping of a file, whoever dies when.
#include <bloomery/bloomery.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <string>
#include <vector>

using namespace bloomery;

namespace {

constexpr int kWorkers = 4;
constexpr int kRequests = 5000;

std::string request(int worker, int number) {
  return "request " + std::to_string(worker) + "/" + std::to_string(number);
}

// Each request is handled once, also when it is sent again to another worker.
void serve(SharedFilter& seen, int worker) {
  for (int number = 0; number < kRequests; ++number) seen.insert(request(worker, number));
  if (worker == 0) raise(SIGKILL);  // what it had inserted stays in
  seen.close();
}

}  // namespace

int main() {
  save(BlockedFilter({.capacity = 100'000, .false_positive_rate = 1e-4}), "requests.bloom");
  SharedFilter seen = open_shared("requests.bloom");
  std::vector<pid_t> workers;
  for (int worker = 0; worker < kWorkers; ++worker) {
    const pid_t child = fork();
    if (child == 0) {
      serve(seen, worker);
      _exit(0);
    }
    workers.push_back(child);
  }
  for (const pid_t worker : workers) waitpid(worker, nullptr, 0);

  int denied = 0;
  for (int worker = 0; worker < kWorkers; ++worker) {
    for (int number = 0; number < kRequests; ++number) {
      denied += seen.may_contain(request(worker, number)) ? 0 : 1;
    }
  }
  std::cout << seen.inserted() << " requests of " << kWorkers << " workers, " << denied
            << " denied\n";
  seen.close();  // the last one: the file is whole again
  const bool is_whole = load("requests.bloom").may_contain(request(0, kRequests - 1));
  return denied == 0 && is_whole ? 0 : 1;
}
