// SPDX-License-Identifier: Apache-2.0
// printf into memory, and scanf out of it.
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "src/runtime/interpose/buffers/format_arguments.h"

using namespace jostle::rt;

namespace {

// How much is written is known when it was made: a text of less bytes is made here and copied at
// the turn of the writing. A longer one is made twice.
constexpr size_t kShort = 512;

size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

// Arguments that are used once more.
class Again {
 public:
  explicit Again(va_list more) { va_copy(list, more); }
  ~Again() { va_end(list); }
  Again(const Again&) = delete;
  Again& operator=(const Again&) = delete;

  va_list list;
};

// `make(to, room, arguments)` is vsnprintf with the format, `real()` what the program has called.
// `has_room`: for how many bytes there is memory, if that is known; the real one complains.
template <typename Make, typename Real>
int print_text(char* to, size_t room, size_t has_room, const char* format, va_list more,
               uintptr_t pc, Make make, Real real) {
  LibraryCall call(pc);
  if (!call.seen() || (room != SIZE_MAX && room > has_room)) return real();
  before_print(call, format, more);
  char text[kShort];
  Again again(more);
  const int length = make(text, sizeof text, again.list);
  if (length < 0) return real();
  const size_t size = smaller(static_cast<size_t>(length) + 1, room);
  if (size <= has_room) call.writes(to, size);
  if (size > has_room || static_cast<size_t>(length) >= sizeof text) return real();
  if (size > 0) {
    memcpy(to, text, size - 1);
    to[size - 1] = '\0';
  }
  return length;
}

// What is read of the text that scanf scans: its first line.
size_t scanned_size(const char* text) {
  size_t n = 0;
  while (text[n] && text[n] != '\n') ++n;
  return n + 1;
}
size_t scanned_size(const wchar_t* text) {
  size_t n = 0;
  while (text[n] && text[n] != L'\n') ++n;
  return (n + 1) * sizeof *text;
}

}  // namespace

// What a variadic function comes down to: the same with a list of arguments, called by the program.
#define VARIADIC_TEXT(name, parameters, last, ...) \
  JOSTLE_NAMED_HOOK(int, name, parameters) {       \
    va_list more;                                  \
    va_start(more, last);                          \
    const int result = __VA_ARGS__;                \
    va_end(more);                                  \
    return result;                                 \
  }

// ---- printf ------------------------------------------------------------------------------------

JOSTLE_NAMED_HOOK(int, vsnprintf, (char* to, size_t room, const char* format, va_list more));
JOSTLE_NAMED_HOOK(int, vsprintf, (char* to, const char* format, va_list more));
JOSTLE_NAMED_HOOK(int, vasprintf, (char** to, const char* format, va_list more));
JOSTLE_NAMED_HOOK(int, vswprintf, (wchar_t * to, size_t room, const wchar_t* format, va_list more));
JOSTLE_NAMED_HOOK(int, __vsnprintf_chk,
                  (char* to, size_t room, int flag, size_t has_room, const char* format,
                   va_list more));
JOSTLE_NAMED_HOOK(int, __vsprintf_chk,
                  (char* to, int flag, size_t has_room, const char* format, va_list more));
JOSTLE_NAMED_HOOK(int, __vasprintf_chk, (char** to, int flag, const char* format, va_list more));
JOSTLE_NAMED_HOOK(int, __vswprintf_chk,
                  (wchar_t * to, size_t room, int flag, size_t has_room, const wchar_t* format,
                   va_list more));
JOSTLE_NAMED_HOOK(int, __isoc99_vsscanf, (const char* text, const char* format, va_list more));
JOSTLE_NAMED_HOOK(int, vsscanf, (const char* text, const char* format, va_list more));
JOSTLE_NAMED_HOOK(int, __isoc99_vswscanf,
                  (const wchar_t* text, const wchar_t* format, va_list more));

namespace {

int print_in(char* to, size_t room, const char* format, va_list more, uintptr_t pc) {
  return print_text(
      to, room, SIZE_MAX, format, more, pc,
      [&](char* at, size_t size, va_list list) { return NEXT(vsnprintf)(at, size, format, list); },
      [&] {
        return room == SIZE_MAX ? NEXT(vsprintf)(to, format, more)
                                : NEXT(vsnprintf)(to, room, format, more);
      });
}
int print_in_checked(char* to, size_t room, int flag, size_t has_room, const char* format,
                     va_list more, uintptr_t pc) {
  return print_text(
      to, room, has_room, format, more, pc,
      [&](char* at, size_t size, va_list list) {
        return NEXT(__vsnprintf_chk)(at, size, flag, size, format, list);
      },
      [&] {
        return room == SIZE_MAX ? NEXT(__vsprintf_chk)(to, flag, has_room, format, more)
                                : NEXT(__vsnprintf_chk)(to, room, flag, has_room, format, more);
      });
}

template <typename Char, typename Real>
int print_in_block(char** to, const Char* format, va_list more, uintptr_t pc, Real real) {
  LibraryCall call(pc);
  before_print(call, format, more);
  const int length = real();
  if (length >= 0) call.has_written(to, sizeof *to);
  return length;
}

template <typename Real>
int print_wide_in(wchar_t* to, size_t room, const wchar_t* format, va_list more, uintptr_t pc,
                  Real real) {
  LibraryCall call(pc);
  before_print(call, format, more);
  const int length = real();
  const size_t written = length < 0 ? room : static_cast<size_t>(length) + 1;
  call.has_written(to, smaller(written, room) * sizeof *to);
  return length;
}

template <typename Char, typename Real>
int scan_text(const Char* text, const Char* format, va_list more, uintptr_t pc, Real real) {
  LibraryCall call(pc);
  call.reads_as_far(text, [&] { return scanned_size(text); });
  Again again(more);
  const int count = real();
  after_scan(call, format, count, again.list);
  return count;
}

}  // namespace

// ---- printf ------------------------------------------------------------------------------------

JOSTLE_NAMED_HOOK(int, vsnprintf, (char* to, size_t room, const char* format, va_list more)) {
  return print_in(to, room, format, more, CALLER());
}
JOSTLE_NAMED_HOOK(int, vsprintf, (char* to, const char* format, va_list more)) {
  return print_in(to, SIZE_MAX, format, more, CALLER());
}
JOSTLE_NAMED_HOOK(int, __vsnprintf_chk,
                  (char* to, size_t room, int flag, size_t has_room, const char* format,
                   va_list more)) {
  return print_in_checked(to, room, flag, has_room, format, more, CALLER());
}
JOSTLE_NAMED_HOOK(int, __vsprintf_chk,
                  (char* to, int flag, size_t has_room, const char* format, va_list more)) {
  return print_in_checked(to, SIZE_MAX, flag, has_room, format, more, CALLER());
}
VARIADIC_TEXT(snprintf, (char* to, size_t room, const char* format, ...), format,
              print_in(to, room, format, more, CALLER()))
VARIADIC_TEXT(sprintf, (char* to, const char* format, ...), format,
              print_in(to, SIZE_MAX, format, more, CALLER()))
VARIADIC_TEXT(__snprintf_chk,
              (char* to, size_t room, int flag, size_t has_room, const char* format, ...), format,
              print_in_checked(to, room, flag, has_room, format, more, CALLER()))
VARIADIC_TEXT(__sprintf_chk, (char* to, int flag, size_t has_room, const char* format, ...), format,
              print_in_checked(to, SIZE_MAX, flag, has_room, format, more, CALLER()))

JOSTLE_NAMED_HOOK(int, vasprintf, (char** to, const char* format, va_list more)) {
  return print_in_block(to, format, more, CALLER(),
                        [&] { return NEXT(vasprintf)(to, format, more); });
}
JOSTLE_NAMED_HOOK(int, __vasprintf_chk, (char** to, int flag, const char* format, va_list more)) {
  return print_in_block(to, format, more, CALLER(),
                        [&] { return NEXT(__vasprintf_chk)(to, flag, format, more); });
}
VARIADIC_TEXT(asprintf, (char** to, const char* format, ...), format,
              print_in_block(to, format, more, CALLER(),
                             [&] { return NEXT(vasprintf)(to, format, more); }))
VARIADIC_TEXT(__asprintf_chk, (char** to, int flag, const char* format, ...), format,
              print_in_block(to, format, more, CALLER(),
                             [&] { return NEXT(__vasprintf_chk)(to, flag, format, more); }))

JOSTLE_NAMED_HOOK(int, vswprintf,
                  (wchar_t * to, size_t room, const wchar_t* format, va_list more)) {
  return print_wide_in(to, room, format, more, CALLER(),
                       [&] { return NEXT(vswprintf)(to, room, format, more); });
}
JOSTLE_NAMED_HOOK(int, __vswprintf_chk,
                  (wchar_t * to, size_t room, int flag, size_t has_room, const wchar_t* format,
                   va_list more)) {
  return print_wide_in(to, room, format, more, CALLER(), [&] {
    return NEXT(__vswprintf_chk)(to, room, flag, has_room, format, more);
  });
}
VARIADIC_TEXT(swprintf, (wchar_t * to, size_t room, const wchar_t* format, ...), format,
              print_wide_in(to, room, format, more, CALLER(),
                            [&] { return NEXT(vswprintf)(to, room, format, more); }))
VARIADIC_TEXT(__swprintf_chk,
              (wchar_t * to, size_t room, int flag, size_t has_room, const wchar_t* format, ...),
              format, print_wide_in(to, room, format, more, CALLER(), [&] {
                return NEXT(__vswprintf_chk)(to, room, flag, has_room, format, more);
              }))

// ---- scanf -------------------------------------------------------------------------------------

// What <stdio.h> calls sscanf, by the standard that the program asks for.
#define SCAN(name, listed, Char)                                                         \
  JOSTLE_NAMED_HOOK(int, listed, (const Char* text, const Char* format, va_list more)) { \
    return scan_text(text, format, more, CALLER(),                                       \
                     [&] { return NEXT(listed)(text, format, more); });                  \
  }                                                                                      \
  VARIADIC_TEXT(                                                                         \
      name, (const Char* text, const Char* format, ...), format,                         \
      scan_text(text, format, more, CALLER(), [&] { return NEXT(listed)(text, format, more); }))
SCAN(sscanf, vsscanf, char)
SCAN(__isoc99_sscanf, __isoc99_vsscanf, char)
SCAN(__isoc99_swscanf, __isoc99_vswscanf, wchar_t)
#if __GLIBC_PREREQ(2, 38)
SCAN(__isoc23_sscanf, __isoc23_vsscanf, char)
SCAN(__isoc23_swscanf, __isoc23_vswscanf, wchar_t)
#endif
