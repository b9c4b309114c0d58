/* SPDX-License-Identifier: Apache-2.0 */
/* Jostle's C interface. A program needs none of it to be fuzzed; it is for tests that explore their
   schedules and inputs themselves. The C++ side of it is <jostle/jostle.hpp>. */
#ifndef JOSTLE_JOSTLE_H
#define JOSTLE_JOSTLE_H

#include <jostle/choose.h>
#include <jostle/control.h>
#include <stddef.h>
#include <stdint.h>

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

/* ---- checks ------------------------------------------------------------------------------------
 */

/* What to explore, and for how long. Zero everywhere but `body` is a short unit test. */
typedef struct jostle_check {
  void (*body)(void* argument); /* run again and again, each time from the same state */
  void* argument;
  const char* name; /* what it is called in files and reports; NULL: file and line */
  const char* file;
  unsigned line;
  const char* strategy;  /* as for jostle fuzz --strategy; NULL: portfolio */
  uint64_t schedules;    /* stop after so many; 0: no limit */
  uint64_t nanoseconds;  /* stop after this time; 0: a second, or what JOSTLE_FUZZ_FOR says */
  uint64_t seed;         /* 0: a fixed one made of the name; with JOSTLE_FUZZ_FOR a random one */
  unsigned workers;      /* processes that search side by side; 0: one */
  const char* output;    /* where failures are kept; NULL: jostle-out */
  const char* arguments; /* more options of jostle fuzz, between spaces */
  const char* replay_argument; /* what the program has to be given to get to this check alone */
  int verify;  /* 1: every execution once, as jostle verify; time and schedules 0: no limit */
  int history; /* 1: the body has a history, see below */
} jostle_check;

enum jostle_status {
  JOSTLE_PASSED,
  JOSTLE_FAILED,  /* with a report and a replay file */
  JOSTLE_ERROR,   /* nothing was explored: the message has been printed */
  JOSTLE_SKIPPED, /* another check of this program is being replayed */
};

typedef struct jostle_result {
  enum jostle_status status;
  int exit_code;       /* of the command: docs/exit-codes.md */
  uint64_t schedules;  /* that were run */
  uint64_t rejected;   /* of them, those whose input jostle_reject gave up */
  uint64_t scenarios;  /* with histories: different ones that were run */
  uint64_t not_judged; /* … and runs with more orders than are tried */
  uint64_t executions; /* with `verify`: different ones that were run */
  double seconds;
  char* report; /* of the failure, or ""; free() it */
  char* replay; /* the replay file, or ""; free() it */
} jostle_result;

/* Explores the body and says what came of it. The process itself stays as it is: the body runs in
   children, forked off here, which have this thread only. */
void jostle_explore(const jostle_check* check, jostle_result* result);

/* Is this code run by a check, or under the jostle command? */
int jostle_in_run(void);

/* Fails the run: this is what an assertion of a test framework calls. */
void jostle_fail(const char* message, const char* file, unsigned line) __attribute__((noreturn));

/* ---- inputs: what generators are made of -------------------------------------------------------
 */

/* A number from `low` to `high`, both included. Zero, or what is nearest, is the simplest. */
uint64_t jostle_draw_unsigned(uint64_t low, uint64_t high);
int64_t jostle_draw_signed(int64_t low, int64_t high);
/* Which of `count` examples, from 1; 0: none of them. The first draw of a property. */
uint64_t jostle_draw_example(uint64_t count);
/* This input is of no use: the run ends, and counts neither way. */
void jostle_reject(const char* why) __attribute__((noreturn));
/* Will the values of this run be shown to anybody? If so, make texts of them and end it, in the
   same function: nothing in between is part of the run. If not (0), there is nothing to end. */
int jostle_begin_showing(void);
void jostle_show_value(const char* label, const char* text);
void jostle_end_showing(void);
/* The same whether or not anybody will read it. */
int jostle_begin_aside(void);
/* Counts this run as one of the kind. */
void jostle_classify(const char* name);

/* ---- histories: what <jostle/linearizable.hpp> is made of --------------------------------------

   Operations on an object, by threads side by side, are to return what they return in some order
   one after the other. The runs that show what that is are made besides, from the same start and
   with the same draws: threads change in them only between operations, or when one has to wait. */

/* A scenario is drawn: operations first, then those of each thread, then some last. Is there one
   more operation of this part, or one more thread? From `least` to `most`, each 0 or 1. */
int jostle_draw_more_operations(int least, int most);
int jostle_draw_more_threads(int least, int most);
/* Which of so many, from 0; its arguments are drawn next. */
unsigned jostle_draw_operation(unsigned count);
/* The scenario has been drawn: `count` operations, at most 32. Slot 0 is the caller, alone, before
   and after all others; 1, 2, … are threads side by side. */
void jostle_history_begin(unsigned count, const unsigned char* slots);
void jostle_operation_begin(unsigned number);
/* `result` as a number; with `is_address` only equality counts. */
void jostle_operation_end(unsigned number, uint64_t result, int is_address);
/* Between jostle_begin_showing and jostle_end_showing: how it is written. Null: as it was. */
void jostle_show_operation(unsigned number, const char* call, const char* result);
/* Is no operation running? */
int jostle_is_quiescent(void);
/* All have returned: the run fails here unless some order explains it. */
void jostle_history_end(const char* file, unsigned line);
/* Is this one of the runs that show what is right? */
int jostle_in_reference(void);
/* … one in which the caller itself calls all operations, in one order after the other, on an
   object made anew each time? The next order: numbers of operations; null: there is no more, and
   the run is to end. `is_new`: of a scenario that is to be drawn first. */
int jostle_in_order_session(void);
const unsigned char* jostle_next_order(unsigned* count, int* is_new);
/* Which orders count. */
enum jostle_consistency {
  JOSTLE_LINEARIZABLE_ORDER, /* what had returned before another was called comes first */
  JOSTLE_SEQUENTIAL_ORDER,   /* only within a thread */
  JOSTLE_QUIESCENT_ORDER,    /* only across moments at which nobody is in an operation */
  JOSTLE_ANY_ORDER           /* results are not looked at */
};
void jostle_history_order(enum jostle_consistency order);
/* Before jostle_history_begin: and operations may be so many places away from where they are in
   such an order. In the runs that show what is right one thread then calls all of them, as it
   chooses. */
void jostle_history_slack(unsigned places);

/* A test of progress: when `operation` has taken `after` steps, all other threads are stopped for
   good, but for the one of slot `partner` (0: none), with which it takes turns. The run fails if
   then no operation returns, or, with a bound, if it takes more steps. After that they go on. */
enum jostle_promise { JOSTLE_OBSTRUCTION_FREE = 1, JOSTLE_LOCK_FREE, JOSTLE_WAIT_FREE };
struct jostle_standstill {
  enum jostle_promise promise;
  unsigned operation, after, partner, turn, partner_turn, bound;
};
/* Behind jostle_history_begin. */
void jostle_history_standstill(const struct jostle_standstill* test);
/* Are threads stopped just now? */
int jostle_stands_still(void);

#ifdef __cplusplus
}
#endif

#endif
