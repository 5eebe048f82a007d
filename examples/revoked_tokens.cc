// SPDX-License-Identifier: Apache-2.0
// Has this login token been revoked? Every request asks, nearly every answer is no, and the filter
// of the revoked ones stands in a Redis that all processes of the service share:
//
//   redis-cli BLOOM.RESERVE revoked 0.001 100000
//   example_revoked_tokens 'bloom:redis://127.0.0.1#revoked'
//
// "Absent" lets a request in without a question to the database, so it must be true. Whatever the
// filter cannot say (it was evicted, the server is away or slow) the database is asked for: then
// the service is slower, and still lets no revoked token in.
#include <bloomery/bloomery.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "bloomery/open/open_place.h"

using namespace bloomery;

namespace {

class Database {
 public:
  void revoke(const std::string& token) { revoked_.insert(token); }
  bool is_revoked(const std::string& token) {
    ++asked_;
    return revoked_.contains(token);
  }
  int asked() const { return asked_; }

 private:
  std::set<std::string> revoked_;
  int asked_ = 0;
};

class Logins {
 public:
  Logins(Database& database, std::unique_ptr<FilterPlace> revoked)
      : database_(database), revoked_(std::move(revoked)) {}

  // The row first: whoever builds the filter anew from the rows has this token too. It is revoked
  // when this returns; if it throws, call it again.
  void revoke(const std::string& token) {
    database_.revoke(token);
    revoked_->insert(token);
  }

  bool may_enter(const std::string& token) {
    return presence(token) == Presence::absent || !database_.is_revoked(token);
  }

 private:
  Presence presence(const std::string& token) {
    try {
      return revoked_->presence_of(token, CallContext::within(std::chrono::milliseconds(500)));
    } catch (const std::exception&) {
      return Presence::unknown;  // no server, no time
    }
  }

  Database& database_;
  std::unique_ptr<FilterPlace> revoked_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " LOCATION\n";
    return 2;
  }
  Database database;
  Logins logins(database, open_place(argv[1], {.access = PlaceOptions::read_write}));
  for (int i = 0; i < 100; ++i) logins.revoke("token " + std::to_string(i));

  const auto let_in = [&] {
    int count = 0;
    for (int i = 0; i < 2'000; ++i) count += logins.may_enter("token " + std::to_string(i)) ? 1 : 0;
    return count;
  };
  const int with_filter = let_in();
  const int asked = database.asked();
  open_place(argv[1], {.access = PlaceOptions::read_write})->destroy();  // as an eviction does
  const int without = let_in();
  std::cout << with_filter << " of 2000 tokens let in, for " << asked
            << " questions to the database; without the filter " << without << ", for "
            << database.asked() - asked << "\n";
  return with_filter == 1'900 && without == 1'900 && asked < 150 ? 0 : 1;
}
