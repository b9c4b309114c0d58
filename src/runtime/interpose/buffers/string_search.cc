// SPDX-License-Identifier: Apache-2.0
// Functions that look for something in a string (strings.cc has those that compilers call).
#include <string.h>

#include "src/runtime/hook/alias.h"
#include "src/runtime/interpose/buffers/library_call.h"

using namespace jostle::rt;

namespace {

// Up to what is found at `at`, which has `found` bytes; else all of the string.
size_t searched(const char* text, const char* at, size_t found) {
  return at ? static_cast<size_t>(at - text) + found : LibraryCall::string_size(text, SIZE_MAX);
}

}  // namespace

// How many bytes at the beginning are (not) of a set; the one after them is looked at, too.
#define SPAN(name)                                                       \
  JOSTLE_NAMED_HOOK(size_t, name, (const char* text, const char* set)) { \
    LibraryCall call(CALLER());                                          \
    call.reads_string(set);                                              \
    call.reads_as_far(text, [&] { return NEXT(name)(text, set) + 1; });  \
    return NEXT(name)(text, set);                                        \
  }
SPAN(strspn)
SPAN(strcspn)

JOSTLE_NAMED_HOOK(char*, strpbrk, (const char* text, const char* set)) {
  LibraryCall call(CALLER());
  call.reads_string(set);
  call.reads_as_far(text, [&] { return searched(text, NEXT(strpbrk)(text, set), 1); });
  return NEXT(strpbrk)(text, set);
}
JOSTLE_NAMED_HOOK(char*, strchrnul, (const char* text, int byte)) {
  LibraryCall(CALLER()).reads_as_far(
      text, [&] { return searched(text, NEXT(strchrnul)(text, byte), 1); });
  return NEXT(strchrnul)(text, byte);
}
JOSTLE_NAMED_HOOK(char*, strcasestr, (const char* text, const char* what)) {
  LibraryCall call(CALLER());
  call.reads_string(what);
  call.reads_as_far(text, [&] {
    return searched(text, NEXT(strcasestr)(text, what),
                    LibraryCall::string_size(what, SIZE_MAX) - 1);
  });
  return NEXT(strcasestr)(text, what);
}

JOSTLE_NAMED_HOOK(void*, rawmemchr, (const void* begin, int byte)) {
  LibraryCall(CALLER()).reads_as_far(begin, [&] {
    const auto* found = static_cast<const char*>(NEXT(rawmemchr)(begin, byte));
    return searched(static_cast<const char*>(begin), found, 1);
  });
  return NEXT(rawmemchr)(begin, byte);
}
JOSTLE_NAMED_HOOK(void*, memrchr, (const void* begin, int byte, size_t size)) {
  LibraryCall(CALLER()).reads(begin, size);
  return NEXT(memrchr)(begin, byte, size);
}
JOSTLE_NAMED_HOOK(void*, memmem, (const void* begin, size_t size, const void* what, size_t n)) {
  LibraryCall call(CALLER());
  call.reads(what, n);
  call.reads_as_far(begin, [&] {
    const void* found = NEXT(memmem)(begin, size, what, n);
    return found ? static_cast<size_t>(static_cast<const char*>(found) -
                                       static_cast<const char*>(begin)) +
                       n
                 : size;
  });
  return NEXT(memmem)(begin, size, what, n);
}

// ---- tokens: what is found is cut off in place -------------------------------------------------

namespace {

// The byte that ends a token becomes the end of a string.
void cuts_at(LibraryCall& call, char* end) {
  if (*end) call.writes(end, 1);
}

}  // namespace

JOSTLE_NAMED_HOOK(char*, strtok_r, (char* text, const char* set, char** state)) {
  LibraryCall call(CALLER());
  if (call.seen()) {
    call.reads_string(set);
    if (!text) call.reads(state, sizeof *state);
    char* const begin = text ? text : *state;
    const auto token = [&] { return begin + NEXT(strspn)(begin, set); };
    if (begin) {
      call.reads_as_far(begin, [&] {
        return static_cast<size_t>(token() - begin) + NEXT(strcspn)(token(), set) + 1;
      });
      cuts_at(call, token() + NEXT(strcspn)(token(), set));
    }
    call.writes(state);
  }
  return NEXT(strtok_r)(text, set, state);
}
JOSTLE_ALIAS(__strtok_r, strtok_r);

JOSTLE_NAMED_HOOK(char*, strsep, (char** text, const char* set)) {
  LibraryCall call(CALLER());
  if (call.seen()) {
    call.reads_string(set);
    call.reads(text, sizeof *text);
    if (char* const begin = *text) {
      call.reads_as_far(begin, [&] { return NEXT(strcspn)(begin, set) + 1; });
      cuts_at(call, begin + NEXT(strcspn)(begin, set));
    }
    call.writes(text);
  }
  return NEXT(strsep)(text, set);
}
