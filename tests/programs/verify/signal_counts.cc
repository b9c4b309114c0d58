// Numbers of executions of programs that wait for signals: see counted.h.
#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "counted.h"

static std::atomic<int> stored;

NOT_SEEN static sigset_t* set_of_one() {
  static sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  return &set;
}

static void block() { pthread_sigmask(SIG_BLOCK, set_of_one(), nullptr); }

static void wait_for_it(int) {
  int signal;
  sigwait(set_of_one(), &signal);
}

COUNTED(one) {
  block();
  start<wait_for_it>();
  pthread_kill(counted_threads[0], SIGUSR1);
}

static void wait_and_look(int) {
  wait_for_it(0);
  if (stored == 0) abort();
}

// What is stored before the signal is sent is there; what is stored after it may be.
COUNTED(store_and_send) {
  block();
  start<wait_and_look>();
  stored = 1;
  pthread_kill(counted_threads[0], SIGUSR1);
  stored = 2;
}

COUNTED(send_and_store) {
  block();
  start<wait_and_look>();
  pthread_kill(counted_threads[0], SIGUSR1);
  stored = 1;
}

static void send(int) { kill(getpid(), SIGUSR1); }

// Main has it behind the first or behind both, which are one then.
COUNTED(two_send) {
  block();
  start_each<send>(2);
  wait_for_it(0);
}

// Two that are sent before anybody has the first are one, and the other waits for ever.
COUNTED(two_wait) {
  block();
  start_each<wait_for_it>(2);
  kill(getpid(), SIGUSR1);
  kill(getpid(), SIGUSR1);
}

static void wait_no_longer(int) {
  const timespec no_time = {};
  siginfo_t info;
  if (sigtimedwait(set_of_one(), &info, &no_time) == SIGUSR1) stored = 1;
}

COUNTED(look_for_it) {
  block();
  start<wait_no_longer>();
  kill(getpid(), SIGUSR1);
}

static void handle(int) {}

// While there is one thread, whatever becomes of signals.
COUNTED(handled_alone) {
  signal(SIGUSR1, handle);
  raise(SIGUSR1);
  block();
  raise(SIGUSR1);
  start_each<wait_no_longer>(2);
}

// Not explored: one that is not blocked, and masks that change.

COUNTED(handled) {
  signal(SIGUSR1, handle);
  start<send>();
}

static void block_it(int) { block(); }

COUNTED(blocked_late) {
  signal(SIGUSR1, SIG_IGN);
  start<block_it>();
  pthread_kill(counted_threads[0], SIGUSR1);
}

// SPDX-License-Identifier: Apache-2.0
