/* SPDX-License-Identifier: Apache-2.0 */
/* Choices that the search makes for the program: for schedulers of its own (task loops, coroutines,
   actors, queues of a user interface) and for whatever else may go one way or another. They are in
   the log of the run, repeated by a replay and made smaller by minimising.

   Weak, so that a program may be built without Jostle, too:

       unsigned next = jostle_choose ? jostle_choose(n) : 0;

   Outside of `jostle run`, `fuzz` and `replay` the answer is always the first alternative. */
#ifndef JOSTLE_CHOOSE_H
#define JOSTLE_CHOOSE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A number below `alternatives`. 0 should be the usual one. */
unsigned jostle_choose(unsigned alternatives) __attribute__((weak));

/* Puts the `count` elements of `size` bytes each at `items` into some order. */
void jostle_permute(void* items, size_t count, size_t size) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif
