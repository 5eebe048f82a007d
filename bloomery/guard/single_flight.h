// SPDX-License-Identifier: Apache-2.0
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
  // aboard, but when this returns nobody boards it, and it begins no write. One that is writing
  // already is late: what it writes is out of date too.
  void detach(HashedKey key) noexcept {
    Table& table = table_of(key);
    const std::lock_guard lock(table.mutex);
    FlightPtr flight = take_out(table, key, nullptr);
    if (!flight || !flight->detach()) return;
    flight->next_late_ = std::move(table.late);
    table.late = std::move(flight);
  }

  // Returns whether a late flight, whoever detached it, still writes.
  bool is_written_late(HashedKey key) noexcept { return late_writer(key) != nullptr; }
  // Waits until none does. False when the context is over before.
  bool wait_for_late_writes(HashedKey key, const CallContext& context) {
    while (const FlightPtr flight = late_writer(key)) {
      if (!flight->wait_for_write(context)) return false;
    }
    return true;
  }

 private:
  using FlightPtr = std::shared_ptr<Flight<Result>>;

  struct alignas(64) Table {
    std::mutex mutex;
    std::unordered_map<HashedKey, FlightPtr, HashedKeyHash> flights;  // views the flights' keys
    FlightPtr late;  // detached while they wrote, and not landed yet: a chain, mostly of none
  };

  static constexpr std::size_t kTables = 64;
  static constexpr std::size_t kLandedShift = 64 - 12;

  Table& table_of(HashedKey key) noexcept { return tables_[(key.hash >> 32) % kTables]; }

  // Takes the key's flight out of its table, if it is `only` this one (nullptr: any). Under the
  // table's lock, as the two below.
  FlightPtr take_out(Table& table, HashedKey key, const Flight<Result>* only) noexcept {
    const auto found = table.flights.find(key);
    if (found == table.flights.end()) return nullptr;
    if (only != nullptr && found->second.get() != only) return nullptr;
    FlightPtr flight = std::move(found->second);
    table.flights.erase(found);
    landed_[key.hash >> kLandedShift].fetch_add(1, std::memory_order_release);
    return flight;
  }
  void take_out_late(Table& table, const Flight<Result>& flight) noexcept {
    for (FlightPtr* at = &table.late; *at; at = &(*at)->next_late_) {
      if (at->get() != &flight) continue;
      FlightPtr next = std::move((*at)->next_late_);
      *at = std::move(next);
      return;
    }
  }

  FlightPtr late_writer(HashedKey key) noexcept {
    Table& table = table_of(key);
    const std::lock_guard lock(table.mutex);
    for (const FlightPtr* at = &table.late; *at; at = &(*at)->next_late_) {
      if ((*at)->key() == key && (*at)->is_writing()) return *at;
    }
    return nullptr;
  }

  void land(const Flight<Result>& flight) noexcept {
    Table& table = table_of(flight.key());
    FlightPtr gone;  // destroyed after the lock
    const std::lock_guard lock(table.mutex);
    gone = take_out(table, flight.key(), &flight);
    if (!gone) take_out_late(table, flight);
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
    if (leads_) fail(std::make_exception_ptr(FlightAbandoned()));
  }

  bool leads() const noexcept { return leads_; }
  Flight<Result>& flight() const noexcept { return *flight_; }

  // The leader's last word, after its answer is written: the next one to ask flies anew.
  void land() noexcept {
    if (std::exchange(leads_, false)) table_->land(*flight_);
  }

  // The leader's last word where it has no answer. Lands before those aboard are told, so that
  // nobody who comes after the failure gets it.
  void fail(std::exception_ptr error) noexcept {
    land();
    flight_->fail(std::move(error));
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
