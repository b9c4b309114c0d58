// SPDX-License-Identifier: Apache-2.0
// memcpy, memset, strlen and their family as accesses of a range: they are how data moves in code
// that the compiler did not instrument (libstdc++) and where the compiler calls libc.
//
// They run before the library is initialised and from any context: each finds its libc counterpart
// by itself and falls back to a plain loop while the dynamic linker is still at work.
#include <string.h>
#include <wchar.h>

#include "src/base/raw_memory.h"
#include "src/runtime/coverage/edges.h"
#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/buffers/library_call.h"
#include "src/runtime/memory/access.h"
#include "src/runtime/modules/modules.h"

using namespace jostle;
using namespace jostle::rt;

namespace {

// Of the functions below those that copy and fill are called most, and take a shorter way than a
// LibraryCall (also from the engine: base/raw_memory.h has its calls come elsewhere).
inline void reads(const void* p, size_t n, uintptr_t pc) {
  if (controlled() && n && !is_unwinder(pc)) library_access<false>(p, n, pc);
}
inline void writes(const void* p, size_t n, uintptr_t pc) {
  if (controlled() && n && !is_unwinder(pc)) library_access<true>(p, n, pc);
}

// libc's versions are fast ones chosen at load time; before they are found a loop must do.
using Copy = void* (*)(void*, const void*, size_t);
using Fill = void* (*)(void*, int, size_t);
Copy g_memcpy = jostle_raw_memcpy;
Copy g_memmove = jostle_raw_memmove;
Fill g_memset = jostle_raw_memset;

// Others may run before the copy is written: what it holds is what was there before they did. More
// than this is read when it is written, in one go.
constexpr size_t kMostReadBefore = 512;

__attribute__((noinline)) void copy_after(Asks what, void* to, const void* from, size_t n,
                                          uintptr_t pc) {
  char read[kMostReadBefore];
  g_memcpy(read, from, n);
  answer(what, OpKind::write, reinterpret_cast<uintptr_t>(to), static_cast<uint32_t>(n),
         place_in_program(pc));
  g_memcpy(to, read, n);
}

// What comes after the reading.
inline void store(void* to, const void* from, size_t n, uintptr_t pc, Copy how) {
  if (controlled() && n && !is_unwinder(pc)) {
    const auto size = static_cast<uint32_t>(n);
    const Asks what = asks<true, false>(reinterpret_cast<uintptr_t>(to), size);
    if (what != Asks::nothing && n <= kMostReadBefore) return copy_after(what, to, from, n, pc);
    if (what != Asks::nothing) {
      answer(what, OpKind::write, reinterpret_cast<uintptr_t>(to), size, place_in_program(pc));
    }
  }
  how(to, from, n);
}

inline void copy(void* to, const void* from, size_t n, uintptr_t pc, Copy how) {
  reads(from, n, pc);
  store(to, from, n, pc, how);
}

// How many bytes of both a comparison looks at: up to the first that differ, or the end of a
// string.
template <bool kString>
size_t compared_size(const void* a, const void* b, size_t most) {
  const auto* p = static_cast<const char*>(a);
  const auto* q = static_cast<const char*>(b);
  size_t n = 0;
  while (n < most && p[n] == q[n] && !(kString && !p[n])) ++n;
  return n < most ? n + 1 : most;
}

template <bool kString>
void compares(const void* a, const void* b, size_t most, uintptr_t pc) {
  if (g_edges) note_compared(a, b, most, kString, pc);
  LibraryCall(pc).reads_both_as_far(a, b, [&] { return compared_size<kString>(a, b, most); });
}

// Up to what it finds, which has `found` bytes; else all of the string.
size_t searched_size(const char* text, const char* at, size_t found) {
  return at ? static_cast<size_t>(at - text) + found : jostle_raw_strlen(text) + 1;
}

}  // namespace

namespace jostle::rt {
void init_strings() {
  g_memcpy = reinterpret_cast<Copy>(next_definition("memcpy"));
  g_memmove = reinterpret_cast<Copy>(next_definition("memmove"));
  g_memset = reinterpret_cast<Fill>(next_definition("memset"));
}
}  // namespace jostle::rt

JOSTLE_HOOK void* memcpy(void* to, const void* from, size_t n) noexcept {
  copy(to, from, n, CALLER(), g_memcpy);
  return to;
}
JOSTLE_HOOK void* __memcpy_chk(void* to, const void* from, size_t n, size_t room) {
  if (n > room) __builtin_trap();
  copy(to, from, n, CALLER(), g_memcpy);
  return to;
}
JOSTLE_HOOK void* mempcpy(void* to, const void* from, size_t n) noexcept {
  copy(to, from, n, CALLER(), g_memcpy);
  return static_cast<char*>(to) + n;
}
JOSTLE_HOOK void* memmove(void* to, const void* from, size_t n) noexcept {
  copy(to, from, n, CALLER(), g_memmove);
  return to;
}
JOSTLE_HOOK void* __memmove_chk(void* to, const void* from, size_t n, size_t room) {
  if (n > room) __builtin_trap();
  copy(to, from, n, CALLER(), g_memmove);
  return to;
}
JOSTLE_HOOK void* memset(void* to, int value, size_t n) noexcept {
  writes(to, n, CALLER());
  return g_memset(to, value, n);
}
JOSTLE_HOOK void* __memset_chk(void* to, int value, size_t n, size_t room) {
  if (n > room) __builtin_trap();
  writes(to, n, CALLER());
  return g_memset(to, value, n);
}
// clang calls these names in instrumented code.
JOSTLE_HOOK void* __tsan_memcpy(void* to, const void* from, size_t n) {
  copy(to, from, n, CALLER(), g_memcpy);
  return to;
}
JOSTLE_HOOK void* __tsan_memmove(void* to, const void* from, size_t n) {
  copy(to, from, n, CALLER(), g_memmove);
  return to;
}
JOSTLE_HOOK void* __tsan_memset(void* to, int value, size_t n) {
  writes(to, n, CALLER());
  return g_memset(to, value, n);
}

JOSTLE_HOOK int memcmp(const void* a, const void* b, size_t n) noexcept {
  compares<false>(a, b, n, CALLER());
  return jostle_raw_memcmp(a, b, n);
}
JOSTLE_HOOK int bcmp(const void* a, const void* b, size_t n) noexcept {
  compares<false>(a, b, n, CALLER());
  return jostle_raw_memcmp(a, b, n);
}
JOSTLE_HOOK int strcmp(const char* a, const char* b) noexcept {
  compares<true>(a, b, SIZE_MAX, CALLER());
  return jostle_raw_strcmp(a, b);
}
JOSTLE_HOOK int strncmp(const char* a, const char* b, size_t n) noexcept {
  compares<true>(a, b, n, CALLER());
  return jostle_raw_strncmp(a, b, n);
}

JOSTLE_HOOK size_t strlen(const char* s) noexcept {
  if (g_current) LibraryCall(CALLER()).reads_string(s);
  return jostle_raw_strlen(s);
}
JOSTLE_HOOK size_t strnlen(const char* s, size_t limit) noexcept {
  LibraryCall(CALLER()).reads_string(s, limit);
  const size_t n = LibraryCall::string_size(s, limit);
  return n && !s[n - 1] ? n - 1 : n;
}

JOSTLE_HOOK char* strcpy(char* to, const char* from) noexcept {
  reads(from, jostle_raw_strlen(from) + 1, CALLER());
  store(to, from, jostle_raw_strlen(from) + 1, CALLER(), g_memcpy);
  return to;
}
JOSTLE_HOOK char* stpcpy(char* to, const char* from) noexcept {
  reads(from, jostle_raw_strlen(from) + 1, CALLER());
  const size_t n = jostle_raw_strlen(from);
  store(to, from, n + 1, CALLER(), g_memcpy);
  return to + n;
}
JOSTLE_HOOK char* strncpy(char* to, const char* from, size_t n) noexcept {
  LibraryCall call(CALLER());
  call.reads_string(from, n);
  call.writes(to, n);
  return jostle_raw_strncpy(to, from, n);
}
JOSTLE_HOOK char* strcat(char* to, const char* from) noexcept {
  LibraryCall(CALLER()).reads_string(to);
  reads(from, jostle_raw_strlen(from) + 1, CALLER());
  store(to + jostle_raw_strlen(to), from, jostle_raw_strlen(from) + 1, CALLER(), g_memcpy);
  return to;
}
JOSTLE_HOOK char* strncat(char* to, const char* from, size_t most) noexcept {
  LibraryCall call(CALLER());
  call.reads_string(to);
  call.reads_string(from, most);
  size_t n = 0;
  while (n < most && from[n]) ++n;
  char* end = to + jostle_raw_strlen(to);
  call.writes(end, n + 1);
  g_memcpy(end, from, n);
  end[n] = 0;
  return to;
}
JOSTLE_HOOK char* strdup(const char* s) noexcept {
  LibraryCall(CALLER()).reads_string(s);
  return REAL(strdup)(s);
}
JOSTLE_HOOK char* strndup(const char* s, size_t n) noexcept {
  LibraryCall(CALLER()).reads_string(s, n);
  return REAL(strndup)(s, n);
}

// Only up to the match is read: the caller may pass a limit beyond the object.
JOSTLE_NAMED_HOOK(void*, memchr, (const void* p, int c, size_t n)) {
  auto* bytes = static_cast<const unsigned char*>(p);
  const auto wanted = static_cast<unsigned char>(c);
  const auto size = [&] {
    size_t i = 0;
    while (i < n && bytes[i] != wanted) ++i;
    return i < n ? i + 1 : n;
  };
  LibraryCall(CALLER()).reads_as_far(p, size);
  const size_t looked_at = size();
  if (looked_at == 0 || bytes[looked_at - 1] != wanted) return nullptr;
  return const_cast<unsigned char*>(bytes + looked_at - 1);
}
JOSTLE_NAMED_HOOK(char*, strchr, (const char* s, int c)) {
  LibraryCall(CALLER()).reads_as_far(s,
                                     [&] { return searched_size(s, jostle_raw_strchr(s, c), 1); });
  return jostle_raw_strchr(s, c);
}
JOSTLE_NAMED_HOOK(char*, strrchr, (const char* s, int c)) {
  LibraryCall(CALLER()).reads_string(s);
  return jostle_raw_strrchr(s, c);
}
JOSTLE_NAMED_HOOK(char*, strstr, (const char* s, const char* what)) {
  LibraryCall call(CALLER());
  call.reads_string(what);
  call.reads_as_far(
      s, [&] { return searched_size(s, jostle_raw_strstr(s, what), jostle_raw_strlen(what)); });
  return jostle_raw_strstr(s, what);
}
JOSTLE_ALIAS(index, strchr);
JOSTLE_ALIAS(rindex, strrchr);
