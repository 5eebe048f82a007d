// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace bloomery {

// Compares, in builds with tests, what proofs decide with what told() decides, and ends the process
// where proofs let a denial count that told() does not, and no other question was under way. The
// counts are appended to the file $BLOOMERY_PROOF_DECISIONS at the end of the process.
class ProofComparison {
 public:
  // A question to a FencedPlace.
  class Question {
   public:
    Question() noexcept;
    Question(const Question&) = delete;
    Question& operator=(const Question&) = delete;
    ~Question();
  };

  static void decided(bool by_told, bool by_proof) noexcept;
};

}  // namespace bloomery
