/* Jostle's C interface. A program needs none of it to be fuzzed. */
#ifndef JOSTLE_JOSTLE_H
#define JOSTLE_JOSTLE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Called when a run fails in a way that raises no signal (deadlock, misuse, …): set a breakpoint
   here. `message` says what happened. */
void jostle_failure_hook(const char* message);

#ifdef __cplusplus
}
#endif

#endif
