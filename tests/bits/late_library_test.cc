// SPDX-License-Identifier: Apache-2.0
#include "bloomery/bits/late_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "bloomery/errors.h"

namespace bloomery::late_test {
namespace {

using testing::HasSubstr;

constinit const LateLibrary kMath{"libm.so.6", "libc6", "Mathematics"};
constinit const LateFunction<double(double)> floor{kMath, "floor"};

TEST(LateLibrary, CallsAFunctionByItsOwnName) {
  EXPECT_EQ(floor(2.5), 2.0);
  EXPECT_EQ(floor(-2.5), -3.0);
}

TEST(LateLibrary, LoadsForManyThreadsAtOnce) {
  static constinit const LateLibrary library{"libm.so.6", "libc6", "Mathematics"};
  static constinit const LateFunction<double(double, double)> remainder{library, "fmod"};
  std::vector<double> results(8);
  std::vector<std::thread> threads;
  for (double& result : results) threads.emplace_back([&] { result = remainder(7.0, 4.0); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(results, std::vector<double>(8, 3.0));
}

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const StoreError& error) {
    return error.what();
  }
  return "no StoreError";
}

TEST(LateLibrary, NamesThePackageOfALibraryThatIsNotThere) {
  static constinit const LateLibrary library{"libnowhere.so.9", "libnowhere9", "Nowhere"};
  static constinit const LateFunction<int(int)> go{library, "go"};
  for (int times = 0; times < 2; ++times) {  // the second call asks again
    EXPECT_THAT(refusal([] { go(1); }),
                HasSubstr("Nowhere needs libnowhere.so.9 of the package libnowhere9"));
  }
}

TEST(LateLibrary, NamesAFunctionThatAnOlderLibraryLacks) {
  static constinit const LateFunction<int(int)> newer{kMath, "not_yet_there"};
  EXPECT_THAT(refusal([] { newer(1); }),
              testing::AllOf(HasSubstr("newer package libc6"), HasSubstr("not_yet_there")));
}

}  // namespace
}  // namespace bloomery::late_test
