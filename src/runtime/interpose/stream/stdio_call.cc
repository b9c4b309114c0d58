// SPDX-License-Identifier: Apache-2.0
// The common calls on streams. Each is libc's own, after waiting for a thread that has locked the
// stream (flockfile) and for the descriptor behind it. They are no scheduling points otherwise.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <wchar.h>

#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/descriptor/descriptor_table.h"
#include "src/runtime/interpose/descriptor/descriptor_wait.h"
#include "src/runtime/interpose/process/random_numbers.h"
#include "src/runtime/interpose/stream/stdio_lock.h"
#include "src/runtime/snapshot/kernel_state.h"

extern "C" {
int __uflow(FILE* stream);
int __overflow(FILE* stream, int byte);
char* __fgets_unlocked_chk(char* to, size_t room, int size, FILE* stream);
size_t __fread_unlocked_chk(void* to, size_t room, size_t size, size_t count, FILE* stream);
int __vprintf_chk(int flag, const char* format, va_list arguments);
int __vfprintf_chk(FILE* stream, int flag, const char* format, va_list arguments);
int __printf_chk(int flag, const char* format, ...);
int __fprintf_chk(FILE* stream, int flag, const char* format, ...);
char* __fgets_chk(char* to, size_t room, int size, FILE* stream);
size_t __fread_chk(void* to, size_t room, size_t size, size_t count, FILE* stream);
int __isoc99_vfscanf(FILE* stream, const char* format, va_list arguments);
int __isoc99_vscanf(const char* format, va_list arguments);
int __isoc99_fscanf(FILE* stream, const char* format, ...);
int __isoc99_scanf(const char* format, ...);
}

using namespace jostle::rt;

namespace {

// The kernel writes to it.
inline void open_buffer(FILE* stream) {
  image_open(stream->_IO_buf_base, static_cast<size_t>(stream->_IO_buf_end - stream->_IO_buf_base));
}

// Before a call that reads `wanted` bytes or up to `end`. True: byte by byte, please.
inline bool prepare_input(FILE* stream, size_t wanted, int end) {
  if (!controlled()) return false;
  open_buffer(stream);
  keep_random_ahead(stream->_fileno, wanted);
  return input_may_block(stream, wanted, end);
}

int get(FILE* stream, uintptr_t pc) {
  const StreamCall call(stream, pc);
  return prepare_input(stream, 1, -1) ? next_byte(stream, pc) : REAL(getc)(stream);
}

// The beginning of libc's _IO_wide_data.
struct WideBuffer {
  const wchar_t *read, *read_end;
};

wint_t get_wide(FILE* stream, uintptr_t pc) {
  const StreamCall call(stream, pc);
  if (!controlled()) return REAL(fgetwc)(stream);
  const auto* wide = reinterpret_cast<const WideBuffer*>(stream->_wide_data);
  const bool is_there = stream->_mode > 0 && wide->read < wide->read_end;
  if (!is_there) open_buffer(stream);
  const bool is_channel = !is_there && wait_for_input(stream, pc);
  const wint_t symbol = REAL(fgetwc)(stream);
  if (is_channel) descriptors_changed();
  return symbol;
}

char* get_line(char* to, int size, FILE* from, uintptr_t pc) {
  int n = 0;
  while (n + 1 < size) {
    const int byte = next_byte(from, pc);
    if (byte == EOF) break;
    to[n++] = static_cast<char>(byte);
    if (byte == '\n') break;
  }
  if (size <= 0 || n == 0 || ferror(from)) return size == 1 ? (*to = '\0', to) : nullptr;
  to[n] = '\0';
  return to;
}

ssize_t get_delimited(char** line, size_t* room, int end, FILE* from, uintptr_t pc) {
  size_t n = 0;
  for (;;) {
    const int byte = next_byte(from, pc);
    if (byte == EOF) break;
    if (!*line || n + 2 > *room) {
      const size_t larger = *room < 60 ? 120 : 2 * *room;
      char* moved = static_cast<char*>(realloc(*line, larger));
      if (!moved) return -1;
      *line = moved;
      *room = larger;
    }
    (*line)[n++] = static_cast<char>(byte);
    if (byte == end) break;
  }
  if (n == 0 || ferror(from)) return -1;
  (*line)[n] = '\0';
  return static_cast<ssize_t>(n);
}

size_t get_items(void* to, size_t size, size_t count, FILE* from, uintptr_t pc) {
  auto* bytes = static_cast<unsigned char*>(to);
  size_t n = 0;
  while (n < size * count) {
    const int byte = next_byte(from, pc);
    if (byte == EOF) break;
    bytes[n++] = static_cast<unsigned char>(byte);
  }
  return size ? n / size : 0;
}

// What a call reads that cannot be done byte by byte here: a stream in place of another.
struct Source {
  FILE* from;  // null: there is no more
  uintptr_t pc;
};

ssize_t read_byte(void* cookie, char* to, size_t room) {
  const auto* source = static_cast<const Source*>(cookie);
  if (!source->from || room == 0) return 0;
  const int byte = next_byte(source->from, source->pc);
  if (byte == EOF) return ferror(source->from) ? -1 : 0;
  *to = static_cast<char>(byte);
  return 1;
}

// Where a number or a word ends is known only when the next byte has been read, and what separates
// two of them may come long after the first: libc would wait for that with the whole process.
int scan(FILE* from, const char* format, va_list more, uintptr_t pc) {
  const StreamCall call(from, pc);
  Source source = {from, pc};
  FILE* bytes = nullptr;
  if (prepare_input(from, SIZE_MAX, -1)) {
    bytes = REAL(fopencookie)(&source, "r", {read_byte, nullptr, nullptr, nullptr});
  }
  if (!bytes) return REAL(__isoc99_vfscanf)(from, format, more);
  setvbuf(bytes, nullptr, _IONBF, 0);
  __fsetlocking(bytes, FSETLOCKING_BYCALLER);  // other threads run meanwhile, and may flush all
  const int result = REAL(__isoc99_vfscanf)(bytes, format, more);
  const int saved = errno;
  source.from = nullptr;
  int unread[16], n = 0;  // what it has looked at and does not want: one byte, as a rule
  while (n < 16 && (unread[n] = REAL(getc)(bytes)) != EOF) ++n;
  while (n > 0) REAL(ungetc)(unread[--n], from);
  REAL(fclose)(bytes);
  errno = saved;
  return result;
}

size_t put_items(const void* data, size_t size, size_t count, FILE* to, uintptr_t pc) {
  constexpr size_t kPage = 4096;  // what before_output makes sure of
  const auto* bytes = static_cast<const char*>(data);
  const size_t total = size * count;
  size_t written = 0;
  while (written < total) {
    const size_t left = total - written;
    before_output(to, pc);
    const size_t piece = REAL(fwrite)(bytes + written, 1, left < kPage ? left : kPage, to);
    written += piece;
    if (piece == 0) break;
    after_output(to);
  }
  return size ? written / size : 0;
}

// Around a call that writes.
class Output {
 public:
  Output(FILE* stream, uintptr_t pc) : call_(stream, pc), stream_(controlled() ? stream : nullptr) {
    if (stream_) before_output(stream_, pc);
  }
  ~Output() {
    if (stream_) after_output(stream_);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

 private:
  const StreamCall call_;
  FILE* stream_;
};

}  // namespace

#define OUTPUT(result, name, parameters, stream, arguments) \
  JOSTLE_HOOK result name parameters {                      \
    const Output output(stream, CALLER());                  \
    return REAL(name) arguments;                            \
  }
#define LOCKED(result, name, parameters, stream, arguments) \
  JOSTLE_HOOK result name parameters {                      \
    const StreamCall call(stream, CALLER());                \
    if (controlled()) open_buffer(stream);                  \
    return REAL(name) arguments;                            \
  }
// A variadic function by way of the one that takes a va_list.
#define VARIADIC_OUTPUT(name, behind, parameters, stream, last, ...) \
  JOSTLE_HOOK int name parameters {                                  \
    const Output output(stream, CALLER());                           \
    va_list arguments;                                               \
    va_start(arguments, last);                                       \
    const int result = REAL(behind)(__VA_ARGS__, arguments);         \
    va_end(arguments);                                               \
    return result;                                                   \
  }
// ---- output -------------------------------------------------------------------------------------

VARIADIC_OUTPUT(printf, vprintf, (const char* format, ...), stdout, format, format)
VARIADIC_OUTPUT(fprintf, vfprintf, (FILE * to, const char* format, ...), to, format, to, format)
VARIADIC_OUTPUT(__printf_chk, __vprintf_chk, (int flag, const char* format, ...), stdout, format,
                flag, format)
VARIADIC_OUTPUT(__fprintf_chk, __vfprintf_chk, (FILE * to, int flag, const char* format, ...), to,
                format, to, flag, format)
OUTPUT(int, vprintf, (const char* format, va_list more), stdout, (format, more))
OUTPUT(int, vfprintf, (FILE * to, const char* format, va_list more), to, (to, format, more))
OUTPUT(int, __vprintf_chk, (int flag, const char* format, va_list more), stdout,
       (flag, format, more))
OUTPUT(int, __vfprintf_chk, (FILE * to, int flag, const char* format, va_list more), to,
       (to, flag, format, more))
OUTPUT(int, puts, (const char* text), stdout, (text))
OUTPUT(int, fputs, (const char* text, FILE* to), to, (text, to))
OUTPUT(int, putchar, (int byte), stdout, (byte))
OUTPUT(int, putc, (int byte, FILE* to), to, (byte, to))
OUTPUT(int, fputc, (int byte, FILE* to), to, (byte, to))
VARIADIC_OUTPUT(wprintf, vwprintf, (const wchar_t* format, ...), stdout, format, format)
VARIADIC_OUTPUT(fwprintf, vfwprintf, (FILE * to, const wchar_t* format, ...), to, format, to,
                format)
OUTPUT(wint_t, putwc, (wchar_t symbol, FILE* to), to, (symbol, to))
OUTPUT(wint_t, fputwc, (wchar_t symbol, FILE* to), to, (symbol, to))
OUTPUT(int, fputws, (const wchar_t* text, FILE* to), to, (text, to))

JOSTLE_ALIAS(_IO_putc, putc);
JOSTLE_ALIAS(_IO_puts, puts);

JOSTLE_HOOK size_t fwrite(const void* data, size_t size, size_t count, FILE* to) {
  if (!controlled()) return REAL(fwrite)(data, size, count, to);
  const StreamCall call(to, CALLER());
  if (is_written_in_pages(to)) return put_items(data, size, count, to, CALLER());
  const size_t written = REAL(fwrite)(data, size, count, to);
  after_output(to);
  return written;
}

JOSTLE_HOOK int fflush(FILE* stream) {
  if (!stream || !controlled()) return REAL(fflush)(stream);
  const StreamCall call(stream, CALLER());
  before_flush(stream, CALLER());
  const int result = REAL(fflush)(stream);
  after_output(stream);
  return result;
}

JOSTLE_HOOK int fclose(FILE* stream) {
  if (!controlled()) return REAL(fclose)(stream);
  const StreamCall call(stream, CALLER());
  before_flush(stream, CALLER());
  forget_stream(stream);
  const int fd = stream->_fileno;
  kernel_changes(kChangesDescriptors);
  if (fd >= 0) note_closed(fd);
  const int result = REAL(fclose)(stream);
  if (fd >= 0) descriptors_changed();
  return result;
}

// ---- input --------------------------------------------------------------------------------------

JOSTLE_HOOK int getchar() { return get(stdin, CALLER()); }
JOSTLE_HOOK int getc(FILE* from) { return get(from, CALLER()); }
JOSTLE_HOOK int fgetc(FILE* from) { return get(from, CALLER()); }

JOSTLE_HOOK char* fgets(char* to, int size, FILE* from) {
  const StreamCall call(from, CALLER());
  if (!prepare_input(from, static_cast<size_t>(size), '\n')) {
    return REAL(fgets)(to, size, from);
  }
  return get_line(to, size, from, CALLER());
}

JOSTLE_HOOK char* __fgets_chk(char* to, size_t room, int size, FILE* from) {
  const StreamCall call(from, CALLER());
  if (!prepare_input(from, static_cast<size_t>(size), '\n') || static_cast<size_t>(size) > room) {
    return REAL(__fgets_chk)(to, room, size, from);
  }
  return get_line(to, size, from, CALLER());
}

JOSTLE_HOOK size_t fread(void* to, size_t size, size_t count, FILE* from) {
  const StreamCall call(from, CALLER());
  image_open(to, size * count);
  if (!prepare_input(from, size * count, -1)) return REAL(fread)(to, size, count, from);
  return get_items(to, size, count, from, CALLER());
}

JOSTLE_HOOK size_t __fread_chk(void* to, size_t room, size_t size, size_t count, FILE* from) {
  const StreamCall call(from, CALLER());
  image_open(to, size * count);
  if (!prepare_input(from, size * count, -1) || size * count > room) {
    return REAL(__fread_chk)(to, room, size, count, from);
  }
  return get_items(to, size, count, from, CALLER());
}

JOSTLE_HOOK ssize_t getdelim(char** line, size_t* room, int end, FILE* from) {
  const StreamCall call(from, CALLER());
  if (!line || !room || !prepare_input(from, SIZE_MAX, end)) {
    return REAL(getdelim)(line, room, end, from);
  }
  return get_delimited(line, room, end, from, CALLER());
}

JOSTLE_HOOK ssize_t getline(char** line, size_t* room, FILE* from) {
  const StreamCall call(from, CALLER());
  if (!line || !room || !prepare_input(from, SIZE_MAX, '\n')) {
    return REAL(getline)(line, room, from);
  }
  return get_delimited(line, room, '\n', from, CALLER());
}

// What <stdio.h> calls scanf, fscanf, …
JOSTLE_HOOK int __isoc99_vfscanf(FILE* from, const char* format, va_list more) {
  return scan(from, format, more, CALLER());
}
JOSTLE_HOOK int __isoc99_vscanf(const char* format, va_list more) {
  return scan(stdin, format, more, CALLER());
}
JOSTLE_HOOK int __isoc99_fscanf(FILE* from, const char* format, ...) {
  va_list more;
  va_start(more, format);
  const int result = scan(from, format, more, CALLER());
  va_end(more);
  return result;
}
JOSTLE_HOOK int __isoc99_scanf(const char* format, ...) {
  va_list more;
  va_start(more, format);
  const int result = scan(stdin, format, more, CALLER());
  va_end(more);
  return result;
}

JOSTLE_ALIAS(_IO_getc, getc);
JOSTLE_ALIAS(__getdelim, getdelim);

// ---- without the stream's lock ------------------------------------------------------------------

// What the inlined getc_unlocked and putc_unlocked come to when the buffer is empty, or full.
JOSTLE_HOOK int __uflow(FILE* from) {
  if (!controlled()) return REAL(__uflow)(from);
  open_buffer(from);
  const bool is_channel = wait_for_input(from, CALLER());
  const int byte = REAL(__uflow)(from);
  if (is_channel) descriptors_changed();
  return byte;
}
JOSTLE_HOOK int __overflow(FILE* to, int byte) {
  if (!controlled()) return REAL(__overflow)(to, byte);
  before_output(to, CALLER());
  const int result = REAL(__overflow)(to, byte);
  after_output(to);
  return result;
}

JOSTLE_HOOK int getc_unlocked(FILE* from) {
  return prepare_input(from, 1, -1) ? next_byte(from, CALLER()) : REAL(getc_unlocked)(from);
}
JOSTLE_ALIAS(fgetc_unlocked, getc_unlocked);
JOSTLE_HOOK int getchar_unlocked() {
  return prepare_input(stdin, 1, -1) ? next_byte(stdin, CALLER()) : REAL(getchar_unlocked)();
}
JOSTLE_HOOK char* fgets_unlocked(char* to, int size, FILE* from) {
  if (!prepare_input(from, static_cast<size_t>(size), '\n')) {
    return REAL(fgets_unlocked)(to, size, from);
  }
  return get_line(to, size, from, CALLER());
}
JOSTLE_HOOK char* __fgets_unlocked_chk(char* to, size_t room, int size, FILE* from) {
  if (!prepare_input(from, static_cast<size_t>(size), '\n') || static_cast<size_t>(size) > room) {
    return REAL(__fgets_unlocked_chk)(to, room, size, from);
  }
  return get_line(to, size, from, CALLER());
}
JOSTLE_HOOK size_t fread_unlocked(void* to, size_t size, size_t count, FILE* from) {
  image_open(to, size * count);
  if (!prepare_input(from, size * count, -1)) return REAL(fread_unlocked)(to, size, count, from);
  return get_items(to, size, count, from, CALLER());
}
JOSTLE_HOOK size_t __fread_unlocked_chk(void* to, size_t room, size_t size, size_t count,
                                        FILE* from) {
  image_open(to, size * count);
  if (!prepare_input(from, size * count, -1) || size * count > room) {
    return REAL(__fread_unlocked_chk)(to, room, size, count, from);
  }
  return get_items(to, size, count, from, CALLER());
}

// ---- wide characters ----------------------------------------------------------------------------

JOSTLE_HOOK wint_t fgetwc(FILE* from) { return get_wide(from, CALLER()); }
JOSTLE_ALIAS(getwc, fgetwc);
JOSTLE_HOOK wint_t getwchar() { return get_wide(stdin, CALLER()); }
JOSTLE_HOOK wchar_t* fgetws(wchar_t* to, int size, FILE* from) {
  if (!controlled()) return REAL(fgetws)(to, size, from);
  const bool failed_before = ferror(from) != 0;
  int n = 0;
  while (n + 1 < size) {
    const wint_t symbol = get_wide(from, CALLER());
    if (symbol == WEOF) break;
    to[n++] = static_cast<wchar_t>(symbol);
    if (symbol == L'\n') break;
  }
  const bool fails = !failed_before && ferror(from);
  if (size <= 0 || (n == 0 && size != 1) || fails) return nullptr;
  to[n] = L'\0';
  return to;
}

// ---- neither ------------------------------------------------------------------------------------

LOCKED(int, ungetc, (int byte, FILE* stream), stream, (byte, stream))
LOCKED(int, fseek, (FILE * stream, long offset, int from), stream, (stream, offset, from))
LOCKED(int, fseeko, (FILE * stream, off_t offset, int from), stream, (stream, offset, from))
LOCKED(long, ftell, (FILE * stream), stream, (stream))
LOCKED(off_t, ftello, (FILE * stream), stream, (stream))
LOCKED(void, rewind, (FILE * stream), stream, (stream))
JOSTLE_ALIAS(fseeko64, fseeko);
JOSTLE_ALIAS(ftello64, ftello);
