// SPDX-License-Identifier: Apache-2.0
// qsort calls the program back, whose own code reads the elements. It moves them without a trace.
#include <stdlib.h>

#include "src/runtime/interpose/buffers/library_call.h"

using namespace jostle::rt;

JOSTLE_NAMED_HOOK(void, qsort,
                  (void* begin, size_t count, size_t size,
                   int (*compare)(const void*, const void*))) {
  LibraryCall call(CALLER());
  if (count > 1) call.writes(begin, count * size);
  NEXT(qsort)(begin, count, size, compare);
  if (count > 1) call.has_written(begin, count * size);
}
JOSTLE_NAMED_HOOK(void, qsort_r,
                  (void* begin, size_t count, size_t size,
                   int (*compare)(const void*, const void*, void*), void* more)) {
  LibraryCall call(CALLER());
  if (count > 1) call.writes(begin, count * size);
  NEXT(qsort_r)(begin, count, size, compare, more);
  if (count > 1) call.has_written(begin, count * size);
}
