// SPDX-License-Identifier: Apache-2.0
// Numbers out of strings: what is read ends with the byte after the number.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <wchar.h>

#include "src/runtime/interpose/buffers/library_call.h"

using namespace jostle::rt;

namespace {

// How many bytes of `text` a conversion looks at that ends where `convert` says.
template <typename Char, typename Convert>
size_t looked_at(const Char* text, Convert convert) {
  const int before = errno;
  Char* end = nullptr;
  convert(&end);
  errno = before;
  return end > text ? static_cast<size_t>(end - text + 1) * sizeof(Char) : sizeof(Char);
}

}  // namespace

// strtol and strtod: with and without a base.
#define NUMBER(result, name, Char)                                          \
  JOSTLE_NAMED_HOOK(result, name, (const Char* text, Char** end)) {         \
    LibraryCall call(CALLER());                                             \
    call.reads_as_far(text, [&] {                                           \
      return looked_at(text, [&](Char** past) { NEXT(name)(text, past); }); \
    });                                                                     \
    call.writes(end);                                                       \
    return NEXT(name)(text, end);                                           \
  }
#define NUMBER_OF_BASE(result, name, Char)                                        \
  JOSTLE_NAMED_HOOK(result, name, (const Char* text, Char** end, int base)) {     \
    LibraryCall call(CALLER());                                                   \
    call.reads_as_far(text, [&] {                                                 \
      return looked_at(text, [&](Char** past) { NEXT(name)(text, past, base); }); \
    });                                                                           \
    call.writes(end);                                                             \
    return NEXT(name)(text, end, base);                                           \
  }
#define NUMBERS_OF_BASE(PREFIX, Char)                   \
  NUMBER_OF_BASE(long, PREFIX##l, Char)                 \
  NUMBER_OF_BASE(unsigned long, PREFIX##ul, Char)       \
  NUMBER_OF_BASE(long long, PREFIX##ll, Char)           \
  NUMBER_OF_BASE(unsigned long long, PREFIX##ull, Char) \
  NUMBER_OF_BASE(intmax_t, PREFIX##imax, Char)          \
  NUMBER_OF_BASE(uintmax_t, PREFIX##umax, Char)
#define NUMBERS(PREFIX, Char)     \
  NUMBER(float, PREFIX##f, Char)  \
  NUMBER(double, PREFIX##d, Char) \
  NUMBER(long double, PREFIX##ld, Char)

NUMBERS(strto, char)
NUMBERS(wcsto, wchar_t)
NUMBERS_OF_BASE(strto, char)
NUMBERS_OF_BASE(wcsto, wchar_t)
#if __GLIBC_PREREQ(2, 38)
// What <stdlib.h> calls them for C23, which has binary numbers.
NUMBERS_OF_BASE(__isoc23_strto, char)
NUMBERS_OF_BASE(__isoc23_wcsto, wchar_t)
#endif

#define WITHOUT_END(result, name, convert)                                     \
  JOSTLE_NAMED_HOOK(result, name, (const char* text)) {                        \
    LibraryCall(CALLER()).reads_as_far(                                        \
        text, [&] { return looked_at(text, [&](char** past) { convert; }); }); \
    return NEXT(name)(text);                                                   \
  }
WITHOUT_END(int, atoi, NEXT(strtol)(text, past, 10))
WITHOUT_END(long, atol, NEXT(strtol)(text, past, 10))
WITHOUT_END(long long, atoll, NEXT(strtoll)(text, past, 10))
WITHOUT_END(double, atof, NEXT(strtod)(text, past))
