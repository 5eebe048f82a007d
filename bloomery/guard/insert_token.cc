#include "bloomery/guard/insert_token.h"

namespace bloomery {

InsertToken::~InsertToken() {
  try {
    release();
  } catch (...) {  // counted by the guard
  }
}

void InsertToken::release() {
  if (const auto end = std::exchange(end_, nullptr)) end();
}

}  // namespace bloomery
