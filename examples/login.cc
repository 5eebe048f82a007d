// SPDX-License-Identifier: Apache-2.0
// "Is there such a user?" before the table of users: a robot that tries names at the login page
// costs the database next to nothing, and whoever signs up can log in at once.
//
// A name that is surely unknown is answered without the table, and so sooner. Where names are
// secret, let such an answer take as long as that of a wrong password.
#include <bloomery/bloomery.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <vector>

using namespace bloomery;

namespace {

// Stands for the table of users, in a database.
class UserTable {
 public:
  void add(const std::string& name, const std::string& password) { passwords_[name] = password; }
  bool has(const std::string& name, const std::string& password) {
    ++asked_;
    const auto found = passwords_.find(name);
    return found != passwords_.end() && found->second == password;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, password] : passwords_) names.push_back(name);
    return names;
  }
  int asked() const { return asked_; }

 private:
  std::map<std::string, std::string> passwords_;
  int asked_ = 0;
};

class LoginPage {
 public:
  // With room for half more users than there are.
  explicit LoginPage(UserTable& table)
      : table_(table),
        users_({.capacity = std::max<std::size_t>(1'000, table.names().size() * 3 / 2),
                .false_positive_rate = 0.001}) {
    users_.insert_many(table.names());
  }

  bool log_in(const std::string& name, const std::string& password) {
    return users_.may_contain(name) && table_.has(name, password);
  }

  // The filter first: nobody is in the table and not in the filter.
  void sign_up(const std::string& name, const std::string& password) {
    users_.insert(name);
    table_.add(name, password);
  }

 private:
  UserTable& table_;
  BlockedFilter users_;
};

}  // namespace

int main() {
  UserTable table;
  for (int i = 0; i < 100'000; ++i) table.add("user" + std::to_string(i), "secret");
  LoginPage page(table);

  int let_in = 0;
  for (int i = 0; i < 1'000'000; ++i) let_in += page.log_in("robot" + std::to_string(i), "1234");
  const int for_robots = table.asked();
  int users = 0;
  for (int i = 0; i < 100'000; ++i) users += page.log_in("user" + std::to_string(i), "secret");
  page.sign_up("ann", "sesame");
  const bool ann = page.log_in("ann", "sesame") && !page.log_in("ann", "guess");

  std::cout << "1000000 names tried by a robot: " << let_in << " let in, " << for_robots
            << " questions to the table; " << users
            << " of 100000 users logged in; ann, who has just signed up, was "
            << (ann ? "let in" : "not let in") << "\n";
  return let_in == 0 && users == 100'000 && ann && for_robots < 2'000 ? 0 : 1;
}
