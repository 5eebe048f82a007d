#include "bloomery/guard/guard_counters.h"

namespace bloomery {
namespace {

constexpr std::array kOutcomes = {
    &GuardCounters::filter_absents, &GuardCounters::cache_hits, &GuardCounters::negative_hits,
    &GuardCounters::found,          &GuardCounters::not_found,  &GuardCounters::coalesced,
    &GuardCounters::shed,           &GuardCounters::failed,
};
constexpr std::array kEvents = {
    &GuardCounters::database_queries, &GuardCounters::keys_loaded,
    &GuardCounters::false_positives,  &GuardCounters::unknowns,
    &GuardCounters::filter_errors,    &GuardCounters::cache_errors,
    &GuardCounters::loader_errors,
};
static_assert(sizeof(GuardCounters) == (kOutcomes.size() + kEvents.size()) * sizeof(std::uint64_t),
              "a new counter belongs in one of the lists");

}  // namespace

std::uint64_t GuardCounters::requests() const noexcept {
  std::uint64_t sum = 0;
  for (const auto outcome : kOutcomes) sum += this->*outcome;
  return sum;
}

GuardCounters CounterBoard::snapshot() const noexcept {
  GuardCounters sum;
  const auto add_up = [&](Counter counter) {
    for (Stripe& stripe : stripes_) {
      sum.*counter += std::atomic_ref(stripe.counters.*counter).load(std::memory_order_relaxed);
    }
  };
  for (const Counter counter : kOutcomes) add_up(counter);
  for (const Counter counter : kEvents) add_up(counter);
  return sum;
}

std::size_t CounterBoard::stripe_of_thread() noexcept {
  static std::atomic<std::size_t> next{0};
  thread_local const std::size_t stripe = next.fetch_add(1, std::memory_order_relaxed) % kStripes;
  return stripe;
}

}  // namespace bloomery
