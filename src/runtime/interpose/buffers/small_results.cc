// SPDX-License-Identifier: Apache-2.0
// Functions that keep a state, or leave a result, in memory that the program gives them.
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "src/runtime/interpose/buffers/library_call.h"

using namespace jostle::rt;

// ---- random numbers ----------------------------------------------------------------------------

JOSTLE_NAMED_HOOK(int, rand_r, (unsigned* state)) {
  LibraryCall call(CALLER());
  call.reads(state, sizeof *state);
  call.writes(state);
  return NEXT(rand_r)(state);
}

#define FROM_48_BITS(result, name)                           \
  JOSTLE_NAMED_HOOK(result, name, (unsigned short* state)) { \
    LibraryCall call(CALLER());                              \
    call.reads(state, 3 * sizeof *state);                    \
    call.writes(state, 3 * sizeof *state);                   \
    return NEXT(name)(state);                                \
  }
FROM_48_BITS(double, erand48)
FROM_48_BITS(long, nrand48)
FROM_48_BITS(long, jrand48)

#define WITH_STATE(name, State, Value)                            \
  JOSTLE_NAMED_HOOK(int, name, (State * state, Value * result)) { \
    LibraryCall call(CALLER());                                   \
    call.reads(state, sizeof *state);                             \
    call.writes(state);                                           \
    call.writes(result);                                          \
    return NEXT(name)(state, result);                             \
  }
WITH_STATE(random_r, random_data, int32_t)
WITH_STATE(drand48_r, drand48_data, double)
WITH_STATE(lrand48_r, drand48_data, long)
WITH_STATE(mrand48_r, drand48_data, long)

// ---- parts of numbers --------------------------------------------------------------------------

#define IN_TWO_PARTS(Value, Part, name)                           \
  JOSTLE_NAMED_HOOK(Value, name, (Value number, Part * result)) { \
    LibraryCall(CALLER()).writes(result);                         \
    return NEXT(name)(number, result);                            \
  }
IN_TWO_PARTS(double, int, frexp)
IN_TWO_PARTS(float, int, frexpf)
IN_TWO_PARTS(long double, int, frexpl)
IN_TWO_PARTS(double, double, modf)
IN_TWO_PARTS(float, float, modff)
IN_TWO_PARTS(long double, long double, modfl)
IN_TWO_PARTS(double, int, lgamma_r)
IN_TWO_PARTS(float, int, lgammaf_r)
IN_TWO_PARTS(long double, int, lgammal_r)

#define WITH_QUOTIENT(Value, name)                                          \
  JOSTLE_NAMED_HOOK(Value, name, (Value number, Value by, int* quotient)) { \
    LibraryCall(CALLER()).writes(quotient);                                 \
    return NEXT(name)(number, by, quotient);                                \
  }
WITH_QUOTIENT(double, remquo)
WITH_QUOTIENT(float, remquof)
WITH_QUOTIENT(long double, remquol)

#define BOTH_OF_ANGLE(Value, name)                                             \
  JOSTLE_NAMED_HOOK(void, name, (Value angle, Value * sine, Value * cosine)) { \
    LibraryCall call(CALLER());                                                \
    call.writes(sine);                                                         \
    call.writes(cosine);                                                       \
    NEXT(name)(angle, sine, cosine);                                           \
  }
BOTH_OF_ANGLE(double, sincos)
BOTH_OF_ANGLE(float, sincosf)
BOTH_OF_ANGLE(long double, sincosl)

// ---- addresses and messages --------------------------------------------------------------------

JOSTLE_NAMED_HOOK(int, inet_pton, (int family, const char* text, void* to)) {
  LibraryCall call(CALLER());
  call.reads_string(text);
  const int result = NEXT(inet_pton)(family, text, to);
  if (result == 1) call.has_written(to, family == AF_INET6 ? sizeof(in6_addr) : sizeof(in_addr));
  return result;
}
JOSTLE_NAMED_HOOK(const char*, inet_ntop,
                  (int family, const void* from, char* to, socklen_t room)) {
  LibraryCall call(CALLER());
  call.reads(from, family == AF_INET6 ? sizeof(in6_addr) : sizeof(in_addr));
  const char* const result = NEXT(inet_ntop)(family, from, to, room);
  if (result) call.has_written(to, strlen(to) + 1);
  return result;
}
JOSTLE_NAMED_HOOK(int, inet_aton, (const char* text, in_addr* to)) {
  LibraryCall call(CALLER());
  call.reads_string(text);
  const int result = NEXT(inet_aton)(text, to);
  if (result) call.has_written(to, sizeof *to);
  return result;
}
// GNU's returns a text of its own for the errors it knows.
JOSTLE_NAMED_HOOK(char*, strerror_r, (int error, char* to, size_t room)) {
  char* const result = NEXT(strerror_r)(error, to, room);
  if (result == to && room > 0) LibraryCall(CALLER()).has_written(to, strlen(to) + 1);
  return result;
}
JOSTLE_NAMED_HOOK(int, __xpg_strerror_r, (int error, char* to, size_t room)) {
  const int result = NEXT(__xpg_strerror_r)(error, to, room);
  if (room > 0) LibraryCall(CALLER()).has_written(to, strnlen(to, room - 1) + 1);
  return result;
}
JOSTLE_NAMED_HOOK(int, gethostname, (char* to, size_t room)) {
  const int result = NEXT(gethostname)(to, room);
  if (result == 0) LibraryCall(CALLER()).has_written(to, strnlen(to, room - 1) + 1);
  return result;
}
