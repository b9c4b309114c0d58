// SPDX-License-Identifier: Apache-2.0
// Comparisons by other rules than that of bytes (strings.cc).
#include <ctype.h>
#include <locale.h>
#include <string.h>

#include "src/runtime/interpose/buffers/library_call.h"

using namespace jostle::rt;

namespace {

size_t compared_size(const char* a, const char* b, size_t most) {
  const auto folded = [](char byte) { return tolower(static_cast<unsigned char>(byte)); };
  size_t n = 0;
  while (n < most && a[n] && folded(a[n]) == folded(b[n])) ++n;
  return n < most ? n + 1 : most;
}

void compares(const char* a, const char* b, size_t most, uintptr_t pc) {
  LibraryCall(pc).reads_both_as_far(a, b, [&] { return compared_size(a, b, most); });
}

void reads_both(const char* a, const char* b, uintptr_t pc) {
  LibraryCall call(pc);
  call.reads_string(a);
  call.reads_string(b);
}

}  // namespace

JOSTLE_NAMED_HOOK(int, strcasecmp, (const char* a, const char* b)) {
  compares(a, b, SIZE_MAX, CALLER());
  return NEXT(strcasecmp)(a, b);
}
JOSTLE_NAMED_HOOK(int, strncasecmp, (const char* a, const char* b, size_t n)) {
  compares(a, b, n, CALLER());
  return NEXT(strncasecmp)(a, b, n);
}
JOSTLE_NAMED_HOOK(int, strcasecmp_l, (const char* a, const char* b, locale_t locale)) {
  compares(a, b, SIZE_MAX, CALLER());
  return NEXT(strcasecmp_l)(a, b, locale);
}
JOSTLE_NAMED_HOOK(int, strncasecmp_l, (const char* a, const char* b, size_t n, locale_t locale)) {
  compares(a, b, n, CALLER());
  return NEXT(strncasecmp_l)(a, b, n, locale);
}
JOSTLE_NAMED_HOOK(int, strcoll, (const char* a, const char* b)) {
  reads_both(a, b, CALLER());
  return NEXT(strcoll)(a, b);
}
JOSTLE_NAMED_HOOK(int, strcoll_l, (const char* a, const char* b, locale_t locale)) {
  reads_both(a, b, CALLER());
  return NEXT(strcoll_l)(a, b, locale);
}
JOSTLE_NAMED_HOOK(int, strverscmp, (const char* a, const char* b)) {
  reads_both(a, b, CALLER());
  return NEXT(strverscmp)(a, b);
}
