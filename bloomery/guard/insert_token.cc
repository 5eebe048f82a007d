// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/insert_token.h"

namespace bloomery {

InsertToken::~InsertToken() {
  if (!end_) return;
  try {
    end_(nullptr);
  } catch (...) {  // counted by the guard
    give_up_();
  }
}

void InsertToken::release(const CallContext& context) {
  if (!end_) return;
  end_(&context);
  end_ = nullptr;
}

}  // namespace bloomery
