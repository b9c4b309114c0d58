// A thread that waits for a child process is interrupted, or waits on, as signal(7) tells.
#define _GNU_SOURCE
#include <sys/wait.h>

#include "cases.h"

static atomic_int over, handler_runs;
static pid_t child;
static int ends[2];

static void count(int sig) {
  (void)sig;
  atomic_fetch_add(&handler_runs, 1);
}
// It ends when its pipe is closed.
static void make_child(void) {
  CHECK_OK(pipe(ends));
  fflush(NULL);
  child = fork();
  CHECK_OK(child);
  if (child == 0) {
    char byte;
    close(ends[1]);
    _exit(read(ends[0], &byte, 1) == 0 ? 9 : 1);
  }
  close(ends[0]);
}
static int wait_by_pid(int* status) { return waitpid(child, status, 0); }
static int wait_for_any(int* status) { return wait(status); }
static int wait_by_id(int* status) {
  siginfo_t info;
  const int result = waitid(P_PID, (id_t)child, &info, WEXITED);
  if (result == 0) *status = info.si_status << 8;
  return result == 0 ? child : -1;
}
static int (*wait_call)(int*);

static void* wait_until_interrupted(void* unused) {
  int status;
  CHECK_ERRNO(wait_call(&status), EINTR);
  atomic_store(&over, 1);
  return unused;
}
static void* wait_until_it_ends(void* unused) {
  int status;
  CHECK_EQ(wait_call(&status), child);
  CHECK_EQ(WEXITSTATUS(status), 9);
  return unused;
}
static void begin(int flags) {
  make_child();
  atomic_store(&over, 0);
  atomic_store(&handler_runs, 0);
  on_signal(SIGUSR1, count, flags);
}
static void interrupted(int (*call)(int*)) {
  int status;
  wait_call = call;
  begin(0);
  const pthread_t thread = start(wait_until_interrupted);
  while (!atomic_load(&over)) {
    nap();
    if (!atomic_load(&over)) CHECK_RC(pthread_kill(thread, SIGUSR1), 0);
  }
  join(thread);
  close(ends[1]);
  CHECK_EQ(waitpid(child, &status, 0), child);
}
static void restarted(int (*call)(int*)) {
  wait_call = call;
  begin(SA_RESTART);
  const pthread_t thread = start(wait_until_it_ends);
  for (int i = 1; i <= 2; ++i) {
    nap();
    CHECK_RC(pthread_kill(thread, SIGUSR1), 0);
    while (atomic_load(&handler_runs) < i) nap();
  }
  close(ends[1]);
  join(thread);
}
static void waitpid_interrupted(void) { interrupted(wait_by_pid); }
static void waitpid_restarted(void) { restarted(wait_by_pid); }
static void wait_interrupted(void) { interrupted(wait_for_any); }
static void wait_restarted(void) { restarted(wait_for_any); }
static void waitid_interrupted(void) { interrupted(wait_by_id); }
static void waitid_restarted(void) { restarted(wait_by_id); }

static const Case cases[] = {
    CASE(waitpid_interrupted), CASE(waitpid_restarted),  CASE(wait_interrupted),
    CASE(wait_restarted),      CASE(waitid_interrupted), CASE(waitid_restarted),
};

int main(int argc, char** argv) { return RUN_CASES("children", cases, argc, argv); }

// SPDX-License-Identifier: Apache-2.0
