// The common calls on streams. Each is libc's own, after waiting for a thread that has locked the
// stream (flockfile) and for the descriptor behind it. They are no scheduling points otherwise.
#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

#include "src/runtime/interpose/alias.h"
#include "src/runtime/interpose/descriptor_table.h"
#include "src/runtime/interpose/descriptor_wait.h"
#include "src/runtime/interpose/hook.h"
#include "src/runtime/interpose/stdio_lock.h"

extern "C" {
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

inline void wait_if_locked(FILE* stream, uintptr_t pc) {
  if (g_locked_streams && controlled()) wait_for_stream(stream, pc);
}

inline void prepare_input(FILE* stream, uintptr_t pc) {
  if (!controlled()) return;
  wait_if_locked(stream, pc);
  before_input(stream, pc);
}

// Around a call that writes.
class Output {
 public:
  Output(FILE* stream, uintptr_t pc) : stream_(controlled() ? stream : nullptr) {
    if (!stream_) return;
    wait_if_locked(stream_, pc);
    before_output(stream_, pc);
  }
  ~Output() {
    if (stream_) after_output(stream_);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

 private:
  FILE* stream_;
};

}  // namespace

#define OUTPUT(result, name, parameters, stream, arguments) \
  JOSTLE_HOOK result name parameters {                      \
    const Output output(stream, CALLER());                  \
    return REAL(name) arguments;                            \
  }
#define INPUT(result, name, parameters, stream, arguments) \
  JOSTLE_HOOK result name parameters {                     \
    prepare_input(stream, CALLER());                       \
    return REAL(name) arguments;                           \
  }
#define LOCKED(result, name, parameters, stream, arguments) \
  JOSTLE_HOOK result name parameters {                      \
    wait_if_locked(stream, CALLER());                       \
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
#define VARIADIC_INPUT(name, behind, parameters, stream, last, ...) \
  JOSTLE_HOOK int name parameters {                                 \
    prepare_input(stream, CALLER());                                \
    va_list arguments;                                              \
    va_start(arguments, last);                                      \
    const int result = REAL(behind)(__VA_ARGS__, arguments);        \
    va_end(arguments);                                              \
    return result;                                                  \
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
OUTPUT(size_t, fwrite, (const void* data, size_t size, size_t count, FILE* to), to,
       (data, size, count, to))
VARIADIC_OUTPUT(wprintf, vwprintf, (const wchar_t* format, ...), stdout, format, format)
VARIADIC_OUTPUT(fwprintf, vfwprintf, (FILE * to, const wchar_t* format, ...), to, format, to,
                format)
OUTPUT(wint_t, putwc, (wchar_t symbol, FILE* to), to, (symbol, to))
OUTPUT(wint_t, fputwc, (wchar_t symbol, FILE* to), to, (symbol, to))
OUTPUT(int, fputws, (const wchar_t* text, FILE* to), to, (text, to))

JOSTLE_ALIAS(_IO_putc, putc);
JOSTLE_ALIAS(_IO_puts, puts);

JOSTLE_HOOK int fflush(FILE* stream) {
  if (!stream) return REAL(fflush)(stream);
  const Output output(stream, CALLER());
  return REAL(fflush)(stream);
}

JOSTLE_HOOK int fclose(FILE* stream) {
  if (!controlled()) return REAL(fclose)(stream);
  wait_if_locked(stream, CALLER());
  before_output(stream, CALLER());
  const int fd = stream->_fileno;
  if (fd >= 0) note_closed(fd);
  const int result = REAL(fclose)(stream);
  if (fd >= 0) descriptors_changed();
  return result;
}

// ---- input --------------------------------------------------------------------------------------

INPUT(int, getchar, (), stdin, ())
INPUT(int, getc, (FILE * from), from, (from))
INPUT(int, fgetc, (FILE * from), from, (from))
INPUT(char*, fgets, (char* to, int size, FILE* from), from, (to, size, from))
INPUT(char*, __fgets_chk, (char* to, size_t room, int size, FILE* from), from,
      (to, room, size, from))
INPUT(size_t, fread, (void* to, size_t size, size_t count, FILE* from), from,
      (to, size, count, from))
INPUT(size_t, __fread_chk, (void* to, size_t room, size_t size, size_t count, FILE* from), from,
      (to, room, size, count, from))
INPUT(ssize_t, getline, (char** line, size_t* room, FILE* from), from, (line, room, from))
INPUT(ssize_t, getdelim, (char** line, size_t* room, int end, FILE* from), from,
      (line, room, end, from))
// What <stdio.h> calls scanf, fscanf, …
VARIADIC_INPUT(__isoc99_scanf, __isoc99_vscanf, (const char* format, ...), stdin, format, format)
VARIADIC_INPUT(__isoc99_fscanf, __isoc99_vfscanf, (FILE * from, const char* format, ...), from,
               format, from, format)
INPUT(int, __isoc99_vscanf, (const char* format, va_list more), stdin, (format, more))
INPUT(int, __isoc99_vfscanf, (FILE * from, const char* format, va_list more), from,
      (from, format, more))

JOSTLE_ALIAS(_IO_getc, getc);
JOSTLE_ALIAS(__getdelim, getdelim);

// ---- neither ------------------------------------------------------------------------------------

LOCKED(int, ungetc, (int byte, FILE* stream), stream, (byte, stream))
LOCKED(int, fseek, (FILE * stream, long offset, int from), stream, (stream, offset, from))
LOCKED(int, fseeko, (FILE * stream, off_t offset, int from), stream, (stream, offset, from))
LOCKED(long, ftell, (FILE * stream), stream, (stream))
LOCKED(off_t, ftello, (FILE * stream), stream, (stream))
LOCKED(void, rewind, (FILE * stream), stream, (stream))
JOSTLE_ALIAS(fseeko64, fseeko);
JOSTLE_ALIAS(ftello64, ftello);
