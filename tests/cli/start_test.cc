// SPDX-License-Identifier: Apache-2.0
// What the command loads when it starts, and what it says where a library that it then needs is not
// there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::Shell;

TEST(Start, LoadsNoLibraryOfADatabaseOrOfTls) {
  const Outcome loaded = Shell().run("LD_TRACE_LOADED_OBJECTS=1 bloomery");
  EXPECT_EQ(loaded.status, 0) << loaded.err;
  EXPECT_THAT(loaded.out, HasSubstr("libc.so"));
  for (const char* const library : {"libpq", "libmariadb", "libssl", "libcrypto", "krb5"}) {
    EXPECT_THAT(loaded.out, Not(HasSubstr(library)));
  }
}

// A library that cannot be loaded stands before the system's own.
Outcome run_without(const std::string& library, const std::string& line) {
  const Shell shell;
  shell.write(library, "not a library");
  return shell.run("export LD_LIBRARY_PATH=.\n" + line);
}

TEST(Start, NamesThePackageOfALibraryThatIsNotThere) {
  struct Case {
    const char* library;
    const char* line;
    const char* message;
  };
  const Case cases[] = {
      {"libpq.so.5", "bloomery load 'postgres://a@127.0.0.1:1/d?table=t&column=c' f.bloom -n 9",
       "PostgreSQL needs libpq.so.5 of the package libpq5, which cannot be loaded"},
      {"libmariadb.so.3", "bloomery load 'mariadb://a@127.0.0.1:1/d?table=t&column=c' f.bloom -n 9",
       "MariaDB or MySQL needs libmariadb.so.3 of the package libmariadb3, which cannot be loaded"},
      {"libssl.so.3", "bloomery check bitmap:rediss://127.0.0.1:1#f -e 1",
       "TLS needs libssl.so.3 of the package libssl3, which cannot be loaded"},
  };
  for (const Case& one : cases) {
    const Outcome outcome = run_without(one.library, one.line);
    EXPECT_EQ(outcome.status, 2) << one.line;
    EXPECT_EQ(outcome.out, "") << one.line;
    EXPECT_THAT(outcome.err, HasSubstr(one.message));
  }
}

TEST(Start, NeedsNoneOfThemForAFile) {
  const Outcome outcome = run_without(
      "libpq.so.5",
      "cp libpq.so.5 libmariadb.so.3; cp libpq.so.5 libssl.so.3; cp libpq.so.5 libcrypto.so.3\n"
      "bloomery create f.bloom -n 10 >made && bloomery insert f.bloom -e 7 >done &&"
      " bloomery check f.bloom -e 7");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "7\n");
}

}  // namespace
}  // namespace bloomery
