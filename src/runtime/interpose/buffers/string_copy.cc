// SPDX-License-Identifier: Apache-2.0
// Copies of strings that compilers do not call by themselves (strings.cc), and those that look at
// the room there is, which -D_FORTIFY_SOURCE makes of all.
#include <string.h>
#include <unistd.h>

#include "src/runtime/interpose/buffers/library_call.h"

using namespace jostle::rt;

namespace {

void copies_string(void* to, const char* from, uintptr_t pc) {
  LibraryCall call(pc);
  call.reads_string(from);
  call.writes(to, LibraryCall::string_size(from, SIZE_MAX));
}

void copies(void* to, const void* from, size_t n, uintptr_t pc) {
  LibraryCall call(pc);
  call.reads(from, n);
  call.writes(to, n);
}

void copies_padded(char* to, const char* from, size_t n, uintptr_t pc) {
  LibraryCall call(pc);
  call.reads_string(from, n);
  call.writes(to, n);
}

}  // namespace

JOSTLE_NAMED_HOOK(char*, stpncpy, (char* to, const char* from, size_t n)) {
  copies_padded(to, from, n, CALLER());
  return NEXT(stpncpy)(to, from, n);
}
JOSTLE_NAMED_HOOK(void*, memccpy, (void* to, const void* from, int end, size_t n)) {
  LibraryCall call(CALLER());
  const auto size = [&] {
    const auto* bytes = static_cast<const unsigned char*>(from);
    size_t i = 0;
    while (i < n && bytes[i] != static_cast<unsigned char>(end)) ++i;
    return i < n ? i + 1 : n;
  };
  if (call.seen()) {
    call.reads_as_far(from, size);
    call.writes(to, size());
  }
  return NEXT(memccpy)(to, from, end, n);
}
JOSTLE_NAMED_HOOK(void, swab, (const void* from, void* to, ssize_t n)) {
  if (n > 1) copies(to, from, static_cast<size_t>(n) & ~size_t{1}, CALLER());
  NEXT(swab)(from, to, n);
}
JOSTLE_NAMED_HOOK(void, bcopy, (const void* from, void* to, size_t n)) {
  copies(to, from, n, CALLER());
  NEXT(bcopy)(from, to, n);
}
JOSTLE_NAMED_HOOK(void, bzero, (void* to, size_t n)) {
  LibraryCall(CALLER()).writes(to, n);
  NEXT(bzero)(to, n);
}
JOSTLE_NAMED_HOOK(void, explicit_bzero, (void* to, size_t n)) {
  LibraryCall(CALLER()).writes(to, n);
  NEXT(explicit_bzero)(to, n);
}
JOSTLE_NAMED_HOOK(size_t, strxfrm, (char* to, const char* from, size_t room)) {
  LibraryCall call(CALLER());
  if (call.seen()) {
    call.reads_string(from);
    const size_t length = NEXT(strxfrm)(nullptr, from, 0);
    if (length < room) call.writes(to, length + 1);
  }
  return NEXT(strxfrm)(to, from, room);
}

// ---- with the room there is: too little ends the process ---------------------------------------

JOSTLE_NAMED_HOOK(char*, __strcpy_chk, (char* to, const char* from, size_t room)) {
  copies_string(to, from, CALLER());
  return NEXT(__strcpy_chk)(to, from, room);
}
JOSTLE_NAMED_HOOK(char*, __stpcpy_chk, (char* to, const char* from, size_t room)) {
  copies_string(to, from, CALLER());
  return NEXT(__stpcpy_chk)(to, from, room);
}
JOSTLE_NAMED_HOOK(char*, __strncpy_chk, (char* to, const char* from, size_t n, size_t room)) {
  copies_padded(to, from, n, CALLER());
  return NEXT(__strncpy_chk)(to, from, n, room);
}
JOSTLE_NAMED_HOOK(char*, __stpncpy_chk, (char* to, const char* from, size_t n, size_t room)) {
  copies_padded(to, from, n, CALLER());
  return NEXT(__stpncpy_chk)(to, from, n, room);
}
JOSTLE_NAMED_HOOK(char*, __strcat_chk, (char* to, const char* from, size_t room)) {
  LibraryCall(CALLER()).appends(to, from, SIZE_MAX);
  return NEXT(__strcat_chk)(to, from, room);
}
JOSTLE_NAMED_HOOK(char*, __strncat_chk, (char* to, const char* from, size_t n, size_t room)) {
  LibraryCall(CALLER()).appends(to, from, n);
  return NEXT(__strncat_chk)(to, from, n, room);
}
JOSTLE_NAMED_HOOK(void*, __mempcpy_chk, (void* to, const void* from, size_t n, size_t room)) {
  copies(to, from, n, CALLER());
  return NEXT(__mempcpy_chk)(to, from, n, room);
}
JOSTLE_NAMED_HOOK(void, __explicit_bzero_chk, (void* to, size_t n, size_t room)) {
  LibraryCall(CALLER()).writes(to, n);
  NEXT(__explicit_bzero_chk)(to, n, room);
}
