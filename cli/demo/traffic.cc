// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/traffic.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <stdexcept>
#include <thread>
#include <vector>

#include "bloomery/guard/cache_guard.h"
#include "bloomery/guard/memory_cache.h"
#include "bloomery/text/printable.h"

namespace bloomery::cli {
namespace {

constexpr std::size_t kRequestsBetweenNews = 16;

// One thread's part of the stream, and what it saw.
struct Worker {
  std::span<const Request> requests;
  std::vector<Key> unanswered;  // real keys
  std::vector<Key> wrong;       // real keys with another's value
  std::exception_ptr error = nullptr;
};

void require_absent(const Request& request) {
  if (request.is_real) return;
  throw std::invalid_argument("the made-up key " + printable(request.key) +
                              " is in the database; --seed makes other ones");
}

void ask(CacheGuard<>& guard, const TrafficOptions& options, const Request& request,
         Worker& worker) {
  const std::optional<std::string> value = guard.get(request.key);
  if (!value) {
    if (request.is_real) worker.unanswered.push_back(request.key);
    return;
  }
  require_absent(request);
  if (!options.is_value_of(request.key, *value)) worker.wrong.push_back(request.key);
}

// `done` is nothing for all but one.
void work(CacheGuard<>& guard, const TrafficOptions& options, Worker& worker,
          std::atomic<bool>& failed, const std::function<void(std::uint64_t)>& done) {
  try {
    for (std::size_t i = 0; i < worker.requests.size() && !failed; ++i) {
      ask(guard, options, worker.requests[i], worker);
      if (done && i % kRequestsBetweenNews == 0) done(i);
    }
  } catch (...) {
    worker.error = std::current_exception();
    failed = true;
  }
}

std::vector<Worker> split(std::span<const Request> requests, std::size_t count) {
  std::vector<Worker> workers(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = requests.size() * i / count;
    const std::size_t end = requests.size() * (i + 1) / count;
    workers[i].requests = requests.subspan(begin, end - begin);
  }
  return workers;
}

// The first on this thread, which tells how far it has come.
void run_all(CacheGuard<>& guard, const TrafficOptions& options, std::vector<Worker>& workers,
             const std::function<void(std::uint64_t)>& done) {
  std::atomic<bool> failed = false;
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < workers.size(); ++i) {
    threads.emplace_back([&, i] { work(guard, options, workers[i], failed, {}); });
  }
  work(guard, options, workers[0], failed, [&](std::uint64_t own) { done(own * workers.size()); });
}

}  // namespace

double TrafficResult::requests_per_second() const {
  return static_cast<double>(request_count) / std::max(elapsed.count(), 1e-9);
}

void NoFilter::ask(std::span<const Key>, std::span<Presence> answers, Proofs&, const CallContext&) {
  std::ranges::fill(answers, Presence::maybe);
}

TrafficResult run_traffic(FilterPlace& filter, const DatabaseTable& table, KeyTypes types,
                          std::span<const Request> requests, const TrafficOptions& options,
                          const std::function<void(std::uint64_t)>& done) {
  RowLoader loader(table, types, options.thread_count);
  MemoryCache<> cache({.capacity = options.cache_capacity});
  // Without audits: what is shown is what the filter does by itself.
  CacheGuard<> guard(filter, cache, [&](std::span<const Key> keys) { return loader.load(keys); },
                     {.audit_every = 0});
  std::vector<Worker> workers = split(requests, options.thread_count);

  const auto start = std::chrono::steady_clock::now();
  run_all(guard, options, workers, done);
  TrafficResult result{.request_count = requests.size(),
                       .elapsed = std::chrono::steady_clock::now() - start,
                       .counters = guard.counters()};
  const auto flood =
      static_cast<std::uint64_t>(std::ranges::count(requests, false, &Request::is_real));
  result.absent_queries = flood - std::min(flood, result.counters.filter_absents);

  // The database itself says whether a row was denied or is no more.
  RowLookup lookup(table, types);
  for (const Worker& worker : workers) {
    if (worker.error) std::rethrow_exception(worker.error);
    result.denied_count += worker.wrong.size();
    for (const Key key : worker.unanswered) {
      ++(lookup.find(key) ? result.denied_count : result.gone_count);
    }
  }
  return result;
}

}  // namespace bloomery::cli
