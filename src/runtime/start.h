// Start-up of the runtime in the target process.
#pragma once

namespace jostle::rt {

// What the engine does with the program when it is ready to be run, at main() or where it calls
// jostle_ready(). Returns as often as there is a run.
void run_program();
// A program that is to call jostle_ready() and ends without: nothing has been searched, and that
// has to be said.
void note_end_without_ready();

void init_strings();
// From here on the program's heap is ours, or libc's.
void choose_heap(bool ours);
// The program's heap is libc's outside of our control and ours inside, from here on.
void share_heap();

// Finds the bounds of the calling thread's stack.
struct Thread;
void note_stack(Thread& thread);

}  // namespace jostle::rt
