// SPDX-License-Identifier: Apache-2.0
// Streams that a thread has locked with flockfile, and the calls that must then wait.
//
// libc's own lock of a stream is held during one call and never while another thread runs, so it
// needs no help. flockfile holds it longer; that lock is kept here instead, and costs the other
// calls one comparison as long as no stream is locked.
#pragma once

#include <stdio.h>

#include <cstdint>

namespace jostle::rt {

// How many streams are locked now.
extern uint32_t g_locked_streams;

// Waits until no other thread has locked the stream. Null: nothing to wait for.
void wait_for_stream(FILE* stream, uintptr_t pc);

// Would reading another `wanted` bytes (or up to the byte `end`, if that comes first; negative:
// none) read from a descriptor that may block? If so the call is to be done byte by byte with
// `next_byte`, so that the thread waits and not the process.
bool input_may_block(FILE* stream, size_t wanted, int end);
// getc, waiting in the scheduler while there is nothing to read.
int next_byte(FILE* stream, uintptr_t pc);

// Waits until a page can be written to the pipe behind the stream, if it is one of this process.
void before_output(FILE* stream, uintptr_t pc);
// The same before what was put into the stream is written; nothing may have been.
void before_flush(FILE* stream, uintptr_t pc);
// Those who read the other end may go on.
void after_output(FILE* stream);
// A stream for which before_output does something: large writes must be cut into pages.
bool is_written_in_pages(FILE* stream);

}  // namespace jostle::rt
