// SPDX-License-Identifier: Apache-2.0
// share_file LIVE CLOSED: inserts k1 to k100 into two filters that processes share. The first is
// left as a process leaves it that is killed, the second one is closed. For make_more_fixtures.sh,
// with the version that is to write them.
#include <unistd.h>

#include <string>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/store/native_file.h"
#include "bloomery/store/shared_filter.h"

namespace {

void insert_all(bloomery::SharedFilter& filter) {
  for (int i = 1; i <= 100; ++i) filter.insert("k" + std::to_string(i));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  auto closed = bloomery::open_shared(argv[2]);
  insert_all(closed);
  closed.close();
  auto live = bloomery::open_shared(argv[1]);
  insert_all(live);
  _exit(0);
}
