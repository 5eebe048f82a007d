// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bloomery::cli {

// kSome, kNone and kFault are as grep has them: some keys answered the question, none did, or it
// could not be asked.
inline constexpr int kSome = 0;
inline constexpr int kNone = 1;
inline constexpr int kFault = 2;
inline constexpr int kLossy = 3;  // of dedup: more may be missing than was allowed

}  // namespace bloomery::cli
