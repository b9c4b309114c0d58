// Every kind of timer against every call that waits: the call is interrupted, the handler has run.
// A case is a wait and a kind; without an argument all of them, otherwise the one with that number.
// Timers are periodic where the call cannot let the signal in by itself: one that comes too early
// is followed by another.
#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "../check.h"

enum { kMilliseconds = 2 };
static volatile sig_atomic_t fired;
static sem_t posted;
static pthread_t main_thread;
static volatile int sig;  // by which the timer of this case comes

// A function's thread may be late, and send its signal into the next case.
static void handler(int number) {
  if (number != sig) return;
  fired = fired + 1;
  sem_post(&posted);
}

static struct timespec after(clockid_t clock, int milliseconds) {
  struct timespec time;
  CHECK_OK(clock_gettime(clock, &time));
  time.tv_nsec += milliseconds * 1000000L;
  if (time.tv_nsec >= 1000000000) time.tv_sec++, time.tv_nsec -= 1000000000;
  return time;
}

// ---- kinds --------------------------------------------------------------------------------------

static timer_t timer;
static int has_timer;

static void create(clockid_t clock, struct sigevent* event, int flags) {
  const struct timespec period = {0, kMilliseconds * 1000000L};
  const struct itimerspec setting = {
      .it_interval = period,
      .it_value = flags & TIMER_ABSTIME ? after(clock, kMilliseconds) : period};
  CHECK_OK(timer_create(clock, event, &timer));
  has_timer = 1;
  CHECK_OK(timer_settime(timer, flags, &setting, NULL));
}

static void by_setitimer(void) {
  const struct timeval period = {0, kMilliseconds * 1000};
  const struct itimerval setting = {period, period};
  sig = SIGALRM;
  CHECK_OK(setitimer(ITIMER_REAL, &setting, NULL));
}

static void by_monotonic(void) {
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = sig = SIGUSR2};
  create(CLOCK_MONOTONIC, &event, 0);
}

static void by_date(void) {
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = sig = SIGRTMIN + 3};
  create(CLOCK_REALTIME, &event, TIMER_ABSTIME);
}

static void by_thread_id(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = sig = SIGUSR2};
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  create(CLOCK_MONOTONIC, &event, 0);
}

static void call(union sigval value) { pthread_kill(main_thread, value.sival_int); }
static void by_function(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_value.sival_int = sig = SIGUSR1};
  event.sigev_notify_function = call;
  create(CLOCK_MONOTONIC, &event, 0);
}

static void (*const kinds[])(void) = {by_setitimer, by_monotonic, by_date, by_thread_id,
                                      by_function};
static const char* const kind_names[] = {"setitimer", "monotonic", "date", "thread id", "function"};
enum { kKinds = sizeof kinds / sizeof *kinds };

static void stop(void) {
  const struct itimerval none = {0};
  CHECK_OK(setitimer(ITIMER_REAL, &none, NULL));
  if (has_timer) CHECK_OK(timer_delete(timer));
  has_timer = 0;
}

// ---- waits --------------------------------------------------------------------------------------

static sigset_t only(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  return set;
}

#define UNTIL_FIRED(call)      \
  do CHECK_ERRNO(call, EINTR); \
  while (!fired)

static void in_pause(void) { UNTIL_FIRED(pause()); }
static void in_sigsuspend(void) {
  sigset_t block = only(sig), old;
  CHECK_OK(sigprocmask(SIG_BLOCK, &block, &old));
  UNTIL_FIRED(sigsuspend(&old));
  CHECK_OK(sigprocmask(SIG_SETMASK, &old, NULL));
}
static void in_sigwait(void) {
  sigset_t block = only(sig), old;
  int got = 0;
  CHECK_OK(sigprocmask(SIG_BLOCK, &block, &old));
  fired = 0;
  CHECK_RC(sigwait(&block, &got), 0);
  CHECK_EQ(got, sig);
  stop();
  struct timespec now = {0, 0};
  while (sigtimedwait(&block, NULL, &now) > 0) continue;  // those that came meanwhile
  CHECK_EQ(fired, 0);
  fired = 1;
  CHECK_OK(sigprocmask(SIG_SETMASK, &old, NULL));
}
static void in_sigtimedwait(void) {
  sigset_t block = only(sig), old;
  siginfo_t info;
  struct timespec long_time = {100, 0};
  CHECK_OK(sigprocmask(SIG_BLOCK, &block, &old));
  // The thread of the timer before may have been late, and its signal is another one.
  int got;
  do got = sigtimedwait(&block, &info, &long_time);
  while (got < 0 && errno == EINTR);
  CHECK_EQ(got, sig);
  CHECK_EQ(info.si_signo, sig);
  CHECK_OK(sigprocmask(SIG_SETMASK, &old, NULL));
  while (!fired) sched_yield();
}
static void in_sigwaitinfo_for_another(void) {
  sigset_t block = only(SIGQUIT), old;
  CHECK_OK(sigprocmask(SIG_BLOCK, &block, &old));
  UNTIL_FIRED(sigwaitinfo(&block, NULL));
  CHECK_OK(sigprocmask(SIG_SETMASK, &old, NULL));
}
static void in_nanosleep(void) {
  struct timespec time = {100, 0}, left = {0, 0};
  UNTIL_FIRED(nanosleep(&time, &left));
  CHECK(left.tv_sec >= 90);
}
static void in_clock_nanosleep(void) {
  struct timespec until = after(CLOCK_MONOTONIC, 0);
  until.tv_sec += 100;
  do CHECK_RC(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL), EINTR);
  while (!fired);
}
static void in_sleep(void) {
  while (!fired) CHECK(sleep(100) >= 90);
}
static void in_usleep(void) { UNTIL_FIRED(usleep(900000)); }
static int descriptors[2];
static void in_poll(void) {
  struct pollfd one = {descriptors[0], POLLIN, 0};
  UNTIL_FIRED(poll(&one, 1, 100000));
}
static void in_poll_for_ever(void) {
  struct pollfd one = {descriptors[0], POLLIN, 0};
  UNTIL_FIRED(poll(&one, 1, -1));
}
static void in_ppoll(void) {
  sigset_t block = only(sig), old;
  CHECK_OK(sigprocmask(SIG_BLOCK, &block, &old));
  struct pollfd one = {descriptors[0], POLLIN, 0};
  UNTIL_FIRED(ppoll(&one, 1, NULL, &old));
  CHECK_OK(sigprocmask(SIG_SETMASK, &old, NULL));
}
static void in_select(void) {
  fd_set set;
  do {
    struct timeval time = {100, 0};
    FD_ZERO(&set);
    FD_SET(descriptors[0], &set);
    CHECK_ERRNO(select(descriptors[0] + 1, &set, NULL, NULL, &time), EINTR);
  } while (!fired);
}
static void in_pselect(void) {
  sigset_t block = only(sig), old;
  CHECK_OK(sigprocmask(SIG_BLOCK, &block, &old));
  UNTIL_FIRED(pselect(0, NULL, NULL, NULL, NULL, &old));
  CHECK_OK(sigprocmask(SIG_SETMASK, &old, NULL));
}
static void in_epoll_wait(void) {
  int set = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, descriptors[0], &event));
  UNTIL_FIRED(epoll_wait(set, &event, 1, -1));
  CHECK_OK(close(set));
}
static void in_read(void) {
  char byte;
  UNTIL_FIRED(read(descriptors[0], &byte, 1));
}
static void in_recv(void) {
  int pair[2];
  char byte;
  CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  UNTIL_FIRED(recv(pair[0], &byte, 1, 0));
  close(pair[0]), close(pair[1]);
}
static void in_accept(void) {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  CHECK_OK(listen(listener, 1));
  UNTIL_FIRED(accept(listener, NULL, NULL));
  close(listener);
}
static void in_eventfd_read(void) {
  uint64_t count;
  int fd = eventfd(0, 0);
  UNTIL_FIRED(read(fd, &count, sizeof count));
  close(fd);
}
static void in_sem_wait(void) {
  while (sem_wait(&posted) != 0) CHECK_EQ(errno, EINTR);
  CHECK(fired);
}
static void in_sem_timedwait(void) {
  struct timespec until = after(CLOCK_REALTIME, 0);
  until.tv_sec += 100;
  while (sem_timedwait(&posted, &until) != 0) CHECK_EQ(errno, EINTR);
  CHECK(fired);
}
static void in_mq_receive(void) {
  char name[64], byte[8];
  snprintf(name, sizeof name, "/timer_waits_%d", (int)getpid());
  struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
  mqd_t queue = mq_open(name, O_CREAT | O_RDWR | O_EXCL, 0600, &attributes);
  CHECK(queue >= 0);
  CHECK_OK(mq_unlink(name));
  UNTIL_FIRED(mq_receive(queue, byte, sizeof byte, NULL));
  CHECK_OK(mq_close(queue));
}
static void in_semop(void) {
  int set = semget(IPC_PRIVATE, 1, 0600);
  CHECK(set >= 0);
  struct sembuf down = {0, -1, 0};
  UNTIL_FIRED(semop(set, &down, 1));
  CHECK_OK(semctl(set, 0, IPC_RMID));
}
static void in_msgrcv(void) {
  struct {
    long type;
    char text[8];
  } message;
  int queue = msgget(IPC_PRIVATE, 0600);
  CHECK(queue >= 0);
  UNTIL_FIRED(msgrcv(queue, &message, sizeof message.text, 0, 0));
  CHECK_OK(msgctl(queue, IPC_RMID, NULL));
}
static void in_loop_on_flag(void) {
  while (!fired) continue;
}
static long turns;
static void in_loop_that_counts(void) {
  while (!fired) turns++;
}
static void in_loop_of_yields(void) {
  while (!fired) sched_yield();
}
static void in_loop_on_clock(void) {
  while (!fired) after(CLOCK_MONOTONIC, 0);
}
static void in_loop_of_locks(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  while (!fired) {
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
    turns++;
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  }
}

#define WAIT(name) \
  { #name, name }
static const struct {
  const char* name;
  void (*run)(void);
} waits[] = {
    WAIT(in_pause),
    WAIT(in_sigsuspend),
    WAIT(in_sigwait),
    WAIT(in_sigtimedwait),
    WAIT(in_sigwaitinfo_for_another),
    WAIT(in_nanosleep),
    WAIT(in_clock_nanosleep),
    WAIT(in_sleep),
    WAIT(in_usleep),
    WAIT(in_poll),
    WAIT(in_poll_for_ever),
    WAIT(in_ppoll),
    WAIT(in_select),
    WAIT(in_pselect),
    WAIT(in_epoll_wait),
    WAIT(in_read),
    WAIT(in_recv),
    WAIT(in_accept),
    WAIT(in_eventfd_read),
    WAIT(in_sem_wait),
    WAIT(in_sem_timedwait),
    WAIT(in_mq_receive),
    WAIT(in_semop),
    WAIT(in_msgrcv),
    WAIT(in_loop_on_flag),
    WAIT(in_loop_that_counts),
    WAIT(in_loop_of_yields),
    WAIT(in_loop_on_clock),
    WAIT(in_loop_of_locks),
};
enum { kWaits = sizeof waits / sizeof *waits };

static void run(int number) {
  fired = 0;
  CHECK_OK(sem_init(&posted, 0, 0));
  kinds[number % kKinds]();
  waits[number / kKinds].run();
  CHECK(fired);
  stop();
  printf("%d: %s, %s\n", number, waits[number / kKinds].name, kind_names[number % kKinds]);
}

int main(int count, char** arguments) {
  main_thread = pthread_self();
  CHECK_OK(pipe(descriptors));
  struct sigaction action = {.sa_handler = handler};
  const int signals[] = {SIGALRM, SIGUSR1, SIGUSR2, SIGRTMIN + 3};
  for (int i = 0; i < 4; i++) CHECK_OK(sigaction(signals[i], &action, NULL));
  // The functions of a timer run in threads that block no signal; this one is to get them.
  if (count > 1) {
    run(atoi(arguments[1]));
  } else {
    for (int i = 0; i < kWaits * kKinds; i++) run(i);
  }
  return check_passed("timer_waits");
}

// SPDX-License-Identifier: Apache-2.0
