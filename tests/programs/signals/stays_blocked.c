// A signal for a thread that waits for a lock, a condition, a barrier, another thread: the handler
// runs meanwhile, and the thread goes on waiting. None of these calls ever fails with EINTR.
#define _GNU_SOURCE
#include <stdio_ext.h>
#include <sys/syscall.h>
#include <threads.h>

#include "cases.h"

static sem_t handled, arrived;
static atomic_int through;  // the worker has got what it waited for

static void note(int sig) {
  (void)sig;
  CHECK_EQ(atomic_load(&through), 0);
  sem_post(&handled);
}

static void send_by_pthread_kill(pthread_t to) { CHECK_RC(pthread_kill(to, SIGUSR1), 0); }

static void (*send_signal)(pthread_t to) = send_by_pthread_kill;

// Until the handler has run the worker cannot be through: nobody has let it.
static void interrupt_while_blocked(void* (*worker)(void*), void (*let_through)(void)) {
  sem_init(&handled, 0, 0);
  sem_init(&arrived, 0, 0);
  atomic_store(&through, 0);
  on_signal(SIGUSR1, note, 0);
  const pthread_t thread = start(worker);
  take(&arrived);
  for (int i = 0; i < 2; ++i) {
    nap();
    send_signal(thread);
    take(&handled);
  }
  let_through();
  join(thread);
  CHECK_EQ(atomic_load(&through), 1);
}

// `shut` is done by main first, `wait` by the worker, `open` by main after the signals.
#define BLOCKED(name, shut, wait, open)                  \
  static void* name##_worker(void* unused) {             \
    sem_post(&arrived);                                  \
    wait;                                                \
    atomic_store(&through, 1);                           \
    return unused;                                       \
  }                                                      \
  static void name##_open(void) { open; }                \
  static void name(void) {                               \
    shut;                                                \
    interrupt_while_blocked(name##_worker, name##_open); \
  }

// Again and again until it is no time-out.
#define PATIENTLY(clock, call)   \
  do {                           \
    struct timespec until;       \
    int code;                    \
    do {                         \
      until = later(clock);      \
      code = (call);             \
    } while (code == ETIMEDOUT); \
    CHECK_EQ(code, 0);           \
  } while (0)

// ---- mutexes

static pthread_mutex_t mutex;

static void lock_new_mutex(int type, int protocol, int robust) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setprotocol(&attributes, protocol);
  pthread_mutexattr_setrobust(&attributes, robust);
  CHECK_RC(pthread_mutex_init(&mutex, &attributes), 0);
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
}
static void unlock(void) { CHECK_RC(pthread_mutex_unlock(&mutex), 0); }
static void lock(void) {
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  unlock();
}

BLOCKED(mutex_normal, lock_new_mutex(PTHREAD_MUTEX_NORMAL, 0, 0), lock(), unlock())
BLOCKED(mutex_recursive, lock_new_mutex(PTHREAD_MUTEX_RECURSIVE, 0, 0), lock(), unlock())
BLOCKED(mutex_checking, lock_new_mutex(PTHREAD_MUTEX_ERRORCHECK, 0, 0), lock(), unlock())
BLOCKED(mutex_adaptive, lock_new_mutex(PTHREAD_MUTEX_ADAPTIVE_NP, 0, 0), lock(), unlock())
BLOCKED(mutex_robust, lock_new_mutex(0, 0, PTHREAD_MUTEX_ROBUST), lock(), unlock())
BLOCKED(mutex_inheriting, lock_new_mutex(0, PTHREAD_PRIO_INHERIT, 0), lock(), unlock())
BLOCKED(mutex_timedlock, lock_new_mutex(0, 0, 0),
        PATIENTLY(CLOCK_REALTIME, pthread_mutex_timedlock(&mutex, &until));
        unlock(), unlock())
BLOCKED(mutex_clocklock, lock_new_mutex(0, 0, 0),
        PATIENTLY(CLOCK_MONOTONIC, pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until));
        unlock(), unlock())

// ---- read-write locks

static pthread_rwlock_t rwlock;

static void new_rwlock(int kind) {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, kind);
  CHECK_RC(pthread_rwlock_init(&rwlock, &attributes), 0);
}
static void hold_for_writing(int kind) {
  new_rwlock(kind);
  CHECK_RC(pthread_rwlock_wrlock(&rwlock), 0);
}
static void hold_for_reading(int kind) {
  new_rwlock(kind);
  CHECK_RC(pthread_rwlock_rdlock(&rwlock), 0);
}
static void release_rwlock(void) { CHECK_RC(pthread_rwlock_unlock(&rwlock), 0); }
static void read_lock(void) {
  CHECK_RC(pthread_rwlock_rdlock(&rwlock), 0);
  release_rwlock();
}
static void write_lock(void) {
  CHECK_RC(pthread_rwlock_wrlock(&rwlock), 0);
  release_rwlock();
}
#define READERS PTHREAD_RWLOCK_PREFER_READER_NP
#define WRITERS PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP

BLOCKED(rwlock_read, hold_for_writing(READERS), read_lock(), release_rwlock())
BLOCKED(rwlock_write, hold_for_writing(READERS), write_lock(), release_rwlock())
BLOCKED(rwlock_write_after_reader, hold_for_reading(READERS), write_lock(), release_rwlock())
BLOCKED(rwlock_preferred_writer, hold_for_reading(WRITERS), write_lock(), release_rwlock())
BLOCKED(rwlock_reader_behind, hold_for_writing(WRITERS), read_lock(), release_rwlock())
BLOCKED(rwlock_timedrdlock, hold_for_writing(READERS),
        PATIENTLY(CLOCK_REALTIME, pthread_rwlock_timedrdlock(&rwlock, &until));
        release_rwlock(), release_rwlock())
BLOCKED(rwlock_timedwrlock, hold_for_writing(READERS),
        PATIENTLY(CLOCK_REALTIME, pthread_rwlock_timedwrlock(&rwlock, &until));
        release_rwlock(), release_rwlock())
BLOCKED(rwlock_clockrdlock, hold_for_writing(READERS),
        PATIENTLY(CLOCK_MONOTONIC, pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &until));
        release_rwlock(), release_rwlock())
BLOCKED(rwlock_clockwrlock, hold_for_writing(READERS),
        PATIENTLY(CLOCK_MONOTONIC, pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &until));
        release_rwlock(), release_rwlock())

// ---- spin locks, barriers

static pthread_spinlock_t spin;
static pthread_barrier_t barrier;

BLOCKED(spin_lock, pthread_spin_init(&spin, 0);
        pthread_spin_lock(&spin), CHECK_RC(pthread_spin_lock(&spin), 0);
        pthread_spin_unlock(&spin), pthread_spin_unlock(&spin))
BLOCKED(barrier_wait, pthread_barrier_init(&barrier, NULL, 2), pthread_barrier_wait(&barrier),
        pthread_barrier_wait(&barrier))

// ---- condition variables

static pthread_cond_t condition;
static int ready;

static void new_condition(clockid_t clock) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, clock);
  CHECK_RC(pthread_cond_init(&condition, &attributes), 0);
  CHECK_RC(pthread_mutex_init(&mutex, NULL), 0);
  ready = 0;
}
static void make_ready(int (*tell)(pthread_cond_t*)) {
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  ready = 1;
  CHECK_RC(tell(&condition), 0);
  unlock();
}
static void wait_until_ready(void) {
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  while (!ready) CHECK_RC(pthread_cond_wait(&condition, &mutex), 0);
  unlock();
}
static void wait_timed(clockid_t clock) {
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  while (!ready) {
    const struct timespec until = later(clock);
    const int code = pthread_cond_timedwait(&condition, &mutex, &until);
    CHECK(code == 0 || code == ETIMEDOUT);
  }
  unlock();
}
static void wait_by_clock(clockid_t clock) {
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  while (!ready) {
    const struct timespec until = later(clock);
    const int code = pthread_cond_clockwait(&condition, &mutex, clock, &until);
    CHECK(code == 0 || code == ETIMEDOUT);
  }
  unlock();
}

BLOCKED(cond_wait, new_condition(CLOCK_REALTIME), wait_until_ready(),
        make_ready(pthread_cond_signal))
BLOCKED(cond_wait_for_broadcast, new_condition(CLOCK_REALTIME), wait_until_ready(),
        make_ready(pthread_cond_broadcast))
BLOCKED(cond_timedwait, new_condition(CLOCK_REALTIME), wait_timed(CLOCK_REALTIME),
        make_ready(pthread_cond_signal))
BLOCKED(cond_timedwait_monotonic, new_condition(CLOCK_MONOTONIC), wait_timed(CLOCK_MONOTONIC),
        make_ready(pthread_cond_signal))
BLOCKED(cond_clockwait, new_condition(CLOCK_REALTIME), wait_by_clock(CLOCK_MONOTONIC),
        make_ready(pthread_cond_signal))

// ---- joins

static sem_t may_end;
static pthread_t sleeper;

static void* sleep_until_told(void* unused) {
  take(&may_end);
  return unused;
}
static void start_sleeper(void) {
  sem_init(&may_end, 0, 0);
  sleeper = start(sleep_until_told);
}

BLOCKED(join_thread, start_sleeper(), CHECK_RC(pthread_join(sleeper, NULL), 0), sem_post(&may_end))
BLOCKED(timedjoin, start_sleeper(),
        PATIENTLY(CLOCK_REALTIME, pthread_timedjoin_np(sleeper, NULL, &until)), sem_post(&may_end))
BLOCKED(clockjoin, start_sleeper(),
        PATIENTLY(CLOCK_MONOTONIC, pthread_clockjoin_np(sleeper, NULL, CLOCK_MONOTONIC, &until)),
        sem_post(&may_end))

// ---- once

static pthread_once_t once;
static sem_t initialising;

static void initialise_slowly(void) {
  sem_post(&initialising);
  take(&may_end);
}
static void* run_once(void* unused) {
  CHECK_RC(pthread_once(&once, initialise_slowly), 0);
  return unused;
}
static void begin_once(void) {
  once = PTHREAD_ONCE_INIT;
  sem_init(&may_end, 0, 0);
  sem_init(&initialising, 0, 0);
  sleeper = start(run_once);
  take(&initialising);
}
BLOCKED(once_of_another, begin_once(), CHECK_RC(pthread_once(&once, initialise_slowly), 0),
        sem_post(&may_end);
        join(sleeper))
// The routine itself waits: it is done once, interrupted or not.
BLOCKED(once_of_its_own, once = PTHREAD_ONCE_INIT; sem_init(&may_end, 0, 0);
        sem_init(&initialising, 0, 0), CHECK_RC(pthread_once(&once, initialise_slowly), 0);
        CHECK_OK(sem_trywait(&initialising));
        CHECK_ERRNO(sem_trywait(&initialising), EAGAIN), sem_post(&may_end))

// ---- streams

BLOCKED(stream_lock, flockfile(stderr), flockfile(stderr); funlockfile(stderr), funlockfile(stderr))
static FILE* file;
BLOCKED(stream_output, file = tmpfile(); CHECK(file);
        flockfile(file), CHECK_EQ(fputs("text", file), 1), funlockfile(file))
static void stream_output_and_close(void) {
  stream_output();
  fclose(file);
}

// ---- C11

static mtx_t plain;
static cnd_t changed;
static thrd_t other;

static int c11_sleeper(void* unused) {
  (void)unused;
  take(&may_end);
  return 7;
}
static void c11_wait(void) {
  mtx_lock(&plain);
  while (!ready) CHECK_EQ(cnd_wait(&changed, &plain), thrd_success);
  mtx_unlock(&plain);
}
static void c11_timedwait(void) {
  mtx_lock(&plain);
  while (!ready) {
    const struct timespec until = later(CLOCK_REALTIME);
    const int code = cnd_timedwait(&changed, &plain, &until);
    CHECK(code == thrd_success || code == thrd_timedout);
  }
  mtx_unlock(&plain);
}
static void c11_make_ready(void) {
  mtx_lock(&plain);
  ready = 1;
  cnd_signal(&changed);
  mtx_unlock(&plain);
}
static void c11_new(void) {
  mtx_init(&plain, mtx_plain);
  cnd_init(&changed);
  ready = 0;
}
static void c11_timedlock(void) {
  struct timespec until;
  int code;
  do {
    until = later(CLOCK_REALTIME);
    code = mtx_timedlock(&plain, &until);
  } while (code == thrd_timedout);
  CHECK_EQ(code, thrd_success);
  mtx_unlock(&plain);
}
BLOCKED(c11_mutex, mtx_init(&plain, mtx_plain);
        mtx_lock(&plain), CHECK_EQ(mtx_lock(&plain), thrd_success);
        mtx_unlock(&plain), mtx_unlock(&plain))
BLOCKED(c11_mutex_timed, mtx_init(&plain, mtx_timed);
        mtx_lock(&plain), c11_timedlock(), mtx_unlock(&plain))
BLOCKED(c11_condition, c11_new(), c11_wait(), c11_make_ready())
BLOCKED(c11_condition_timed, c11_new(), c11_timedwait(), c11_make_ready())
BLOCKED(c11_join, sem_init(&may_end, 0, 0); thrd_create(&other, c11_sleeper, NULL), int result;
        CHECK_EQ(thrd_join(other, &result), thrd_success); CHECK_EQ(result, 7), sem_post(&may_end))
static once_flag flag;
static void* run_once_flag(void* unused) {
  call_once(&flag, initialise_slowly);
  return unused;
}
static void begin_once_flag(void) {
  flag = (once_flag)ONCE_FLAG_INIT;
  sem_init(&may_end, 0, 0);
  sem_init(&initialising, 0, 0);
  sleeper = start(run_once_flag);
  take(&initialising);
}
BLOCKED(c11_once, begin_once_flag(), call_once(&flag, initialise_slowly), sem_post(&may_end);
        join(sleeper))

// ---- sigwait: it waits on, whatever else is handled

static void wait_for_usr2(void) {
  sigset_t set;
  int sig;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  CHECK_RC(sigwait(&set, &sig), 0);
  CHECK_EQ(sig, SIGUSR2);
}
static void block_usr2(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}
BLOCKED(sigwait_for_another, block_usr2(), wait_for_usr2(), CHECK_OK(kill(getpid(), SIGUSR2)))

// ---- the ways a signal is sent

static pid_t worker_id;

static void send_by_tgkill(pthread_t to) {
  (void)to;
  CHECK_OK(syscall(SYS_tgkill, getpid(), worker_id, SIGUSR1));
}
static void send_by_queue(pthread_t to) {
  const union sigval value = {.sival_int = 5};
  CHECK_RC(pthread_sigqueue(to, SIGUSR1, value), 0);
}
// To the process: nobody but the worker lets it through.
static void send_to_process(pthread_t to) {
  (void)to;
  CHECK_OK(kill(getpid(), SIGUSR1));
}
static void send_by_process_queue(pthread_t to) {
  const union sigval value = {.sival_int = 5};
  (void)to;
  CHECK_OK(sigqueue(getpid(), SIGUSR1, value));
}
static void with(void (*send)(pthread_t), void (*run)(void)) {
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, &old);
  send_signal = send;
  run();
  send_signal = send_by_pthread_kill;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}
static void unblock_usr1(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
static void* lock_as_known_worker(void* unused) {
  unblock_usr1();
  worker_id = gettid();
  sem_post(&arrived);
  lock();
  atomic_store(&through, 1);
  return unused;
}
static void lock_when_sent(void) {
  lock_new_mutex(0, 0, 0);
  interrupt_while_blocked(lock_as_known_worker, unlock);
}
static void* wait_as_known_worker(void* unused) {
  unblock_usr1();
  worker_id = gettid();
  sem_post(&arrived);
  wait_until_ready();
  atomic_store(&through, 1);
  return unused;
}
static void tell(void) { make_ready(pthread_cond_signal); }
static void condition_when_sent(void) {
  new_condition(CLOCK_REALTIME);
  interrupt_while_blocked(wait_as_known_worker, tell);
}
static void lock_tgkill(void) { with(send_by_tgkill, lock_when_sent); }
static void lock_sigqueue(void) { with(send_by_queue, lock_when_sent); }
static void lock_kill(void) { with(send_to_process, lock_when_sent); }
static void lock_process_queue(void) { with(send_by_process_queue, lock_when_sent); }
static void condition_tgkill(void) { with(send_by_tgkill, condition_when_sent); }
static void condition_kill(void) { with(send_to_process, condition_when_sent); }

static const Case cases[] = {
    CASE(mutex_normal),
    CASE(mutex_recursive),
    CASE(mutex_checking),
    CASE(mutex_adaptive),
    CASE(mutex_robust),
    CASE(mutex_inheriting),
    CASE(mutex_timedlock),
    CASE(mutex_clocklock),
    CASE(rwlock_read),
    CASE(rwlock_write),
    CASE(rwlock_write_after_reader),
    CASE(rwlock_preferred_writer),
    CASE(rwlock_reader_behind),
    CASE(rwlock_timedrdlock),
    CASE(rwlock_timedwrlock),
    CASE(rwlock_clockrdlock),
    CASE(rwlock_clockwrlock),
    CASE(spin_lock),
    CASE(barrier_wait),
    CASE(cond_wait),
    CASE(cond_wait_for_broadcast),
    CASE(cond_timedwait),
    CASE(cond_timedwait_monotonic),
    CASE(cond_clockwait),
    CASE(join_thread),
    CASE(timedjoin),
    CASE(clockjoin),
    CASE(once_of_another),
    CASE(once_of_its_own),
    CASE(stream_lock),
    CASE(stream_output_and_close),
    CASE(c11_mutex),
    CASE(c11_mutex_timed),
    CASE(c11_condition),
    CASE(c11_condition_timed),
    CASE(c11_join),
    CASE(c11_once),
    CASE(sigwait_for_another),
    CASE(lock_tgkill),
    CASE(lock_sigqueue),
    CASE(lock_kill),
    CASE(lock_process_queue),
    CASE(condition_tgkill),
    CASE(condition_kill),
};

int main(int argc, char** argv) { return RUN_CASES("stays_blocked", cases, argc, argv); }

// SPDX-License-Identifier: Apache-2.0
