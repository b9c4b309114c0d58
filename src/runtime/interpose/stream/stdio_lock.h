// SPDX-License-Identifier: Apache-2.0
// Streams that a thread has locked with flockfile, and the calls that must then wait.
//
// libc's own lock of a stream is held during one call and never while another thread runs, so it
// needs no help. flockfile holds it longer; that lock is kept here instead, and costs the other
// calls one comparison as long as no stream is locked. So is that of a call in which other threads
// may run: on a stream whose functions are the program's own (fopencookie), and one that reads or
// writes in pieces, because it has to wait for what others in this process do.
#pragma once

#include <stdio.h>

#include <cstdint>

#include "src/runtime/hook/hook.h"

namespace jostle::rt {

// How many streams are locked now, and how many have functions of the program's own.
extern uint32_t g_locked_streams, g_own_streams;

// A call on a stream (null: on none): it waits until no other thread has locked it.
class StreamCall {
 public:
  StreamCall(FILE* stream, uintptr_t pc) {
    if ((g_locked_streams | g_own_streams) != 0 && stream && controlled()) begin(stream, pc);
  }
  ~StreamCall() {
    if (held_) end();
  }
  StreamCall(const StreamCall&) = delete;
  StreamCall& operator=(const StreamCall&) = delete;

  // The call moves the position in the stream, or what is in its buffer: others may come first.
  void moves_in(FILE* stream, uintptr_t pc);
  // From here on the call may wait: until it is over the stream is the thread's own.
  // REQUIRES: nobody else has run since the call began or moved in the stream.
  void hold(FILE* stream, uintptr_t pc);

 private:
  void begin(FILE* stream, uintptr_t pc);
  void end();

  FILE* held_ = nullptr;  // for the time of the call
};

// The stream is about to be closed.
void forget_stream(FILE* stream);

// Would reading another `wanted` bytes (or up to the byte `end`, if that comes first; negative:
// none) read from a descriptor that may block? If so the call is to be done byte by byte with
// `next_byte`, so that the thread waits and not the process.
bool input_may_block(FILE* stream, size_t wanted, int end);
// Waits in the scheduler while there is nothing to read. True: who writes there, or waits for what
// is read, may be in this process.
bool wait_for_input(FILE* stream, uintptr_t pc);
// getc, waiting so.
int next_byte(FILE* stream, uintptr_t pc);

// Before `size` bytes (at most a page) are put into the stream: waits until the pipe or connection
// behind it, if it is one of this process, takes what libc may write then.
void before_output(FILE* stream, size_t size, uintptr_t pc);
// The same before what was put into the stream is written; nothing may have been.
void before_flush(FILE* stream, uintptr_t pc);
// Does libc only keep so many bytes more, and write nothing?
bool stays_in_buffer(FILE* stream, size_t size);
// Those who read the other end may go on.
void after_output(FILE* stream);
// A stream for which before_output does something: large writes must be cut into pages.
bool is_written_in_pages(FILE* stream);

}  // namespace jostle::rt
