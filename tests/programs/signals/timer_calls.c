// What the calls about timers return, keep and deliver. Without an argument all cases, otherwise
// the one with that number.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "../check.h"

enum { kMs = 1000000 };
static volatile sig_atomic_t fired, last_code, last_value;
static char order[8];
static volatile sig_atomic_t order_length;

static void handler(int sig, siginfo_t* info, void* context) {
  (void)context;
  last_code = info->si_code;
  last_value = info->si_value.sival_int;
  if (order_length < 7) order[order_length++] = sig == SIGUSR1 ? 'a' : sig == SIGUSR2 ? 'b' : 'c';
  fired = fired + 1;
}

static struct itimerspec once(long ns) {
  return (struct itimerspec){.it_value = {ns / 1000000000, ns % 1000000000}};
}
static struct itimerspec every(long ns) {
  struct itimerspec setting = once(ns);
  setting.it_interval = setting.it_value;
  return setting;
}
static timer_t create(clockid_t clock, int sig, int value) {
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = sig};
  event.sigev_value.sival_int = value;
  timer_t timer;
  CHECK_OK(timer_create(clock, &event, &timer));
  return timer;
}
static void set(timer_t timer, struct itimerspec setting) {
  CHECK_OK(timer_settime(timer, 0, &setting, NULL));
}
static void nap(long ns) {
  struct timespec left = {ns / 1000000000, ns % 1000000000};
  while (nanosleep(&left, &left) != 0) CHECK_EQ(errno, EINTR);
}
static void block(int sig, int how) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, sig);
  CHECK_OK(sigprocmask(how, &set, NULL));
}
static long to_ns(struct timespec time) { return time.tv_sec * 1000000000L + time.tv_nsec; }

static void alarm_returns_what_was_left(void) {
  CHECK_EQ(alarm(100), 0);
  const unsigned left = alarm(50);
  CHECK(left == 100 || left == 99);
  CHECK(alarm(0) >= 49);
  CHECK_EQ(alarm(0), 0);
}
static void ualarm_repeats(void) {
  CHECK_EQ(ualarm(2000, 2000), 0);
  while (fired < 3) pause();
  CHECK(ualarm(0, 0) <= 2000);
}
static void getitimer_counts_down(void) {
  struct itimerval setting = {.it_value = {.tv_sec = 50}}, now;
  CHECK_OK(setitimer(ITIMER_REAL, &setting, NULL));
  nap(5 * kMs);
  CHECK_OK(getitimer(ITIMER_REAL, &now));
  CHECK(now.it_value.tv_sec == 49 && now.it_interval.tv_sec == 0);
  struct itimerval old, none = {0};
  CHECK_OK(setitimer(ITIMER_REAL, &none, &old));
  CHECK_EQ(old.it_value.tv_sec, 49);
  CHECK_OK(getitimer(ITIMER_REAL, &now));
  CHECK(now.it_value.tv_sec == 0 && now.it_value.tv_usec == 0);
}
static void setitimer_refuses(void) {
  struct itimerval wrong = {.it_value = {.tv_usec = 1000000}};
  CHECK_ERRNO(setitimer(ITIMER_REAL, &wrong, NULL), EINVAL);
  wrong.it_value.tv_usec = -1;
  CHECK_ERRNO(setitimer(ITIMER_REAL, &wrong, NULL), EINVAL);
  struct itimerval right = {0};
  CHECK_ERRNO(setitimer((enum __itimer_which)7, &right, NULL), EINVAL);
  CHECK_ERRNO(getitimer((enum __itimer_which)7, &right), EINVAL);
}
static void setitimer_signal_is_the_kernels(void) {
  struct itimerval setting = {.it_value = {.tv_usec = 1000}};
  CHECK_OK(setitimer(ITIMER_REAL, &setting, NULL));
  while (!fired) nap(kMs);
  CHECK_EQ(last_code, SI_KERNEL);
  CHECK_EQ(fired, 1);
}
static void busy(void) {
  static volatile long turns;
  while (!fired) turns++;
}
static void virtual_timer_while_busy(void) {
  struct itimerval setting = {.it_value = {.tv_usec = 5000}};
  CHECK_OK(setitimer(ITIMER_VIRTUAL, &setting, NULL));
  busy();
}
static void profiling_timer_while_busy(void) {
  struct itimerval setting = {.it_value = {.tv_usec = 5000}, .it_interval = {.tv_usec = 5000}};
  CHECK_OK(setitimer(ITIMER_PROF, &setting, NULL));
  busy();
  struct itimerval none = {0};
  CHECK_OK(setitimer(ITIMER_PROF, &none, NULL));
}
static void processor_timers_rest_in_sleep(void) {
  struct itimerval setting = {.it_value = {.tv_usec = 20000}}, none = {0};
  CHECK_OK(setitimer(ITIMER_VIRTUAL, &setting, NULL));
  CHECK_OK(setitimer(ITIMER_PROF, &setting, NULL));
  struct timespec time = {0, 40 * kMs};
  CHECK_OK(nanosleep(&time, NULL));
  CHECK_EQ(fired, 0);
  CHECK_OK(setitimer(ITIMER_VIRTUAL, &none, NULL));
  CHECK_OK(setitimer(ITIMER_PROF, &none, NULL));
}
static void timer_of_processor_time(void) {
  timer_t timer = create(CLOCK_PROCESS_CPUTIME_ID, SIGUSR1, 1);
  set(timer, once(5 * kMs));
  busy();
  CHECK_OK(timer_delete(timer));
}
static void timer_of_thread_time(void) {
  timer_t timer = create(CLOCK_THREAD_CPUTIME_ID, SIGUSR1, 1);
  set(timer, once(5 * kMs));
  busy();
  CHECK_OK(timer_delete(timer));
}
static void timer_brings_its_value(void) {
  timer_t timer = create(CLOCK_MONOTONIC, SIGUSR1, 77);
  set(timer, once(kMs));
  while (!fired) nap(kMs);
  CHECK_EQ(last_code, SI_TIMER);
  CHECK_EQ(last_value, 77);
  CHECK_OK(timer_delete(timer));
}
static void without_event_it_is_alarm(void) {
  timer_t timer;
  CHECK_OK(timer_create(CLOCK_REALTIME, NULL, &timer));
  set(timer, once(kMs));
  while (!fired) nap(kMs);
  CHECK_EQ(order[0], 'c');
  CHECK_OK(timer_delete(timer));
}
static void timers_strike_in_order(void) {
  block(SIGUSR1, SIG_BLOCK), block(SIGUSR2, SIG_BLOCK);
  timer_t late = create(CLOCK_MONOTONIC, SIGUSR1, 0), early = create(CLOCK_MONOTONIC, SIGUSR2, 0);
  set(late, once(40 * kMs));
  set(early, once(2 * kMs));
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGUSR1), sigaddset(&both, SIGUSR2);
  CHECK_EQ(sigwaitinfo(&both, NULL), SIGUSR2);
  CHECK_EQ(sigwaitinfo(&both, NULL), SIGUSR1);
  CHECK_OK(timer_delete(late));
  CHECK_OK(timer_delete(early));
}
static void gettime_after_the_end(void) {
  timer_t timer = create(CLOCK_MONOTONIC, SIGUSR1, 0);
  struct itimerspec now;
  CHECK_OK(timer_gettime(timer, &now));
  CHECK_EQ(to_ns(now.it_value), 0);
  set(timer, once(kMs));
  while (!fired) nap(kMs);
  CHECK_OK(timer_gettime(timer, &now));
  CHECK(to_ns(now.it_value) == 0 && to_ns(now.it_interval) == 0);
  CHECK_OK(timer_delete(timer));
}
static void settime_returns_the_old_setting(void) {
  timer_t timer = create(CLOCK_MONOTONIC, SIGUSR1, 0);
  set(timer, every(90000000000L));
  struct itimerspec other = once(50000000000L), old;
  CHECK_OK(timer_settime(timer, 0, &other, &old));
  CHECK_EQ(to_ns(old.it_interval), 90000000000L);
  CHECK(to_ns(old.it_value) > 80000000000L && to_ns(old.it_value) <= 90000000000L);
  CHECK_OK(timer_gettime(timer, &other));
  CHECK(to_ns(other.it_value) > 40000000000L && to_ns(other.it_interval) == 0);
  CHECK_OK(timer_delete(timer));
}
static void disarmed_it_is_silent(void) {
  timer_t timer = create(CLOCK_MONOTONIC, SIGUSR1, 0);
  set(timer, once(50 * kMs));
  set(timer, once(0));
  nap(60 * kMs);
  CHECK_EQ(fired, 0);
  set(timer, once(30 * kMs));
  CHECK_OK(timer_delete(timer));
  nap(40 * kMs);
  CHECK_EQ(fired, 0);
}
static void a_time_of_the_past_strikes_at_once(void) {
  timer_t timer = create(CLOCK_REALTIME, SIGUSR1, 0);
  struct itimerspec past = {.it_value = {.tv_sec = 1}};
  CHECK_OK(timer_settime(timer, TIMER_ABSTIME, &past, NULL));
  while (!fired) nap(kMs);
  CHECK_OK(timer_delete(timer));
}
static void overruns_are_counted(void) {
  block(SIGRTMIN + 2, SIG_BLOCK);
  timer_t timer = create(CLOCK_MONOTONIC, SIGRTMIN + 2, 5);
  set(timer, every(kMs));
  nap(20 * kMs);
  sigset_t set_of_it;
  siginfo_t info;
  sigemptyset(&set_of_it);
  sigaddset(&set_of_it, SIGRTMIN + 2);
  CHECK_EQ(sigwaitinfo(&set_of_it, &info), SIGRTMIN + 2);
  CHECK(info.si_overrun >= 15);
  CHECK_EQ(info.si_overrun, timer_getoverrun(timer));
  CHECK_EQ(info.si_value.sival_int, 5);
  CHECK_OK(timer_delete(timer));
  struct timespec none = {0};
  while (sigtimedwait(&set_of_it, &info, &none) > 0) continue;
}
static void bad_timers(void) {
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = 1000};
  timer_t timer;
  CHECK_ERRNO(timer_create(CLOCK_MONOTONIC, &event, &timer), EINVAL);
  event = (struct sigevent){.sigev_notify = 99, .sigev_signo = SIGUSR1};
  CHECK_ERRNO(timer_create(CLOCK_MONOTONIC, &event, &timer), EINVAL);
  CHECK_ERRNO(timer_create(12345, NULL, &timer), EINVAL);
  timer = create(CLOCK_MONOTONIC, SIGUSR1, 0);
  struct itimerspec wrong = {.it_value = {.tv_nsec = 1000000000}};
  CHECK_ERRNO(timer_settime(timer, 0, &wrong, NULL), EINVAL);
  CHECK_OK(timer_delete(timer));
  CHECK_EQ(syscall(SYS_timer_delete, 12345), -1);
  CHECK_EQ(errno, EINVAL);
}
static void nobody_is_notified(void) {
  struct sigevent event = {.sigev_notify = SIGEV_NONE};
  timer_t timer;
  CHECK_OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  set(timer, once(5 * kMs));
  struct itimerspec now;
  do CHECK_OK(timer_gettime(timer, &now));
  while (to_ns(now.it_value) != 0);
  CHECK_EQ(fired, 0);
  CHECK_OK(timer_delete(timer));
}

static sem_t called;
static int value_seen;
static pthread_t caller;
static void function(union sigval value) {
  value_seen = value.sival_int;
  caller = pthread_self();
  sem_post(&called);
}
static void wait_for(sem_t* semaphore) {
  while (sem_wait(semaphore) != 0) CHECK_EQ(errno, EINTR);
}
static void functions_run_in_threads(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD};
  event.sigev_notify_function = function;
  event.sigev_value.sival_int = 42;
  CHECK_OK(sem_init(&called, 0, 0));
  timer_t timer;
  CHECK_OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  set(timer, once(kMs));
  wait_for(&called);
  CHECK_EQ(value_seen, 42);
  CHECK(!pthread_equal(caller, pthread_self()));
  CHECK_OK(timer_delete(timer));
}
static int times_called;
static void counting(union sigval value) {
  (void)value;
  __atomic_fetch_add(&times_called, 1, __ATOMIC_SEQ_CST);
  sem_post(&called);
}
static void functions_run_again(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD};
  event.sigev_notify_function = counting;
  CHECK_OK(sem_init(&called, 0, 0));
  timer_t timer;
  CHECK_OK(timer_create(CLOCK_REALTIME, &event, &timer));
  set(timer, every(kMs));
  for (int i = 0; i < 3; i++) wait_for(&called);
  CHECK_OK(timer_delete(timer));
  CHECK(__atomic_load_n(&times_called, __ATOMIC_SEQ_CST) >= 3);
}

static __thread int own_number;
static sem_t begun, handled;
static volatile sig_atomic_t handled_in;
static void note_thread(int sig) {
  (void)sig;
  handled_in = own_number;
  sem_post(&handled);
}
static sem_t may_end;
static pid_t worker_id;
static void* worker(void* arg) {
  own_number = 7;
  worker_id = (pid_t)syscall(SYS_gettid);
  sem_post(&begun);
  while (sem_wait(&may_end) != 0) CHECK_EQ(errno, EINTR);
  return arg;
}
static void one_thread_is_meant(void) {
  struct sigaction action = {.sa_handler = note_thread};
  CHECK_OK(sigaction(SIGRTMIN + 4, &action, NULL));
  CHECK_OK(sem_init(&begun, 0, 0));
  CHECK_OK(sem_init(&handled, 0, 0));
  CHECK_OK(sem_init(&may_end, 0, 0));
  pthread_t thread;
  CHECK_RC(pthread_create(&thread, NULL, worker, NULL), 0);
  wait_for(&begun);
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 4};
  event._sigev_un._tid = worker_id;
  timer_t timer;
  CHECK_OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  set(timer, once(kMs));
  wait_for(&handled);
  CHECK_EQ(handled_in, 7);
  CHECK_OK(sem_post(&may_end));
  CHECK_RC(pthread_join(thread, NULL), 0);
  CHECK_OK(timer_delete(timer));
}
static void a_child_has_no_timers(void) {
  CHECK_EQ(alarm(100), 0);
  pid_t child = fork();
  if (child == 0) _exit(alarm(0) == 0 ? 3 : 4);
  int status;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(WEXITSTATUS(status), 3);
  CHECK(alarm(0) >= 98);
}
static void an_alarm_survives_exec(void) {
  pid_t child = fork();
  if (child == 0) {
    struct itimerval setting = {.it_value = {.tv_usec = 20000}};
    signal(SIGALRM, SIG_DFL);
    setitimer(ITIMER_REAL, &setting, NULL);
    execl("/bin/sleep", "sleep", "100", (char*)NULL);
    _exit(1);
  }
  int status;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
}
static void a_guard_does_not_bite(void) {
  CHECK_EQ(alarm(5), 0);
  long sum = 0;
  static volatile long memory[64];
  for (int i = 0; i < 200000; i++) sum += memory[i % 64]++;
  CHECK(sum > 0);
  CHECK_EQ(fired, 0);
  CHECK(alarm(0) >= 1);
}
static void ignored_it_wakes_nobody(void) {
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  CHECK_OK(sigaction(SIGUSR1, &ignore, NULL));
  timer_t timer = create(CLOCK_MONOTONIC, SIGUSR1, 0);
  set(timer, every(kMs));
  struct timespec time = {0, 10 * kMs};
  CHECK_OK(nanosleep(&time, NULL));
  CHECK_OK(timer_delete(timer));
}
static void restarted_reads_go_on(void) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART};
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  int ends[2];
  CHECK_OK(pipe(ends));
  timer_t timer = create(CLOCK_MONOTONIC, SIGUSR1, 0);
  set(timer, every(2 * kMs));
  pid_t child = fork();
  if (child == 0) {
    nap(10 * kMs);
    _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
  }
  char byte = 0;
  CHECK_EQ(read(ends[0], &byte, 1), 1);
  CHECK_EQ(byte, 'x');
  while (waitpid(child, NULL, 0) < 0) CHECK_EQ(errno, EINTR);
  CHECK_OK(timer_delete(timer));
  close(ends[0]), close(ends[1]);
}

#define CASE(name) \
  { #name, name }
static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {
    CASE(alarm_returns_what_was_left),
    CASE(ualarm_repeats),
    CASE(getitimer_counts_down),
    CASE(setitimer_refuses),
    CASE(setitimer_signal_is_the_kernels),
    CASE(virtual_timer_while_busy),
    CASE(profiling_timer_while_busy),
    CASE(processor_timers_rest_in_sleep),
    CASE(timer_of_processor_time),
    CASE(timer_of_thread_time),
    CASE(timer_brings_its_value),
    CASE(without_event_it_is_alarm),
    CASE(timers_strike_in_order),
    CASE(gettime_after_the_end),
    CASE(settime_returns_the_old_setting),
    CASE(disarmed_it_is_silent),
    CASE(a_time_of_the_past_strikes_at_once),
    CASE(overruns_are_counted),
    CASE(bad_timers),
    CASE(nobody_is_notified),
    CASE(functions_run_in_threads),
    CASE(functions_run_again),
    CASE(one_thread_is_meant),
    CASE(a_guard_does_not_bite),
    CASE(ignored_it_wakes_nobody),
    // These create processes.
    CASE(a_child_has_no_timers),
    CASE(an_alarm_survives_exec),
    CASE(restarted_reads_go_on),
};
enum { kCases = sizeof cases / sizeof *cases };

static void run(int number) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
  const int signals[] = {SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2};
  for (int i = 0; i < 5; i++) {
    block(signals[i], SIG_UNBLOCK);
    CHECK_OK(sigaction(signals[i], &action, NULL));
  }
  fired = order_length = 0;
  cases[number].run();
  printf("%d: %s\n", number, cases[number].name);
}

int main(int count, char** arguments) {
  if (count > 1) {
    run(atoi(arguments[1]));
  } else {
    for (int i = 0; i < kCases; i++) run(i);
  }
  return check_passed("timer_calls");
}

// SPDX-License-Identifier: Apache-2.0
