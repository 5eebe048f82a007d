// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/place_in_front.h"

#include "bloomery/filter/any_filter.h"

namespace bloomery {

AnyFilter PlaceInFront::copy(const CallContext& context) {
  return place_.copy(context);
}

}  // namespace bloomery
