// What a process does with its children: signals to those that wait for one, waits for what they
// write, with a time-out that is longer than it takes, and forks while another thread wants a lock.
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "../check.h"

static volatile sig_atomic_t told;
static void tell(int sig) { told = sig; }

static int wait_for(pid_t pid) {
  int status = -1;
  CHECK_EQ(waitpid(pid, &status, 0), pid);
  CHECK(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void signals_end_waits(void) {
  const struct sigaction action = {.sa_handler = tell};
  CHECK_OK(sigaction(SIGTERM, &action, NULL));
  sigset_t term, before;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  CHECK_RC(pthread_sigmask(SIG_BLOCK, &term, &before), 0);
  const pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    while (!told) sigsuspend(&before);
    _exit(10);
  }
  CHECK_OK(kill(pid, SIGTERM));
  CHECK_EQ(wait_for(pid), 10);
  CHECK_RC(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
}

static void a_child_that_waits_is_killed(void) {
  const pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    for (;;) pause();
  }
  usleep(2000);
  CHECK_OK(kill(pid, SIGKILL));
  int status = -1;
  CHECK_EQ(waitpid(pid, &status, 0), pid);
  CHECK(WIFSIGNALED(status));
}

static void input_comes_before_the_time_out(void) {
  int ends[2];
  CHECK_OK(pipe(ends));
  const pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    usleep(2000);
    _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
  }
  struct pollfd wanted = {ends[0], POLLIN, 0};
  CHECK_EQ(poll(&wanted, 1, 20000), 1);
  CHECK_EQ(wait_for(pid), 0);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void lock(void) { pthread_mutex_lock(&mutex); }
static void unlock(void) { pthread_mutex_unlock(&mutex); }

static void* adds(void* unused) {
  for (int i = 0; i < 3; i++) {
    lock();
    value++;
    unlock();
  }
  return unused;
}

static void a_lock_survives_a_fork(void) {
  CHECK_RC(pthread_atfork(lock, unlock, unlock), 0);
  pthread_t thread;
  CHECK_RC(pthread_create(&thread, NULL, adds, NULL), 0);
  const pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    adds(NULL);
    _exit(value >= 3 ? 0 : 1);
  }
  CHECK_EQ(wait_for(pid), 0);
  CHECK_RC(pthread_join(thread, NULL), 0);
  CHECK_EQ(value, 3);
}

int main(int argc, char** argv) {
  (void)argv;
  if (argc == 1) {
    signals_end_waits();
    a_child_that_waits_is_killed();
    input_comes_before_the_time_out();
  }
  a_lock_survives_a_fork();
  return check_passed("proc_children");
}

// SPDX-License-Identifier: Apache-2.0
