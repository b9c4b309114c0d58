// SPDX-License-Identifier: Apache-2.0
// Calls on streams of wide characters.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#include "src/base/engine_memory.h"
#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/descriptor/descriptor_wait.h"
#include "src/runtime/interpose/stream/stdio_lock.h"
#include "src/runtime/interpose/stream/stdio_output.h"

extern "C" {
int __vfwprintf_chk(FILE* stream, int flag, const wchar_t* format, va_list arguments);
int __vwprintf_chk(int flag, const wchar_t* format, va_list arguments);
int __fwprintf_chk(FILE* stream, int flag, const wchar_t* format, ...);
int __wprintf_chk(int flag, const wchar_t* format, ...);
int __isoc99_vfwscanf(FILE* stream, const wchar_t* format, va_list arguments);
int __isoc99_vwscanf(const wchar_t* format, va_list arguments);
int __isoc99_fwscanf(FILE* stream, const wchar_t* format, ...);
int __isoc99_wscanf(const wchar_t* format, ...);
}

namespace jostle::rt {
namespace {

// The beginning of libc's _IO_wide_data.
struct WideBuffer {
  const wchar_t *read, *read_end, *read_base;
  const wchar_t *write_base, *write;
};

const WideBuffer& wide_buffer(FILE* stream) {
  return *reinterpret_cast<const WideBuffer*>(stream->_wide_data);
}

bool has_wide(FILE* stream) {
  return stream->_mode > 0 && wide_buffer(stream).read < wide_buffer(stream).read_end;
}

// A part of a call that has come to its turn.
wint_t next_wide(FILE* stream, uintptr_t pc) {
  const bool is_there = has_wide(stream);
  if (!is_there) {
    image_open(stream->_IO_buf_base,
               static_cast<size_t>(stream->_IO_buf_end - stream->_IO_buf_base));
  }
  const bool is_channel = !is_there && wait_for_input(stream, pc);
  const wint_t symbol = REAL(fgetwc)(stream);
  if (is_channel) descriptors_changed();
  return symbol;
}

wint_t get_wide(FILE* stream, uintptr_t pc) {
  StreamCall call(stream, pc);
  if (!controlled()) return REAL(fgetwc)(stream);
  call.moves_in(stream, pc);
  if (!has_wide(stream) && input_may_block(stream, 1, -1)) call.hold(stream, pc);
  return next_wide(stream, pc);
}

// ---- scanf --------------------------------------------------------------------------------------

// A file with these characters, to be read; null: there is no room for one.
FILE* file_with(const RunVector<wchar_t>& symbols) {
  const int fd = REAL(memfd_create)("symbols", MFD_CLOEXEC);
  FILE* file = fd >= 0 ? REAL(fdopen)(fd, "w+") : nullptr;
  if (!file) {
    if (fd >= 0) REAL(close)(fd);
    return nullptr;
  }
  for (const wchar_t symbol : symbols) REAL(fputwc)(symbol, file);
  REAL(rewind)(file);
  return file;
}

// How much a format reads is known only when it has been read, and libc would wait for it with the
// whole process: it gets what is there already, and the same with one character more as long as it
// comes to the end of that.
int scan(FILE* from, const wchar_t* format, va_list more, uintptr_t pc) {
  StreamCall call(from, pc);
  if (controlled()) call.moves_in(from, pc);
  if (!controlled() || from->_mode < 0 || !input_may_block(from, SIZE_MAX, -1)) {
    return REAL(__isoc99_vfwscanf)(from, format, more);
  }
  call.hold(from, pc);
  RunVector<wchar_t> symbols;
  for (bool is_all = false;;) {
    FILE* file = file_with(symbols);
    if (!file) return EOF;
    va_list again;
    va_copy(again, more);
    const int result = REAL(__isoc99_vfwscanf)(file, format, again);
    const int saved = errno;
    va_end(again);
    const bool is_done = is_all || !feof(file);
    const wint_t unread = is_done ? REAL(fgetwc)(file) : WEOF;
    REAL(fclose)(file);
    if (is_done) {
      if (unread != WEOF) REAL(ungetwc)(unread, from);
      errno = saved;
      return result;
    }
    const wint_t symbol = next_wide(from, pc);
    is_all = symbol == WEOF;
    if (!is_all) symbols.push_back(static_cast<wchar_t>(symbol));
  }
}

// ---- output -------------------------------------------------------------------------------------

bool is_wide_in_pieces(FILE* to) {
  return controlled() && to->_mode >= 0 && is_written_in_pages(to);
}

// So many characters are a page at most, in any encoding.
constexpr ptrdiff_t kMostInPage = 1024;

wint_t put_wide(wchar_t symbol, FILE* to, uintptr_t pc) {
  const bool is_full =
      to->_mode > 0 && wide_buffer(to).write - wide_buffer(to).write_base >= kMostInPage;
  const bool is_written_at_once = __flbf(to) != 0 || __fbufsize(to) <= sizeof symbol;
  if (is_full || is_written_at_once) before_output(to, sizeof symbol, pc);
  if (is_full && REAL(fflush)(to) != 0) return WEOF;
  if (is_full && is_written_at_once) before_output(to, sizeof symbol, pc);
  const wint_t result = REAL(fputwc)(symbol, to);
  if (is_full || is_written_at_once) after_output(to);
  return result;
}

bool put_wide(const wchar_t* text, size_t size, FILE* to, uintptr_t pc) {
  for (size_t i = 0; i < size; ++i) {
    if (put_wide(text[i], to, pc) == WEOF) return false;
  }
  return true;
}

}  // namespace

int print_wide(FILE* to, int flag, const wchar_t* format, va_list more, uintptr_t pc) {
  const auto print_to = [&](FILE* stream) {
    return flag == kNoFlag ? REAL(vfwprintf)(stream, format, more)
                           : REAL(__vfwprintf_chk)(stream, flag, format, more);
  };
  if (!is_wide_in_pieces(to)) {
    const Output output(to, 0, pc);  // not to be written in pages
    return print_to(to);
  }
  StreamCall call(to, pc);
  call.hold(to, pc);
  wchar_t* text = nullptr;
  size_t size = 0;
  FILE* memory = REAL(open_wmemstream)(&text, &size);
  if (!memory) return -1;
  int result = print_to(memory);
  REAL(fclose)(memory);
  if (result >= 0 && !put_wide(text, size, to, pc)) result = -1;
  free(text);
  return result;
}

}  // namespace jostle::rt

using namespace jostle::rt;

JOSTLE_HOOK wint_t fgetwc(FILE* from) { return get_wide(from, CALLER()); }
JOSTLE_ALIAS(getwc, fgetwc);
JOSTLE_ALIAS(fgetwc_unlocked, fgetwc);
JOSTLE_ALIAS(getwc_unlocked, fgetwc);
JOSTLE_HOOK wint_t getwchar() { return get_wide(stdin, CALLER()); }
JOSTLE_ALIAS(getwchar_unlocked, getwchar);
JOSTLE_HOOK wchar_t* fgetws(wchar_t* to, int size, FILE* from) {
  if (!controlled()) return REAL(fgetws)(to, size, from);
  StreamCall call(from, CALLER());
  call.moves_in(from, CALLER());
  if (input_may_block(from, SIZE_MAX, -1)) call.hold(from, CALLER());
  const bool failed_before = ferror(from) != 0;
  int n = 0;
  while (n + 1 < size) {
    const wint_t symbol = next_wide(from, CALLER());
    if (symbol == WEOF) break;
    to[n++] = static_cast<wchar_t>(symbol);
    if (symbol == L'\n') break;
  }
  const bool fails = !failed_before && ferror(from);
  if (size <= 0 || (n == 0 && size != 1) || fails) return nullptr;
  to[n] = L'\0';
  return to;
}

// What <wchar.h> calls wscanf, fwscanf, …
VARIADIC(__isoc99_fwscanf, (FILE * from, const wchar_t* format, ...), format, scan, from, format)
VARIADIC(__isoc99_wscanf, (const wchar_t* format, ...), format, scan, stdin, format)
JOSTLE_HOOK int __isoc99_vfwscanf(FILE* from, const wchar_t* format, va_list more) {
  return scan(from, format, more, CALLER());
}
JOSTLE_HOOK int __isoc99_vwscanf(const wchar_t* format, va_list more) {
  return scan(stdin, format, more, CALLER());
}

VARIADIC(wprintf, (const wchar_t* format, ...), format, print_wide, stdout, kNoFlag, format)
VARIADIC(fwprintf, (FILE * to, const wchar_t* format, ...), format, print_wide, to, kNoFlag, format)
VARIADIC(__wprintf_chk, (int flag, const wchar_t* format, ...), format, print_wide, stdout, flag,
         format)
VARIADIC(__fwprintf_chk, (FILE * to, int flag, const wchar_t* format, ...), format, print_wide, to,
         flag, format)
JOSTLE_HOOK int vwprintf(const wchar_t* format, va_list more) {
  return print_wide(stdout, kNoFlag, format, more, CALLER());
}
JOSTLE_HOOK int vfwprintf(FILE* to, const wchar_t* format, va_list more) {
  return print_wide(to, kNoFlag, format, more, CALLER());
}
JOSTLE_HOOK int __vwprintf_chk(int flag, const wchar_t* format, va_list more) {
  return print_wide(stdout, flag, format, more, CALLER());
}
JOSTLE_HOOK int __vfwprintf_chk(FILE* to, int flag, const wchar_t* format, va_list more) {
  return print_wide(to, flag, format, more, CALLER());
}
JOSTLE_HOOK wint_t fputwc(wchar_t symbol, FILE* to) {
  StreamCall call(to, CALLER());
  if (is_wide_in_pieces(to)) {
    call.hold(to, CALLER());
    return put_wide(symbol, to, CALLER());
  }
  const wint_t result = REAL(fputwc)(symbol, to);
  if (controlled()) after_output(to);
  return result;
}
JOSTLE_ALIAS(putwc, fputwc);
JOSTLE_HOOK int fputws(const wchar_t* text, FILE* to) {
  StreamCall call(to, CALLER());
  if (is_wide_in_pieces(to)) {
    call.hold(to, CALLER());
    return put_wide(text, wcslen(text), to, CALLER()) ? 1 : -1;
  }
  const int result = REAL(fputws)(text, to);
  if (controlled()) after_output(to);
  return result;
}
