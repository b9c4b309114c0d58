// Start-up of the runtime in the target process.
#pragma once

namespace jostle::rt {

// What the engine does with the program's main(). Returns only in the process that is to run it.
void before_main();

void init_strings();
// From here on the program's heap is ours, or libc's.
void choose_heap(bool ours);

}  // namespace jostle::rt
