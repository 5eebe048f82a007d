#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "bloomery/guard/flight.h"
#include "bloomery/guard/hashed_key.h"

namespace bloomery {

// One flight a key at a time. Who boards a key first leads: he finds the answer, writes it where
// others will look (write_back), and lands. Who boards meanwhile waits for him.
//
// A thread that looked in vain before a flight landed, and boards after, would fly again for what
// has just been written. So: read landed() before looking, and when it has moved, look once more
// before flying. Few keys share a landing counter, so that others' landings seldom move it.
//
// All calls may run together. Keys are spread over tables with a lock each, held for a table access
// only.
template <class Result>
class SingleFlight {
 public:
  class Ticket;

  // How many flights have landed among the keys that share this key's counter.
  std::uint64_t landed(HashedKey key) const noexcept {
    return landed_[key.hash >> kLandedShift].load(std::memory_order_acquire);
  }

  [[nodiscard]] Ticket board(HashedKey key) {
    Table& table = table_of(key);
    const std::lock_guard lock(table.mutex);
    if (const auto found = table.flights.find(key); found != table.flights.end()) {
      return Ticket(*this, found->second, false);
    }
    auto flight = std::make_shared<Flight<Result>>(key);
    table.flights.emplace(flight->key(), flight);
    return Ticket(*this, std::move(flight), true);
  }

  // Whatever is known of the key is out of date. The flight under way, if any, still answers those
  // aboard, but when this returns nobody boards it and it writes nothing back any more.
  void detach(HashedKey key) {
    if (const auto flight = take_out(key, nullptr)) flight->detach();
  }

 private:
  using FlightPtr = std::shared_ptr<Flight<Result>>;

  struct alignas(64) Table {
    std::mutex mutex;
    std::unordered_map<HashedKey, FlightPtr, HashedKeyHash> flights;  // views the flights' keys
  };

  static constexpr std::size_t kTables = 64;
  static constexpr std::size_t kLandedShift = 64 - 12;

  Table& table_of(HashedKey key) noexcept { return tables_[(key.hash >> 32) % kTables]; }

  // Takes the key's flight out of its table, if it is `only` this one (nullptr: any).
  FlightPtr take_out(HashedKey key, const Flight<Result>* only) noexcept {
    Table& table = table_of(key);
    const std::lock_guard lock(table.mutex);
    const auto found = table.flights.find(key);
    if (found == table.flights.end()) return nullptr;
    if (only != nullptr && found->second.get() != only) return nullptr;
    FlightPtr flight = std::move(found->second);
    table.flights.erase(found);
    landed_[key.hash >> kLandedShift].fetch_add(1, std::memory_order_release);
    return flight;
  }

  std::array<Table, kTables> tables_;
  std::array<std::atomic<std::uint64_t>, std::size_t{1} << (64 - kLandedShift)> landed_{};
};

// A seat on a flight. The SingleFlight outlives it.
template <class Result>
class SingleFlight<Result>::Ticket {
 public:
  Ticket(Ticket&& other) noexcept
      : table_(other.table_),
        flight_(std::move(other.flight_)),
        leads_(std::exchange(other.leads_, false)) {}
  Ticket& operator=(Ticket&&) = delete;

  // A leader who leaves without an answer, as by an exception, must not leave the others waiting.
  ~Ticket() {
    if (!leads_) return;
    flight_->fail(std::make_exception_ptr(FlightAbandoned()));
    land();
  }

  bool leads() const noexcept { return leads_; }
  Flight<Result>& flight() const noexcept { return *flight_; }

  // The leader's last word, after its answer is written: the next one to ask flies anew.
  void land() noexcept {
    if (std::exchange(leads_, false)) table_->take_out(flight_->key(), flight_.get());
  }

 private:
  friend class SingleFlight;

  Ticket(SingleFlight& table, FlightPtr flight, bool leads) noexcept
      : table_(&table), flight_(std::move(flight)), leads_(leads) {}

  SingleFlight* table_;
  FlightPtr flight_;
  bool leads_;
};

}  // namespace bloomery
