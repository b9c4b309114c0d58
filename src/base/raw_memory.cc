// SPDX-License-Identifier: Apache-2.0
#include "src/base/raw_memory.h"

#include <cstdint>

// Compiled without loop-idiom recognition: these loops must not become calls of themselves.

namespace {
struct __attribute__((packed, may_alias)) Word {
  uint64_t value;
};
using Vector = uint64_t __attribute__((vector_size(16)));
struct __attribute__((packed, may_alias)) Line {
  Vector a, b, c, d;
};

#if defined(__aarch64__)
// Where the processor can clear a line without fetching it, that takes half the time.
inline bool clears_lines() {
  uint64_t id;
  __asm__("mrs %0, dczid_el0" : "=r"(id));
  return (id & 31) == 4;  // allowed, and in lines of 64 bytes
}
inline void clear_line(unsigned char* at) { __asm__ volatile("dc zva, %0" ::"r"(at) : "memory"); }
#else
inline bool clears_lines() { return false; }
inline void clear_line(unsigned char*) {}
#endif

#if defined(__x86_64__)
// With AVX2 half a line is written at once. It takes a call: for what is put back after a run, a
// page or a large part of one, which is most of what is copied and cleared at all.
constexpr size_t kWide = 256;
using Half = uint64_t __attribute__((vector_size(32)));
struct __attribute__((packed, may_alias)) WideLine {
  Half a, b;
};
bool g_has_wide = false;
__attribute__((constructor)) void look_for_wide() {
  __builtin_cpu_init();
  g_has_wide = __builtin_cpu_supports("avx2");
}
inline bool has_wide() { return g_has_wide; }

// Whole lines; the rest is the caller's.
__attribute__((target("avx2"), noinline)) void copy_wide(unsigned char* to,
                                                         const unsigned char* from, size_t n) {
  for (; n >= 64; n -= 64, to += 64, from += 64) {
    const Half a = reinterpret_cast<const WideLine*>(from)->a;
    const Half b = reinterpret_cast<const WideLine*>(from)->b;
    *reinterpret_cast<WideLine*>(to) = {a, b};
  }
}
__attribute__((target("avx2"), noinline)) void set_wide(unsigned char* to, uint64_t pattern,
                                                        size_t n) {
  const Half half = {pattern, pattern, pattern, pattern};
  for (; n >= 64; n -= 64, to += 64) *reinterpret_cast<WideLine*>(to) = {half, half};
}
#else
constexpr size_t kWide = SIZE_MAX;
inline bool has_wide() { return false; }
inline void copy_wide(unsigned char*, const unsigned char*, size_t) {}
inline void set_wide(unsigned char*, uint64_t, size_t) {}
#endif
}  // namespace

extern "C" {

void* jostle_raw_memcpy(void* to, const void* from, size_t n) {
  auto* t = static_cast<unsigned char*>(to);
  auto* f = static_cast<const unsigned char*>(from);
  if (n >= kWide && has_wide()) {
    const size_t lines = n & ~size_t{63};
    copy_wide(t, f, lines);
    t += lines;
    f += lines;
    n -= lines;
  }
  for (; n >= 64; n -= 64, t += 64, f += 64) {
    *reinterpret_cast<Line*>(t) = *reinterpret_cast<const Line*>(f);
  }
  for (; n >= 8; n -= 8, t += 8, f += 8) {
    reinterpret_cast<Word*>(t)->value = reinterpret_cast<const Word*>(f)->value;
  }
  for (; n; --n) *t++ = *f++;
  return to;
}

void* jostle_raw_memmove(void* to, const void* from, size_t n) {
  auto* t = static_cast<unsigned char*>(to);
  auto* f = static_cast<const unsigned char*>(from);
  if (t <= f || t >= f + n) return jostle_raw_memcpy(to, from, n);
  while (n--) t[n] = f[n];
  return to;
}

void* jostle_raw_memset(void* to, int value, size_t n) {
  auto* t = static_cast<unsigned char*>(to);
  const uint64_t pattern = 0x0101010101010101 * static_cast<unsigned char>(value);
  const Vector wide = {pattern, pattern};
  if (n >= 256 && pattern == 0 && clears_lines()) {
    *reinterpret_cast<Line*>(t) = {wide, wide, wide, wide};
    const size_t to_line = 64 - (reinterpret_cast<uintptr_t>(t) & 63);
    t += to_line;
    n -= to_line;
    for (; n >= 64; n -= 64, t += 64) clear_line(t);
  }
  if (n >= kWide && has_wide()) {
    const size_t lines = n & ~size_t{63};
    set_wide(t, pattern, lines);
    t += lines;
    n -= lines;
  }
  for (; n >= 64; n -= 64, t += 64) *reinterpret_cast<Line*>(t) = {wide, wide, wide, wide};
  for (; n >= 8; n -= 8, t += 8) reinterpret_cast<Word*>(t)->value = pattern;
  for (; n; --n) *t++ = static_cast<unsigned char>(value);
  return to;
}

int jostle_raw_memcmp(const void* a, const void* b, size_t n) {
  auto* p = static_cast<const unsigned char*>(a);
  auto* q = static_cast<const unsigned char*>(b);
  for (; n >= 64; n -= 64, p += 64, q += 64) {
    const Line x = *reinterpret_cast<const Line*>(p), y = *reinterpret_cast<const Line*>(q);
    const Vector difference = (x.a ^ y.a) | (x.b ^ y.b) | (x.c ^ y.c) | (x.d ^ y.d);
    if (difference[0] | difference[1]) break;
  }
  while (n >= 8 &&
         reinterpret_cast<const Word*>(p)->value == reinterpret_cast<const Word*>(q)->value) {
    n -= 8;
    p += 8;
    q += 8;
  }
  for (; n; --n, ++p, ++q) {
    if (*p != *q) return *p - *q;
  }
  return 0;
}

size_t jostle_raw_strlen(const char* s) {
  size_t n = 0;
  while (s[n]) ++n;
  return n;
}

int jostle_raw_strcmp(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return static_cast<unsigned char>(*a) - static_cast<unsigned char>(*b);
}

int jostle_raw_strncmp(const char* a, const char* b, size_t n) {
  for (; n; --n, ++a, ++b) {
    if (*a != *b || !*a) return static_cast<unsigned char>(*a) - static_cast<unsigned char>(*b);
  }
  return 0;
}

char* jostle_raw_strchr(const char* s, int c) {
  for (;; ++s) {
    if (*s == static_cast<char>(c)) return const_cast<char*>(s);
    if (!*s) return nullptr;
  }
}

char* jostle_raw_strrchr(const char* s, int c) {
  const char* found = nullptr;
  for (;; ++s) {
    if (*s == static_cast<char>(c)) found = s;
    if (!*s) return const_cast<char*>(found);
  }
}

char* jostle_raw_strncpy(char* to, const char* from, size_t n) {
  size_t i = 0;
  for (; i < n && from[i]; ++i) to[i] = from[i];
  for (; i < n; ++i) to[i] = 0;
  return to;
}

char* jostle_raw_strstr(const char* s, const char* what) {
  const size_t n = jostle_raw_strlen(what);
  for (; *s; ++s) {
    if (jostle_raw_strncmp(s, what, n) == 0) return const_cast<char*>(s);
  }
  return n ? nullptr : const_cast<char*>(s);
}

}  // extern "C"
