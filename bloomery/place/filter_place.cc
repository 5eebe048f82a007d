// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/filter_place.h"

#include <stdexcept>

#include "bloomery/filter/any_filter.h"
#include "bloomery/hash/secret_key.h"

namespace bloomery {
Identity Identity::random() {
  const SecretKey key = SecretKey::random();
  return {key.words[0], key.words[1]};
}

std::string_view why(NoAbsent reason) noexcept {
  switch (reason) {
    case NoAbsent::none:
      return "";
    case NoAbsent::not_ready:
      return "nobody has said yet that every key is in";
    case NoAbsent::bits_alone:
      return "nothing but its bits says that its bitmap is whole, so that a clear bit is no "
             "\"absent\"; trust=bits in the location takes it for one, as the system itself does";
    case NoAbsent::without_markers:
      return "it has no marker items, which tell a whole filter from one that was lost and begun "
             "anew by the next add: bloomery create puts them in, and trust=bits in the location "
             "does without";
  }
  return "";
}

void Rebuild::commit_at(const Watermark&, const CallContext&) {
  throw std::invalid_argument("a rebuild: its place has no watermark");
}

AnyFilter FilterPlace::copy(const CallContext&) {
  refuse("its filter cannot be read as a whole");
}

void FilterPlace::refuse(std::string_view why) const {
  throw std::invalid_argument(name() + ": " + std::string(why));
}

void FilterPlace::refuse_room(std::size_t keys, std::size_t room) const {
  refuse("room for " + std::to_string(room) + " answers, where the batch has " +
         std::to_string(keys) + " keys");
}

}  // namespace bloomery
