// SPDX-License-Identifier: Apache-2.0
// Start-up of the runtime in the target process.
#pragma once

#include "src/schedule/channel.h"

namespace jostle::rt {

// What the engine does with the program when it is ready to be run, at main() or where it calls
// jostle_ready(). Returns as often as there is a run.
void run_program();
// A program that is to call jostle_ready() and ends without: nothing has been searched, and that
// has to be said.
void note_end_without_ready();

// Descriptors that the command has left besides the channel (schedule/input_pool.h); -1: none.
extern int g_inputs_descriptor, g_cover_descriptor;

void init_strings();
// Whose heap the program has. `adopted`: new blocks are ours, and those that libc gave out before
// are still good; to free one of them does nothing, because the rewind would undo it.
// `both`: ours while a thread is controlled, libc's otherwise.
enum class Heap : char { undecided, ours, libcs, adopted, both };
void choose_heap(Heap heap);

// The channel that the command has made, by its descriptor, and the hub, by one of its own or that
// which the channel names; they are closed. Ends the process with a message when they do not fit.
channel::Channel* open_channel(int descriptor, int hub = -1);
// From here on this process is controlled by us; the calling thread is its main thread.
void take_control_with(channel::Channel* channel);
// pthread_exit of the main thread comes back here: what a run begins with. `entry` does not return.
[[noreturn]] void run_main(void (*entry)(void*), void* argument);

// The keys and values of the calling thread from before it was controlled.
void adopt_thread_keys();

// Finds the bounds of the calling thread's stack.
struct Thread;
void note_stack(Thread& thread);

}  // namespace jostle::rt
