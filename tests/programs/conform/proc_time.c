// Processes that the program has forked share its time: who sleeps gives the others as much of it.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../check.h"

static void ignore(int number) { (void)number; }

static double seconds(void) {
  struct timespec now;
  CHECK_OK(clock_gettime(CLOCK_MONOTONIC, &now));
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void end_well(pid_t process) {
  int status;
  CHECK_EQ(waitpid(process, &status, 0), process);
  CHECK_EQ(status, 0);
}

// A second is enough to get ready for a signal.
static void interrupts_a_child(void) {
  const pid_t process = fork();
  if (process == 0) {
    struct sigaction action = {.sa_handler = ignore};
    CHECK_OK(sigaction(SIGABRT, &action, NULL));
    CHECK(sleep(30) >= 28);
    _exit(0);
  }
  sleep(1);
  CHECK_OK(kill(process, SIGABRT));
  end_well(process);
}

static void waits_for_one_that_sleeps(void) {
  const double before = seconds();
  const pid_t process = fork();
  if (process == 0) {
    sleep(5);
    _exit(0);
  }
  end_well(process);
  CHECK(seconds() - before >= 5);
}

// The one that sleeps less comes first.
static void asks_one_that_sleeps(void) {
  int answer[2];
  CHECK_OK(pipe(answer));
  const pid_t process = fork();
  if (process == 0) {
    sleep(20);
    CHECK_EQ(write(answer[1], "x", 1), 1);
    _exit(0);
  }
  struct pollfd set = {answer[0], POLLIN, 0};
  CHECK_EQ(poll(&set, 1, 5000), 0);
  CHECK_EQ(poll(&set, 1, 300000), 1);
  end_well(process);
}

int main(void) {
  interrupts_a_child();
  waits_for_one_that_sleeps();
  asks_one_that_sleeps();
  return check_passed("proc_time");
}

// SPDX-License-Identifier: Apache-2.0
