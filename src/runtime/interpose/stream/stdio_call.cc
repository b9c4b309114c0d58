// SPDX-License-Identifier: Apache-2.0
// The common calls on streams. Each is libc's own, after waiting for a thread that has locked the
// stream (flockfile) and for the descriptor behind it. They are no scheduling points otherwise.
// Those that write are in stdio_output.cc, wide characters in stdio_wide.cc.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/buffers/format_arguments.h"
#include "src/runtime/interpose/descriptor/descriptor_table.h"
#include "src/runtime/interpose/descriptor/descriptor_wait.h"
#include "src/runtime/interpose/process/random_numbers.h"
#include "src/runtime/interpose/state/state_step.h"
#include "src/runtime/interpose/stream/stdio_lock.h"
#include "src/runtime/snapshot/kernel_state.h"

extern "C" {
int __uflow(FILE* stream);
char* __fgets_unlocked_chk(char* to, size_t room, int size, FILE* stream);
size_t __fread_unlocked_chk(void* to, size_t room, size_t size, size_t count, FILE* stream);
char* __fgets_chk(char* to, size_t room, int size, FILE* stream);
size_t __fread_chk(void* to, size_t room, size_t size, size_t count, FILE* stream);
int __isoc99_vfscanf(FILE* stream, const char* format, va_list arguments);
int __isoc99_vscanf(const char* format, va_list arguments);
int __isoc99_fscanf(FILE* stream, const char* format, ...);
int __isoc99_scanf(const char* format, ...);
#if __GLIBC_PREREQ(2, 38)
int __isoc23_vfscanf(FILE* stream, const char* format, va_list arguments);
int __isoc23_vscanf(const char* format, va_list arguments);
int __isoc23_fscanf(FILE* stream, const char* format, ...);
int __isoc23_scanf(const char* format, ...);
#endif
}

using namespace jostle;
using namespace jostle::rt;

namespace {

// The kernel writes to it.
inline void open_buffer(FILE* stream) {
  image_open(stream->_IO_buf_base, static_cast<size_t>(stream->_IO_buf_end - stream->_IO_buf_base));
}

inline bool is_read_in_pieces(FILE* stream, size_t wanted, int end) {
  open_buffer(stream);
  keep_random_ahead(stream->_fileno, wanted);
  return input_may_block(stream, wanted, end);
}

// Before a call that reads `wanted` bytes or up to `end`. True: byte by byte, please. Who is first
// reads what comes first.
inline bool prepare_input(FILE* stream, size_t wanted, int end, uintptr_t pc) {
  if (!controlled()) return false;
  StateStep(OpKind::state_write, SharedState::file_content, pc).moves_in(stream);
  return is_read_in_pieces(stream, wanted, end);
}

// … which is to be one piece all the same.
inline bool prepare_input(StreamCall& call, FILE* stream, size_t wanted, int end, uintptr_t pc) {
  if (!controlled()) return false;
  call.moves_in(stream, pc);
  if (!is_read_in_pieces(stream, wanted, end)) return false;
  call.hold(stream, pc);
  return true;
}

int get(FILE* stream, uintptr_t pc) {
  StreamCall call(stream, pc);
  return prepare_input(call, stream, 1, -1, pc) ? next_byte(stream, pc) : REAL(getc)(stream);
}

// What a call has read is the program's now.
char* line_read(char* to, uintptr_t pc) {
  const LibraryCall call(pc);
  if (to && call.seen()) call.has_written(to, strlen(to) + 1);
  return to;
}
size_t items_read(size_t count, void* to, size_t size, uintptr_t pc) {
  LibraryCall(pc).has_written(to, size * count);
  return count;
}
ssize_t text_read(ssize_t length, char** line, size_t* room, uintptr_t pc) {
  const LibraryCall call(pc);
  if (length < 0 || !call.seen()) return length;
  call.has_written(*line, static_cast<size_t>(length) + 1);
  call.has_written(line, sizeof *line);
  call.has_written(room, sizeof *room);
  return length;
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
template <typename Real>
int scan_stream(FILE* from, uintptr_t pc, Real real) {
  StreamCall call(from, pc);
  Source source = {from, pc};
  FILE* bytes = nullptr;
  if (prepare_input(call, from, SIZE_MAX, -1, pc)) {
    bytes = REAL(fopencookie)(&source, "r", {read_byte, nullptr, nullptr, nullptr});
  }
  if (!bytes) return real(from);
  setvbuf(bytes, nullptr, _IONBF, 0);
  __fsetlocking(bytes, FSETLOCKING_BYCALLER);  // other threads run meanwhile, and may flush all
  const int result = real(bytes);
  const int saved = errno;
  source.from = nullptr;
  int unread[16], n = 0;  // what it has looked at and does not want: one byte, as a rule
  while (n < 16 && (unread[n] = REAL(getc)(bytes)) != EOF) ++n;
  while (n > 0) REAL(ungetc)(unread[--n], from);
  REAL(fclose)(bytes);
  errno = saved;
  return result;
}

template <typename Real>
int scan(FILE* from, const char* format, va_list more, uintptr_t pc, Real real) {
  va_list again;
  va_copy(again, more);
  const int count = scan_stream(from, pc, [&](FILE* stream) { return real(stream, format, more); });
  after_scan(LibraryCall(pc), format, count, again);
  va_end(again);
  return count;
}

}  // namespace

#define LOCKED(result, name, parameters, stream, arguments)                 \
  JOSTLE_HOOK result name parameters {                                      \
    StreamCall call(stream, CALLER());                                      \
    if (controlled()) call.moves_in(stream, CALLER()), open_buffer(stream); \
    return REAL(name) arguments;                                            \
  }

JOSTLE_HOOK int fclose(FILE* stream) {
  if (!controlled()) return REAL(fclose)(stream);
  StreamCall call(stream, CALLER());
  call.moves_in(stream, CALLER());
  if (is_written_in_pages(stream)) call.hold(stream, CALLER());
  before_flush(stream, CALLER());
  has_closed_descriptor();
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
  StreamCall call(from, CALLER());
  if (!prepare_input(call, from, static_cast<size_t>(size), '\n', CALLER())) {
    return line_read(REAL(fgets)(to, size, from), CALLER());
  }
  return line_read(get_line(to, size, from, CALLER()), CALLER());
}

JOSTLE_HOOK char* __fgets_chk(char* to, size_t room, int size, FILE* from) {
  StreamCall call(from, CALLER());
  if (!prepare_input(call, from, static_cast<size_t>(size), '\n', CALLER()) ||
      static_cast<size_t>(size) > room) {
    return line_read(REAL(__fgets_chk)(to, room, size, from), CALLER());
  }
  return line_read(get_line(to, size, from, CALLER()), CALLER());
}

JOSTLE_HOOK size_t fread(void* to, size_t size, size_t count, FILE* from) {
  StreamCall call(from, CALLER());
  image_open(to, size * count);
  if (!prepare_input(call, from, size * count, -1, CALLER()))
    return items_read(REAL(fread)(to, size, count, from), to, size, CALLER());
  return items_read(get_items(to, size, count, from, CALLER()), to, size, CALLER());
}

JOSTLE_HOOK size_t __fread_chk(void* to, size_t room, size_t size, size_t count, FILE* from) {
  StreamCall call(from, CALLER());
  image_open(to, size * count);
  if (!prepare_input(call, from, size * count, -1, CALLER()) || size * count > room) {
    return items_read(REAL(__fread_chk)(to, room, size, count, from), to, size, CALLER());
  }
  return items_read(get_items(to, size, count, from, CALLER()), to, size, CALLER());
}

JOSTLE_HOOK ssize_t getdelim(char** line, size_t* room, int end, FILE* from) {
  StreamCall call(from, CALLER());
  if (!line || !room || !prepare_input(call, from, SIZE_MAX, end, CALLER())) {
    return text_read(REAL(getdelim)(line, room, end, from), line, room, CALLER());
  }
  return text_read(get_delimited(line, room, end, from, CALLER()), line, room, CALLER());
}

JOSTLE_HOOK ssize_t getline(char** line, size_t* room, FILE* from) {
  StreamCall call(from, CALLER());
  if (!line || !room || !prepare_input(call, from, SIZE_MAX, '\n', CALLER())) {
    return text_read(REAL(getline)(line, room, from), line, room, CALLER());
  }
  return text_read(get_delimited(line, room, '\n', from, CALLER()), line, room, CALLER());
}

// What <stdio.h> calls scanf, fscanf, …, by the standard that the program asks for.
#define SCAN(vfscanf, vscanf, fscanf, scanf)                               \
  JOSTLE_HOOK int vfscanf(FILE* from, const char* format, va_list more) {  \
    return scan(from, format, more, CALLER(), REAL(vfscanf));              \
  }                                                                        \
  JOSTLE_HOOK int vscanf(const char* format, va_list more) {               \
    return scan(stdin, format, more, CALLER(), REAL(vfscanf));             \
  }                                                                        \
  JOSTLE_HOOK int fscanf(FILE* from, const char* format, ...) {            \
    va_list more;                                                          \
    va_start(more, format);                                                \
    const int result = scan(from, format, more, CALLER(), REAL(vfscanf));  \
    va_end(more);                                                          \
    return result;                                                         \
  }                                                                        \
  JOSTLE_HOOK int scanf(const char* format, ...) {                         \
    va_list more;                                                          \
    va_start(more, format);                                                \
    const int result = scan(stdin, format, more, CALLER(), REAL(vfscanf)); \
    va_end(more);                                                          \
    return result;                                                         \
  }
SCAN(__isoc99_vfscanf, __isoc99_vscanf, __isoc99_fscanf, __isoc99_scanf)
#if __GLIBC_PREREQ(2, 38)
SCAN(__isoc23_vfscanf, __isoc23_vscanf, __isoc23_fscanf, __isoc23_scanf)
#endif

JOSTLE_ALIAS(_IO_getc, getc);
JOSTLE_ALIAS(__getdelim, getdelim);

// ---- without the stream's lock ------------------------------------------------------------------

// What the inlined getc_unlocked comes to when the buffer is empty.
JOSTLE_HOOK int __uflow(FILE* from) {
  if (!controlled()) return REAL(__uflow)(from);
  open_buffer(from);
  const bool is_channel = wait_for_input(from, CALLER());
  const int byte = REAL(__uflow)(from);
  if (is_channel) descriptors_changed();
  return byte;
}
JOSTLE_HOOK int getc_unlocked(FILE* from) {
  return prepare_input(from, 1, -1, CALLER()) ? next_byte(from, CALLER())
                                              : REAL(getc_unlocked)(from);
}
JOSTLE_ALIAS(fgetc_unlocked, getc_unlocked);
JOSTLE_HOOK int getchar_unlocked() {
  return prepare_input(stdin, 1, -1, CALLER()) ? next_byte(stdin, CALLER())
                                               : REAL(getchar_unlocked)();
}
JOSTLE_HOOK char* fgets_unlocked(char* to, int size, FILE* from) {
  if (!prepare_input(from, static_cast<size_t>(size), '\n', CALLER())) {
    return line_read(REAL(fgets_unlocked)(to, size, from), CALLER());
  }
  return line_read(get_line(to, size, from, CALLER()), CALLER());
}
JOSTLE_HOOK char* __fgets_unlocked_chk(char* to, size_t room, int size, FILE* from) {
  if (!prepare_input(from, static_cast<size_t>(size), '\n', CALLER()) ||
      static_cast<size_t>(size) > room) {
    return line_read(REAL(__fgets_unlocked_chk)(to, room, size, from), CALLER());
  }
  return line_read(get_line(to, size, from, CALLER()), CALLER());
}
JOSTLE_HOOK size_t fread_unlocked(void* to, size_t size, size_t count, FILE* from) {
  image_open(to, size * count);
  if (!prepare_input(from, size * count, -1, CALLER()))
    return items_read(REAL(fread_unlocked)(to, size, count, from), to, size, CALLER());
  return items_read(get_items(to, size, count, from, CALLER()), to, size, CALLER());
}
JOSTLE_HOOK size_t __fread_unlocked_chk(void* to, size_t room, size_t size, size_t count,
                                        FILE* from) {
  image_open(to, size * count);
  if (!prepare_input(from, size * count, -1, CALLER()) || size * count > room) {
    return items_read(REAL(__fread_unlocked_chk)(to, room, size, count, from), to, size, CALLER());
  }
  return items_read(get_items(to, size, count, from, CALLER()), to, size, CALLER());
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
