// SPDX-License-Identifier: Apache-2.0
// A mail server's list of 100,000 known spammers, and what a false positive costs whom.
//
// A filter alone would refuse the mail of a stranger in a hundred for ever, and he cannot even find
// out why. So its "maybe" is no verdict here: the list itself is asked, and then a false positive
// costs nothing but that question. For the list of senders who are always welcome it is the other
// way round: there a false positive lets a stranger's mail skip the check of its contents, which
// the reader can bear, if it is rare. So that filter is stricter, and needs no list behind it.
#include <bloomery/bloomery.h>

#include <iostream>
#include <string>
#include <unordered_set>

using namespace bloomery;

namespace {

std::string sender(const char* name, int number) {
  return name + std::to_string(number) + "@example.org";
}

class Senders {
 public:
  // Makes filters of both lists as they stand in a database.
  Senders(const std::unordered_set<std::string>& spammers,
          const std::unordered_set<std::string>& welcome)
      : list_(spammers),
        spammers_({.capacity = spammers.size(), .false_positive_rate = 0.01}),
        welcome_({.capacity = welcome.size(), .false_positive_rate = 0.0001}) {
    for (const std::string& each : spammers) spammers_.insert(each);
    for (const std::string& each : welcome) welcome_.insert(each);
  }

  bool seems_to_spam(const std::string& from) const { return spammers_.may_contain(from); }
  bool is_refused(const std::string& from) {
    if (!seems_to_spam(from)) return false;
    ++lists_asked_;
    return list_.contains(from);
  }
  bool skips_the_check(const std::string& from) const { return welcome_.may_contain(from); }
  int lists_asked() const { return lists_asked_; }

 private:
  const std::unordered_set<std::string>& list_;  // exact, and slow where it is elsewhere
  BlockedFilter spammers_;
  BlockedFilter welcome_;
  int lists_asked_ = 0;
};

}  // namespace

int main() {
  std::unordered_set<std::string> spammers;
  std::unordered_set<std::string> welcome;
  for (int i = 0; i < 100'000; ++i) spammers.insert(sender("offer", i));
  for (int i = 0; i < 1'000; ++i) welcome.insert(sender("friend", i));
  Senders senders(spammers, welcome);

  int spam_refused = 0;
  for (const std::string& each : spammers) spam_refused += senders.is_refused(each) ? 1 : 0;
  const int asked_for_spam = senders.lists_asked();
  int by_the_filter_alone = 0;
  int wrongly_refused = 0;
  int unchecked = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::string from = sender("stranger", i);
    by_the_filter_alone += senders.seems_to_spam(from) ? 1 : 0;
    wrongly_refused += senders.is_refused(from) ? 1 : 0;
    unchecked += senders.skips_the_check(from) ? 1 : 0;
  }
  std::cout << "of 100000 strangers a filter alone refuses " << by_the_filter_alone
            << ", with the list behind it " << wrongly_refused << ", for "
            << senders.lists_asked() - asked_for_spam << " questions; " << unchecked
            << " mails went unchecked\n";
  const bool as_promised = by_the_filter_alone > 800 && by_the_filter_alone < 1200;
  return spam_refused == 100'000 && wrongly_refused == 0 && as_promised && unchecked < 30 ? 0 : 1;
}
