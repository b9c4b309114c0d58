// SPDX-License-Identifier: Apache-2.0
// Open addressing: where an entry of a hash table is, or the empty place for it.
#pragma once

#include <cstdint>

#include "src/base/check.h"

namespace jostle {

// The first place from that of `hash` on, round the end, for which `ends(place)` holds. The size is
// a power of two, and there is such a place: a table is never full.
template <typename Ends>
inline __attribute__((always_inline)) uint64_t probe(uint64_t hash, uint64_t size,
                                                     const Ends& ends) {
  JOSTLE_CHECK(size != 0 && (size & (size - 1)) == 0);
  const uint64_t first = hash & (size - 1);
  uint64_t place = first;
  while (!ends(place)) {
    place = (place + 1) & (size - 1);
    JOSTLE_CHECK_NE(place, first);
  }
  return place;
}

}  // namespace jostle
