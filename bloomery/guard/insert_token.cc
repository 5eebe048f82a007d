// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/insert_token.h"

#include <stdexcept>

namespace bloomery {

InsertToken::~InsertToken() {
  if (!end_) return;
  try {
    end_(nullptr);
  } catch (...) {  // counted by the guard
    give_up_();
  }
}

bool InsertToken::renew(const CallContext& context) {
  if (!end_) throw std::logic_error("guard: this token has ended: nothing is announced any more");
  return renew_ ? renew_(context) : true;
}

void InsertToken::release(const CallContext& context) {
  if (!end_) return;
  end_(&context);
  end_ = nullptr;
}

}  // namespace bloomery
