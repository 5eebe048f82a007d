#include "bloomery/filter/filter_place.h"

#include <stdexcept>

#include "bloomery/filter/any_filter.h"
#include "bloomery/hash/secret_key.h"

namespace bloomery {

Identity Identity::random() {
  const SecretKey key = SecretKey::random();
  return {key.words[0], key.words[1]};
}

bool FilterPlace::advance(const PlaceHead&, const Watermark&, const CallContext&) {
  refuse("has no watermark");
}

AnyFilter FilterPlace::copy(const CallContext&) {
  refuse("its filter cannot be read as a whole");
}

std::unique_ptr<Rebuild> FilterPlace::begin_rebuild(const FilterOptions&, const CallContext&) {
  refuse("cannot be rebuilt while it answers");
}

void FilterPlace::destroy(const CallContext&) {
  refuse("cannot be destroyed from here");
}

void FilterPlace::refuse(std::string_view why) const {
  throw std::invalid_argument(name() + ": " + std::string(why));
}

}  // namespace bloomery
