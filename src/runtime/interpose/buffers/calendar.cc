// SPDX-License-Identifier: Apache-2.0
// Dates that a program keeps in memory of its own (static_results.cc has those in libc's).
#include <string.h>
#include <time.h>

#include "src/runtime/interpose/buffers/library_call.h"

using namespace jostle::rt;

#define PARTS_IN_MEMORY(name)                                     \
  JOSTLE_NAMED_HOOK(tm*, name, (const time_t* time, tm* parts)) { \
    LibraryCall call(CALLER());                                   \
    call.reads(time, sizeof *time);                               \
    call.writes(parts);                                           \
    return NEXT(name)(time, parts);                               \
  }
PARTS_IN_MEMORY(gmtime_r)
PARTS_IN_MEMORY(localtime_r)

// They put the parts in order, too.
#define TIME_OF_PARTS(name)                       \
  JOSTLE_NAMED_HOOK(time_t, name, (tm * parts)) { \
    LibraryCall call(CALLER());                   \
    call.reads(parts, sizeof *parts);             \
    call.writes(parts);                           \
    return NEXT(name)(parts);                     \
  }
TIME_OF_PARTS(mktime)
TIME_OF_PARTS(timegm)

JOSTLE_NAMED_HOOK(char*, asctime_r, (const tm* parts, char* to)) {
  LibraryCall call(CALLER());
  call.reads(parts, sizeof *parts);
  char* const result = NEXT(asctime_r)(parts, to);
  if (result) call.has_written(to, strlen(to) + 1);
  return result;
}
JOSTLE_NAMED_HOOK(char*, ctime_r, (const time_t* time, char* to)) {
  LibraryCall call(CALLER());
  call.reads(time, sizeof *time);
  char* const result = NEXT(ctime_r)(time, to);
  if (result) call.has_written(to, strlen(to) + 1);
  return result;
}
JOSTLE_NAMED_HOOK(size_t, strftime, (char* to, size_t room, const char* format, const tm* parts)) {
  LibraryCall call(CALLER());
  call.reads(parts, sizeof *parts);
  const size_t length = NEXT(strftime)(to, room, format, parts);
  if (length > 0) call.has_written(to, length + 1);
  return length;
}
JOSTLE_NAMED_HOOK(char*, strptime, (const char* text, const char* format, tm* parts)) {
  LibraryCall call(CALLER());
  call.reads_string(text);
  char* const end = NEXT(strptime)(text, format, parts);
  if (end) call.has_written(parts, sizeof *parts);
  return end;
}
