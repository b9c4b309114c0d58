// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/stream/stdio_output.h"

#include <errno.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/buffers/format_arguments.h"

extern "C" {
int __vfprintf_chk(FILE* stream, int flag, const char* format, va_list arguments);
int __vprintf_chk(int flag, const char* format, va_list arguments);
int __printf_chk(int flag, const char* format, ...);
int __fprintf_chk(FILE* stream, int flag, const char* format, ...);
int __vasprintf_chk(char** text, int flag, const char* format, va_list arguments);
}

namespace jostle::rt {

size_t put_items(const void* data, size_t size, size_t count, FILE* to, uintptr_t pc) {
  // Less than the page that before_output makes sure of: of a whole one, libc writes first what is
  // in the buffer, and then it as well.
  constexpr size_t kPiece = 4095;
  const auto* bytes = static_cast<const char*>(data);
  const size_t total = size * count;
  size_t written = 0;
  while (written < total) {
    const size_t left = total - written;
    const size_t next = left < kPiece ? left : kPiece;
    before_output(to, next, pc);
    const size_t piece = REAL(fwrite)(bytes + written, 1, next, to);
    written += piece;
    if (piece == 0) break;
    after_output(to);
  }
  return size ? written / size : 0;
}

int put_text(const char* text, FILE* to, uintptr_t pc) {
  const size_t size = strlen(text);
  return put_items(text, 1, size, to, pc) == size ? 1 : EOF;
}

int print(FILE* to, int flag, const char* format, va_list more, uintptr_t pc) {
  LibraryCall arguments(pc);
  before_print(arguments, format, more);
  if (!goes_in_pieces(to)) {
    const Output output(to, 0, pc);  // not to be written in pages
    return flag == kNoFlag ? REAL(vfprintf)(to, format, more)
                           : REAL(__vfprintf_chk)(to, flag, format, more);
  }
  StreamCall call(to, pc);
  call.hold(to, pc);
  char* text = nullptr;
  const int size = flag == kNoFlag ? REAL(vasprintf)(&text, format, more)
                                   : REAL(__vasprintf_chk)(&text, flag, format, more);
  if (size < 0) return size;
  const size_t written = put_items(text, 1, static_cast<size_t>(size), to, pc);
  free(text);
  return written == static_cast<size_t>(size) ? size : -1;
}

}  // namespace jostle::rt

using namespace jostle::rt;

VARIADIC(printf, (const char* format, ...), format, print, stdout, kNoFlag, format)
VARIADIC(fprintf, (FILE * to, const char* format, ...), format, print, to, kNoFlag, format)
VARIADIC(__printf_chk, (int flag, const char* format, ...), format, print, stdout, flag, format)
VARIADIC(__fprintf_chk, (FILE * to, int flag, const char* format, ...), format, print, to, flag,
         format)
JOSTLE_HOOK int vprintf(const char* format, va_list more) {
  return print(stdout, kNoFlag, format, more, CALLER());
}
JOSTLE_HOOK int vfprintf(FILE* to, const char* format, va_list more) {
  return print(to, kNoFlag, format, more, CALLER());
}
JOSTLE_HOOK int __vprintf_chk(int flag, const char* format, va_list more) {
  return print(stdout, flag, format, more, CALLER());
}
JOSTLE_HOOK int __vfprintf_chk(FILE* to, int flag, const char* format, va_list more) {
  return print(to, flag, format, more, CALLER());
}

JOSTLE_HOOK int fputs(const char* text, FILE* to) {
  LibraryCall(CALLER()).reads_string(text);
  if (goes_in_pieces(to, strlen(text))) {
    StreamCall call(to, CALLER());
    call.hold(to, CALLER());
    return put_text(text, to, CALLER());
  }
  const Output output(to, 0, CALLER());
  return REAL(fputs)(text, to);
}
JOSTLE_HOOK int fputs_unlocked(const char* text, FILE* to) {
  LibraryCall(CALLER()).reads_string(text);
  if (goes_in_pieces(to, strlen(text))) return put_text(text, to, CALLER());
  return REAL(fputs_unlocked)(text, to);
}
JOSTLE_HOOK int puts(const char* text) {
  LibraryCall(CALLER()).reads_string(text);
  if (goes_in_pieces(stdout, strlen(text) + 1)) {
    StreamCall call(stdout, CALLER());
    call.hold(stdout, CALLER());
    const int result = put_text(text, stdout, CALLER());
    return result == EOF ? EOF : put_text("\n", stdout, CALLER());
  }
  const Output output(stdout, 0, CALLER());
  return REAL(puts)(text);
}
JOSTLE_HOOK void perror(const char* text) {
  LibraryCall(CALLER()).reads_string(text ? text : "");
  if (!goes_in_pieces(stderr)) return REAL(perror)(text);
  const int saved = errno;
  const bool is_named = text && *text;
  char reason[256];
  const char* const why = strerror_r(saved, reason, sizeof reason);
  StreamCall call(stderr, CALLER());
  call.hold(stderr, CALLER());
  for (const char* part : {is_named ? text : "", is_named ? ": " : "", why, "\n"}) {
    put_text(part, stderr, CALLER());
  }
  errno = saved;
}
OUTPUT(int, putchar, (int byte), stdout, (byte))
OUTPUT(int, putc, (int byte, FILE* to), to, (byte, to))
OUTPUT(int, fputc, (int byte, FILE* to), to, (byte, to))

JOSTLE_ALIAS(_IO_putc, putc);
JOSTLE_ALIAS(_IO_puts, puts);

JOSTLE_HOOK size_t fwrite(const void* data, size_t size, size_t count, FILE* to) {
  if (!controlled()) return REAL(fwrite)(data, size, count, to);
  LibraryCall(CALLER()).reads(data, size * count);
  StreamCall call(to, CALLER());
  if (!stays_in_buffer(to, size * count) && is_written_in_pages(to)) {
    call.hold(to, CALLER());
    return put_items(data, size, count, to, CALLER());
  }
  const size_t written = REAL(fwrite)(data, size, count, to);
  after_output(to);
  return written;
}
JOSTLE_HOOK size_t fwrite_unlocked(const void* data, size_t size, size_t count, FILE* to) {
  LibraryCall(CALLER()).reads(data, size * count);
  if (goes_in_pieces(to, size * count)) return put_items(data, size, count, to, CALLER());
  const size_t written = REAL(fwrite_unlocked)(data, size, count, to);
  if (controlled()) after_output(to);
  return written;
}

namespace {
template <typename Flush>
int flush(FILE* stream, uintptr_t pc, Flush real) {
  before_flush(stream, pc);
  const int result = real(stream);
  after_output(stream);
  return result;
}
}  // namespace

JOSTLE_HOOK int fflush(FILE* stream) {
  if (!stream || !controlled()) return REAL(fflush)(stream);
  StreamCall call(stream, CALLER());
  if (is_written_in_pages(stream)) call.hold(stream, CALLER());
  return flush(stream, CALLER(), REAL(fflush));
}
JOSTLE_HOOK int fflush_unlocked(FILE* stream) {
  if (!stream || !controlled()) return REAL(fflush_unlocked)(stream);
  return flush(stream, CALLER(), REAL(fflush_unlocked));
}

// What the inlined putc_unlocked comes to when the buffer is full.
JOSTLE_HOOK int __overflow(FILE* to, int byte) {
  if (!controlled()) return REAL(__overflow)(to, byte);
  before_output(to, 1, CALLER());
  const int result = REAL(__overflow)(to, byte);
  after_output(to);
  return result;
}
