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

// The call is about to read from the stream: when its buffer is empty, waits until its descriptor
// has something, so that the process does not block inside libc.
void before_input(FILE* stream, uintptr_t pc);
// The same for writing, and the notice to those who read the other end.
void before_output(FILE* stream, uintptr_t pc);
void after_output(FILE* stream);

}  // namespace jostle::rt
