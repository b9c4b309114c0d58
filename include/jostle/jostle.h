/* Jostle's C interface. A program needs none of it to be fuzzed. */
#ifndef JOSTLE_JOSTLE_H
#define JOSTLE_JOSTLE_H

#include <jostle/choose.h>
#include <jostle/control.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Called when a run fails in a way that raises no signal (deadlock, misuse, …): set a breakpoint
   here. `message` says what happened. */
void jostle_failure_hook(const char* message);

/* Marks the end of preparations. A program that calls it is run once up to here, and every schedule
   starts here instead of at main(): read the configuration, load the data, then call it. Only the
   main thread may, while it is the only one. Weak, so that a program may be built without Jostle,
   too:

       if (jostle_ready) jostle_ready(); */
void jostle_ready(void) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif
