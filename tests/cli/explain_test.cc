// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/store/native_file.h"
#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Shell;

AnyFilter with_alice(FilterKind kind) {
  const FilterOptions options{.capacity = 100, .false_positive_rate = 1e-6};
  if (is_built_once(kind)) {
    const auto parameters = parameters_for(kind, {}, options);
    const HashPair hash = parameters.hash(Key("alice"));
    return AnyFilter(OwnedStaticFilter::build(parameters, {&hash, 1}));
  }
  AnyFilter filter = make_filter(kind, options);
  filter.insert("alice");
  return filter;
}

TEST(Explain, ShowsEveryBitOfTheKey) {
  for (const Kind& each : filter_kinds()) {
    const Shell shell;
    const AnyFilter filter = with_alice(each.number);
    save(filter, shell.path("f.bloom"));

    const Outcome present = shell.run("bloomery explain f.bloom alice --json");
    EXPECT_EQ(present.status, 0) << present.err;
    EXPECT_EQ(present.json().at("presence"), "maybe");
    EXPECT_EQ(present.json().at("key"), "alice");
    const auto probes = filter.probes(filter.hash(Key("alice")));
    ASSERT_EQ(present.json().at("probes").size(), probes.size());
    for (std::size_t i = 0; i < probes.size(); ++i) {
      EXPECT_EQ(present.json().at("probes").at(i).at("position"), probes[i].position);
      EXPECT_EQ(present.json().at("probes").at(i).at("set"), probes[i].set);
    }

    const Outcome absent = shell.run("bloomery explain f.bloom bob");
    EXPECT_EQ(absent.status, 1);
    EXPECT_THAT(absent.out, HasSubstr("surely absent: "));
    EXPECT_THAT(absent.out, HasSubstr(each.compares ? "differs" : "clear"));
  }
}

TEST(Explain, TakesEncodedEmptyAndStrangeKeys) {
  const Shell shell;
  AnyFilter filter = make_filter(FilterKind::blocked, {.capacity = 100});
  for (const Key key : {Key(""), Key("--help"), Key("\x2a\0\0\0\0\0\0\0", 8), Key("[a]")}) {
    filter.insert(key);
  }
  save(filter, shell.path("f.bloom"));
  EXPECT_EQ(shell.run("bloomery explain f.bloom ''").status, 0);
  EXPECT_EQ(shell.run("bloomery explain f.bloom -- --help").status, 0);
  EXPECT_EQ(shell.run("bloomery explain f.bloom --as u64 --insist 42").status, 0);
  EXPECT_EQ(shell.run("bloomery explain f.bloom '[a]'").status, 0);
  EXPECT_EQ(shell.run("bloomery explain f.bloom --as u64 forty").status, 2);
  EXPECT_EQ(shell.run("bloomery explain f.bloom").status, 2);
  // Bytes that no terminal should get.
  const Outcome escaped = shell.run("bloomery explain f.bloom \"$(printf '\\033[31m')\"");
  EXPECT_THAT(escaped.out, Not(HasSubstr("\033")));
}

}  // namespace
}  // namespace bloomery
