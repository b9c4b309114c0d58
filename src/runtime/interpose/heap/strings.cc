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
#include "src/runtime/hook/hook.h"
#include "src/runtime/memory/access.h"
#include "src/runtime/modules/modules.h"

using namespace jostle;
using namespace jostle::rt;

namespace {

// What the unwinder copies depends on our own frames, which are not the same in a run and its
// replay.
inline void reads(const void* p, size_t n, uintptr_t pc) {
  if (controlled() && n && !is_unwinder(pc)) read_access(p, static_cast<uint32_t>(n), pc);
}
inline void writes(const void* p, size_t n, uintptr_t pc) {
  if (controlled() && n && !is_unwinder(pc)) write_access(p, static_cast<uint32_t>(n), pc);
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
  answer(what, OpKind::write, reinterpret_cast<uintptr_t>(to), static_cast<uint32_t>(n), pc);
  g_memcpy(to, read, n);
}

// What comes after the reading.
inline void store(void* to, const void* from, size_t n, uintptr_t pc, Copy how) {
  if (controlled() && n && !is_unwinder(pc)) {
    const auto size = static_cast<uint32_t>(n);
    const Asks what = asks<true, false>(reinterpret_cast<uintptr_t>(to), size);
    if (what != Asks::nothing && n <= kMostReadBefore) return copy_after(what, to, from, n, pc);
    answer(what, OpKind::write, reinterpret_cast<uintptr_t>(to), size, pc);
  }
  how(to, from, n);
}

inline void copy(void* to, const void* from, size_t n, uintptr_t pc, Copy how) {
  reads(from, n, pc);
  store(to, from, n, pc, how);
}

size_t bounded_length(const char* s, size_t limit) {
  size_t n = 0;
  while (n < limit && s[n]) ++n;
  return n;
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
  if (g_edges) note_compared(a, b, n, false, CALLER());
  reads(a, n, CALLER());
  reads(b, n, CALLER());
  return jostle_raw_memcmp(a, b, n);
}
JOSTLE_HOOK int bcmp(const void* a, const void* b, size_t n) noexcept {
  if (g_edges) note_compared(a, b, n, false, CALLER());
  reads(a, n, CALLER());
  reads(b, n, CALLER());
  return jostle_raw_memcmp(a, b, n);
}
JOSTLE_HOOK size_t strlen(const char* s) noexcept {
  const size_t n = jostle_raw_strlen(s);
  if (!g_current) return n;
  reads(s, n + 1, CALLER());
  return jostle_raw_strlen(s);  // others may have run meanwhile
}
JOSTLE_HOOK size_t strnlen(const char* s, size_t limit) noexcept {
  reads(s, bounded_length(s, limit), CALLER());
  return bounded_length(s, limit);
}
JOSTLE_HOOK int strcmp(const char* a, const char* b) noexcept {
  if (g_edges) note_compared(a, b, SIZE_MAX, true, CALLER());
  reads(a, 1, CALLER());
  reads(b, 1, CALLER());
  return jostle_raw_strcmp(a, b);
}
JOSTLE_HOOK int strncmp(const char* a, const char* b, size_t n) noexcept {
  if (g_edges) note_compared(a, b, n, true, CALLER());
  if (n) {
    reads(a, 1, CALLER());
    reads(b, 1, CALLER());
  }
  return jostle_raw_strncmp(a, b, n);
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
  reads(from, bounded_length(from, n), CALLER());
  writes(to, n, CALLER());
  return jostle_raw_strncpy(to, from, n);
}
JOSTLE_HOOK char* strcat(char* to, const char* from) noexcept {
  reads(from, jostle_raw_strlen(from) + 1, CALLER());
  store(to + jostle_raw_strlen(to), from, jostle_raw_strlen(from) + 1, CALLER(), g_memcpy);
  return to;
}
JOSTLE_HOOK char* strncat(char* to, const char* from, size_t n) noexcept {
  reads(from, bounded_length(from, n), CALLER());
  const size_t length = bounded_length(from, n);
  char* end = to + jostle_raw_strlen(to);
  writes(end, length + 1, CALLER());
  g_memcpy(end, from, length);
  end[length] = 0;
  return to;
}
JOSTLE_HOOK char* strdup(const char* s) noexcept {
  reads(s, jostle_raw_strlen(s) + 1, CALLER());
  return REAL(strdup)(s);
}
JOSTLE_HOOK char* strndup(const char* s, size_t n) noexcept {
  reads(s, bounded_length(s, n), CALLER());
  return REAL(strndup)(s, n);
}

// The searching functions exist twice in C++ (const and not): named here by their symbols.
extern "C" {
__attribute__((visibility("default"))) void* jostle_hook_memchr(const void*, int,
                                                                size_t) asm("memchr");
__attribute__((visibility("default"))) char* jostle_hook_strchr(const char*, int) asm("strchr");
__attribute__((visibility("default"))) char* jostle_hook_strrchr(const char*, int) asm("strrchr");
__attribute__((visibility("default"))) char* jostle_hook_strstr(const char*,
                                                                const char*) asm("strstr");
}

void* jostle_hook_memchr(const void* p, int c, size_t n) {
  auto* bytes = static_cast<const unsigned char*>(p);
  // Only up to the match is read: the caller may pass a limit beyond the object.
  size_t i = 0;
  while (i < n && bytes[i] != static_cast<unsigned char>(c)) ++i;
  reads(p, i < n ? i + 1 : n, CALLER());
  for (i = 0; i < n; ++i) {
    if (bytes[i] == static_cast<unsigned char>(c)) return const_cast<unsigned char*>(bytes + i);
  }
  return nullptr;
}
char* jostle_hook_strchr(const char* s, int c) {
  reads(s, 1, CALLER());
  return jostle_raw_strchr(s, c);
}
char* jostle_hook_strrchr(const char* s, int c) {
  reads(s, 1, CALLER());
  return jostle_raw_strrchr(s, c);
}
char* jostle_hook_strstr(const char* s, const char* what) {
  reads(s, 1, CALLER());
  return jostle_raw_strstr(s, what);
}
