// SPDX-License-Identifier: Apache-2.0
// Calls that write to streams. What they put into the buffer and the kernel takes at once is libc's
// business. A pipe or a connection whose other end is in this process takes only so much: what is
// more goes there in pieces, and between two of them the thread waits, not the process.
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

#include <cstdint>

#include "src/runtime/interpose/stream/stdio_lock.h"

namespace jostle::rt {

// Around a call that writes no more than a page.
class Output {
 public:
  Output(FILE* stream, size_t size, uintptr_t pc)
      : call_(stream, pc), stream_(controlled() ? stream : nullptr) {
    if (!stream_ || stays_in_buffer(stream_, size) || !is_written_in_pages(stream_)) return;
    call_.hold(stream_, pc);
    before_output(stream_, size, pc);
  }
  ~Output() {
    if (stream_) after_output(stream_);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

 private:
  StreamCall call_;
  FILE* stream_;
};

// Is what the program writes to this stream, which is none of wide characters, written in pieces?
// So many bytes, if that is known.
inline bool goes_in_pieces(FILE* to, size_t size = SIZE_MAX / 2) {
  return controlled() && to->_mode <= 0 && !stays_in_buffer(to, size) && is_written_in_pages(to);
}
// fwrite and fputs to such a stream.
size_t put_items(const void* data, size_t size, size_t count, FILE* to, uintptr_t pc);
int put_text(const char* text, FILE* to, uintptr_t pc);

// The flag of those that check the format, like __fprintf_chk; the others have none.
inline constexpr int kNoFlag = -1;
int print(FILE* to, int flag, const char* format, va_list more, uintptr_t pc);
int print_wide(FILE* to, int flag, const wchar_t* format, va_list more, uintptr_t pc);

}  // namespace jostle::rt

// A call that puts one byte into a stream.
#define OUTPUT(result, name, parameters, stream, arguments) \
  JOSTLE_HOOK result name parameters {                      \
    const Output output(stream, 1, CALLER());               \
    return REAL(name) arguments;                            \
  }
// A variadic function, by way of one that takes a va_list.
#define VARIADIC(name, parameters, last, function, ...)            \
  JOSTLE_HOOK int name parameters {                                \
    va_list arguments;                                             \
    va_start(arguments, last);                                     \
    const int result = function(__VA_ARGS__, arguments, CALLER()); \
    va_end(arguments);                                             \
    return result;                                                 \
  }
