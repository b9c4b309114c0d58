// SPDX-License-Identifier: Apache-2.0
// Coverage of the program's own code: what the compiler's coverage hooks tell, for the search for
// inputs. The hooks are called at every edge and every comparison of a program that is built for it
// (`jostle c++ -fjostle-coverage`); while nobody searches for inputs they return at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/base/kept.h"
#include "src/schedule/feedback.h"

namespace jostle::rt {

// Where edges and comparisons go; null: nobody wants them. Set by listen_to_code.
extern JOSTLE_HIDDEN Feedback* g_edges;
void listen_to_code(Feedback* feedback);

// The program enters a function. All there is where it is not built for more.
void note_function(uintptr_t pc);

// The program compares two stretches of memory, of at most `size` bytes, at `pc`; up to a zero if
// they are texts.
void note_compared(const void* left, const void* right, size_t size, bool are_texts, uintptr_t pc);

}  // namespace jostle::rt
