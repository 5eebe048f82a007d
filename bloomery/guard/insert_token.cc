#include "bloomery/guard/insert_token.h"

namespace bloomery {

InsertToken::~InsertToken() {
  try {
    release();
  } catch (...) {  // counted by the guard
    give_up_();
  }
}

void InsertToken::release() {
  if (!end_) return;
  end_();
  end_ = nullptr;
}

}  // namespace bloomery
