// SPDX-License-Identifier: Apache-2.0
// Start-up of the runtime in the target process.
#pragma once

#include "src/schedule/channel.h"

namespace jostle::rt {

// What the engine does with the program when it is ready to be run, at main() or where it calls
// jostle_ready(). Returns as often as there is a run.
void run_program();

// Descriptors that the command has left besides the channel (schedule/input_pool.h); -1: none.
extern int g_inputs_descriptor, g_cover_descriptor;

// The channel that the command has made, by its descriptor, and the hub, by one of its own or that
// which the channel names; they are closed. Ends the process with a message when they do not fit.
channel::Channel* open_channel(int descriptor, int hub = -1);
// From here on this process is controlled by us; the calling thread is its main thread.
void take_control_with(channel::Channel* channel);
// pthread_exit of the main thread comes back here: what a run begins with. `entry` does not return.
[[noreturn]] void run_main(void (*entry)(void*), void* argument);

// Finds the bounds of the calling thread's stack.
struct Thread;
void note_stack(Thread& thread);

}  // namespace jostle::rt
