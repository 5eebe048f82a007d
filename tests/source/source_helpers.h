// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bloomery/source/key_source.h"

namespace bloomery {

inline std::vector<std::string> keys_of(KeySource& source) {
  std::vector<std::string> keys;
  source.for_each_batch([&](const Batch& batch) {
    keys.insert(keys.end(), batch.keys.begin(), batch.keys.end());
    return true;
  });
  return keys;
}

// The message of the Error that `call` throws; fails the test where it throws none.
template <class Error, class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace bloomery
