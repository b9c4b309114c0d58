// SPDX-License-Identifier: Apache-2.0
// Strings of wide characters, and conversions from and to them.
#include <stdlib.h>
#include <wchar.h>

#include "src/runtime/interpose/buffers/library_call.h"

using namespace jostle::rt;

namespace {

size_t length(const wchar_t* text) { return LibraryCall::string_size(text, SIZE_MAX) - 1; }

void copies(wchar_t* to, const wchar_t* from, size_t n, uintptr_t pc) {
  LibraryCall call(pc);
  call.reads(from, n * sizeof *from);
  call.writes(to, n * sizeof *to);
}

void copies_string(wchar_t* to, const wchar_t* from, uintptr_t pc) {
  LibraryCall call(pc);
  if (!call.seen()) return;
  call.reads_string(from);
  call.writes(to, (length(from) + 1) * sizeof *to);
}

template <bool kString>
void compares(const wchar_t* a, const wchar_t* b, size_t most, uintptr_t pc) {
  LibraryCall(pc).reads_both_as_far(a, b, [&] {
    size_t n = 0;
    while (n < most && a[n] == b[n] && !(kString && !a[n])) ++n;
    return (n < most ? n + 1 : most) * sizeof *a;
  });
}

// Up to what is found at `at`, which has `found` characters; else all of the string.
size_t searched(const wchar_t* text, const wchar_t* at, size_t found) {
  return (at ? static_cast<size_t>(at - text) + found : length(text) + 1) * sizeof *text;
}

}  // namespace

JOSTLE_NAMED_HOOK(size_t, wcslen, (const wchar_t* text)) {
  LibraryCall(CALLER()).reads_string(text);
  return NEXT(wcslen)(text);
}
JOSTLE_NAMED_HOOK(size_t, wcsnlen, (const wchar_t* text, size_t most)) {
  LibraryCall(CALLER()).reads_string(text, most);
  return NEXT(wcsnlen)(text, most);
}
JOSTLE_NAMED_HOOK(wchar_t*, wcsdup, (const wchar_t* text)) {
  LibraryCall(CALLER()).reads_string(text);
  return NEXT(wcsdup)(text);
}

JOSTLE_NAMED_HOOK(wchar_t*, wmemcpy, (wchar_t * to, const wchar_t* from, size_t n)) {
  copies(to, from, n, CALLER());
  return NEXT(wmemcpy)(to, from, n);
}
JOSTLE_NAMED_HOOK(wchar_t*, wmempcpy, (wchar_t * to, const wchar_t* from, size_t n)) {
  copies(to, from, n, CALLER());
  return NEXT(wmempcpy)(to, from, n);
}
JOSTLE_NAMED_HOOK(wchar_t*, wmemmove, (wchar_t * to, const wchar_t* from, size_t n)) {
  copies(to, from, n, CALLER());
  return NEXT(wmemmove)(to, from, n);
}
JOSTLE_NAMED_HOOK(wchar_t*, wmemset, (wchar_t * to, wchar_t value, size_t n)) {
  LibraryCall(CALLER()).writes(to, n * sizeof *to);
  return NEXT(wmemset)(to, value, n);
}
JOSTLE_NAMED_HOOK(wchar_t*, wcscpy, (wchar_t * to, const wchar_t* from)) {
  copies_string(to, from, CALLER());
  return NEXT(wcscpy)(to, from);
}
JOSTLE_NAMED_HOOK(wchar_t*, wcpcpy, (wchar_t * to, const wchar_t* from)) {
  copies_string(to, from, CALLER());
  return NEXT(wcpcpy)(to, from);
}
JOSTLE_NAMED_HOOK(wchar_t*, wcsncpy, (wchar_t * to, const wchar_t* from, size_t n)) {
  LibraryCall call(CALLER());
  call.reads_string(from, n);
  call.writes(to, n * sizeof *to);
  return NEXT(wcsncpy)(to, from, n);
}
JOSTLE_NAMED_HOOK(wchar_t*, wcscat, (wchar_t * to, const wchar_t* from)) {
  LibraryCall(CALLER()).appends(to, from, SIZE_MAX);
  return NEXT(wcscat)(to, from);
}
JOSTLE_NAMED_HOOK(wchar_t*, wcsncat, (wchar_t * to, const wchar_t* from, size_t n)) {
  LibraryCall(CALLER()).appends(to, from, n);
  return NEXT(wcsncat)(to, from, n);
}

JOSTLE_NAMED_HOOK(int, wmemcmp, (const wchar_t* a, const wchar_t* b, size_t n)) {
  compares<false>(a, b, n, CALLER());
  return NEXT(wmemcmp)(a, b, n);
}
JOSTLE_NAMED_HOOK(int, wcscmp, (const wchar_t* a, const wchar_t* b)) {
  compares<true>(a, b, SIZE_MAX, CALLER());
  return NEXT(wcscmp)(a, b);
}
JOSTLE_NAMED_HOOK(int, wcsncmp, (const wchar_t* a, const wchar_t* b, size_t n)) {
  compares<true>(a, b, n, CALLER());
  return NEXT(wcsncmp)(a, b, n);
}

JOSTLE_NAMED_HOOK(wchar_t*, wcschr, (const wchar_t* text, wchar_t wanted)) {
  LibraryCall(CALLER()).reads_as_far(text,
                                     [&] { return searched(text, NEXT(wcschr)(text, wanted), 1); });
  return NEXT(wcschr)(text, wanted);
}
JOSTLE_NAMED_HOOK(wchar_t*, wcsrchr, (const wchar_t* text, wchar_t wanted)) {
  LibraryCall(CALLER()).reads_string(text);
  return NEXT(wcsrchr)(text, wanted);
}
JOSTLE_NAMED_HOOK(wchar_t*, wcsstr, (const wchar_t* text, const wchar_t* what)) {
  LibraryCall call(CALLER());
  call.reads_string(what);
  call.reads_as_far(text, [&] { return searched(text, NEXT(wcsstr)(text, what), length(what)); });
  return NEXT(wcsstr)(text, what);
}

JOSTLE_NAMED_HOOK(size_t, mbstowcs, (wchar_t * to, const char* from, size_t room)) {
  LibraryCall call(CALLER());
  call.reads_string(from);
  if (call.seen() && to) {
    const size_t n = NEXT(mbstowcs)(nullptr, from, 0);
    if (n != SIZE_MAX) call.writes(to, (n < room ? n + 1 : room) * sizeof *to);
  }
  return NEXT(mbstowcs)(to, from, room);
}
JOSTLE_NAMED_HOOK(size_t, wcstombs, (char* to, const wchar_t* from, size_t room)) {
  LibraryCall call(CALLER());
  call.reads_string(from);
  if (call.seen() && to) {
    const size_t n = NEXT(wcstombs)(nullptr, from, 0);
    if (n != SIZE_MAX) call.writes(to, n < room ? n + 1 : room);
  }
  return NEXT(wcstombs)(to, from, room);
}
