// What handlers do while their thread waits: wait for something themselves, see the wake-up come,
// jump away, end the thread; and cancellation that does not wait for a cancellation point.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <setjmp.h>
#include <sys/syscall.h>
#include <threads.h>

#include "cases.h"

static sem_t arrived, in_handler, leave_handler, may_end;
static pthread_mutex_t mutex;
static pthread_cond_t condition;
static pthread_rwlock_t rwlock;
static pthread_barrier_t barrier;
static pthread_t sleeper;
static int ready, ends[2];

static void lock(void) { CHECK_RC(pthread_mutex_lock(&mutex), 0); }
static void unlock(void) { CHECK_RC(pthread_mutex_unlock(&mutex), 0); }

static void* sleep_until_told(void* unused) {
  take(&may_end);
  return unused;
}

static void begin(void) {
  sem_init(&arrived, 0, 0);
  sem_init(&in_handler, 0, 0);
  sem_init(&leave_handler, 0, 0);
  sem_init(&may_end, 0, 0);
  pthread_mutex_init(&mutex, NULL);
  pthread_cond_init(&condition, NULL);
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&rwlock, &attributes);
  ready = 0;
}

static void interrupt(pthread_t thread) {
  take(&arrived);
  nap();
  CHECK_RC(pthread_kill(thread, SIGUSR1), 0);
}

// The same for one that waits for the condition: before and behind that it holds the mutex, which
// others need while its handler waits. Then the handler returns at once, and is called again.
static atomic_int waits_in_handler;
static int may_wait_in_handler(void) {
  const int code = pthread_mutex_trylock(&mutex);
  if (code == 0) unlock();
  atomic_store(&waits_in_handler, code == 0);
  return code == 0;
}
static void interrupt_waiter(pthread_t thread) {
  take(&arrived);
  do {
    nap();
    CHECK_RC(pthread_kill(thread, SIGUSR1), 0);
    take(&in_handler);
  } while (!atomic_load(&waits_in_handler));
}

// ---- a wake-up comes while the handler runs, which waits

static void wait_in_handler(int sig) {
  (void)sig;
  sem_post(&in_handler);
  take(&leave_handler);
}

// `wake` is all the worker gets, and it gets it in its handler.
static void woken_in_handler(void* (*worker)(void*), void (*wake)(void)) {
  on_signal(SIGUSR1, wait_in_handler, SA_RESTART);
  const pthread_t thread = start(worker);
  interrupt(thread);
  take(&in_handler);
  wake();
  sem_post(&leave_handler);
  join(thread);
}

static void wait_in_handler_of_waiter(int sig) {
  const int waits = may_wait_in_handler();
  (void)sig;
  sem_post(&in_handler);
  if (waits) take(&leave_handler);
}
static void waiter_woken_in_handler(void* (*worker)(void*), void (*wake)(void)) {
  on_signal(SIGUSR1, wait_in_handler_of_waiter, SA_RESTART);
  const pthread_t thread = start(worker);
  interrupt_waiter(thread);
  wake();
  sem_post(&leave_handler);
  join(thread);
}

static void* wait_once(void* unused) {
  lock();
  ready = 1;
  sem_post(&arrived);
  while (ready != 2) CHECK_RC(pthread_cond_wait(&condition, &mutex), 0);
  unlock();
  return unused;
}
static void signal_ready(void) {
  lock();
  ready = 2;
  CHECK_RC(pthread_cond_signal(&condition), 0);
  unlock();
}
static void broadcast_ready(void) {
  lock();
  ready = 2;
  CHECK_RC(pthread_cond_broadcast(&condition), 0);
  unlock();
}
static void signal_in_handler(void) {
  begin();
  waiter_woken_in_handler(wait_once, signal_ready);
}
static void broadcast_in_handler(void) {
  begin();
  waiter_woken_in_handler(wait_once, broadcast_ready);
}
static void* lock_once(void* unused) {
  sem_post(&arrived);
  lock();
  unlock();
  return unused;
}
static void unlock_in_handler(void) {
  begin();
  lock();
  woken_in_handler(lock_once, unlock);
}
static void* meet_once(void* unused) {
  sem_post(&arrived);
  pthread_barrier_wait(&barrier);
  return unused;
}
static void meet(void) { pthread_barrier_wait(&barrier); }
static void barrier_in_handler(void) {
  begin();
  // The worker may come to its handler before it comes to the barrier: so who wakes it is a thread
  // of its own.
  on_signal(SIGUSR1, wait_in_handler, SA_RESTART);
  const pthread_t thread = start(meet_once);
  interrupt(thread);
  take(&in_handler);
  const pthread_t other = start(meet_once);
  take(&arrived);
  nap();
  sem_post(&leave_handler);
  join(thread);
  join(other);
}
static void* join_sleeper(void* unused) {
  sem_post(&arrived);
  join(sleeper);
  return unused;
}
static void end_sleeper(void) { sem_post(&may_end); }
static void end_in_handler(void) {
  begin();
  sleeper = start(sleep_until_told);
  woken_in_handler(join_sleeper, end_sleeper);
}
static void* take_once(void* unused) {
  sem_post(&arrived);
  CHECK_OK(sem_wait(&may_end));
  return unused;
}
static void post_in_handler(void) {
  begin();
  woken_in_handler(take_once, end_sleeper);
}
static int word;
static void* futex_once(void* unused) {
  sem_post(&arrived);
  while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0) {
    const long code = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    CHECK(code == 0 || errno == EAGAIN);
  }
  return unused;
}
static void wake_word(void) {
  __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
static void futex_in_handler(void) {
  begin();
  __atomic_store_n(&word, 0, __ATOMIC_SEQ_CST);
  woken_in_handler(futex_once, wake_word);
}
static void* read_lock_once(void* unused) {
  sem_post(&arrived);
  CHECK_RC(pthread_rwlock_rdlock(&rwlock), 0);
  CHECK_RC(pthread_rwlock_unlock(&rwlock), 0);
  return unused;
}
static void* write_lock_once(void* unused) {
  sem_post(&arrived);
  CHECK_RC(pthread_rwlock_wrlock(&rwlock), 0);
  CHECK_RC(pthread_rwlock_unlock(&rwlock), 0);
  return unused;
}
static void rwlock_unlock(void) { CHECK_RC(pthread_rwlock_unlock(&rwlock), 0); }
static void rwlock_read_in_handler(void) {
  begin();
  CHECK_RC(pthread_rwlock_wrlock(&rwlock), 0);
  woken_in_handler(read_lock_once, rwlock_unlock);
}
static void rwlock_write_in_handler(void) {
  begin();
  CHECK_RC(pthread_rwlock_rdlock(&rwlock), 0);
  woken_in_handler(write_lock_once, rwlock_unlock);
}

// Of two waiters the one that is woken is in its handler, or is not: nobody is woken twice.
static atomic_int awake;
static void* wait_for_turn(void* unused) {
  lock();
  sem_post(&arrived);
  while (ready == 0) CHECK_RC(pthread_cond_wait(&condition, &mutex), 0);
  --ready;
  unlock();
  atomic_fetch_add(&awake, 1);
  return unused;
}
static void one_of_two_waiters(void) {
  begin();
  atomic_store(&awake, 0);
  on_signal(SIGUSR1, wait_in_handler_of_waiter, SA_RESTART);
  const pthread_t first = start(wait_for_turn), second = start(wait_for_turn);
  take(&arrived);
  interrupt_waiter(first);
  for (int i = 0; i < 2; ++i) {
    lock();
    ++ready;
    CHECK_RC(pthread_cond_signal(&condition), 0);
    unlock();
  }
  sem_post(&leave_handler);
  join(first);
  join(second);
  CHECK_EQ(atomic_load(&awake), 2);
}

// ---- waits inside of waits

static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t inner_condition = PTHREAD_COND_INITIALIZER;
static int inner_ready;

static void wait_for_inner(int sig) {
  (void)sig;
  sem_post(&in_handler);
  pthread_mutex_lock(&inner);
  while (!inner_ready) pthread_cond_wait(&inner_condition, &inner);
  inner_ready = 0;
  pthread_mutex_unlock(&inner);
}
static void release_inner(void) {
  pthread_mutex_lock(&inner);
  inner_ready = 1;
  pthread_cond_signal(&inner_condition);
  pthread_mutex_unlock(&inner);
}
static void nested(void* (*worker)(void*), void (*wake)(void), int wake_first) {
  on_signal(SIGUSR1, wait_for_inner, SA_RESTART);
  const pthread_t thread = start(worker);
  interrupt(thread);
  take(&in_handler);
  if (wake_first) wake();
  release_inner();
  if (!wake_first) wake();
  join(thread);
}
static void condition_in_lock(void) {
  begin();
  lock();
  nested(lock_once, unlock, 0);
}
static void condition_in_lock_woken_first(void) {
  begin();
  lock();
  nested(lock_once, unlock, 1);
}
static void wait_for_inner_as_waiter(int sig) {
  if (may_wait_in_handler()) {
    wait_for_inner(sig);
  } else {
    sem_post(&in_handler);
  }
}
static void nested_in_condition(int wake_first) {
  begin();
  on_signal(SIGUSR1, wait_for_inner_as_waiter, SA_RESTART);
  const pthread_t thread = start(wait_once);
  interrupt_waiter(thread);
  if (wake_first) signal_ready();
  release_inner();
  if (!wake_first) signal_ready();
  join(thread);
}
static void condition_in_condition(void) { nested_in_condition(0); }
static void condition_in_condition_woken_first(void) { nested_in_condition(1); }
static void condition_in_join(void) {
  begin();
  sleeper = start(sleep_until_told);
  nested(join_sleeper, end_sleeper, 0);
}
static void condition_in_barrier(void) {
  begin();
  nested(meet_once, meet, 0);
}

// A handler that is interrupted while it waits for what it interrupted.
static void nest_again(int sig) {
  if (sig == SIGUSR1) {
    sem_post(&in_handler);
    take(&leave_handler);
  } else {
    sem_post(&in_handler);
    pthread_mutex_lock(&inner);
    pthread_mutex_unlock(&inner);
  }
}
static void three_deep(void) {
  begin();
  lock();
  pthread_mutex_lock(&inner);
  on_signal(SIGUSR1, nest_again, 0);
  on_signal(SIGUSR2, nest_again, 0);
  const pthread_t thread = start(lock_once);
  interrupt(thread);
  take(&in_handler);
  CHECK_RC(pthread_kill(thread, SIGUSR2), 0);
  take(&in_handler);
  unlock();
  pthread_mutex_unlock(&inner);
  sem_post(&leave_handler);
  join(thread);
}

// ---- jumping away

static __thread sigjmp_buf target;
static void jump(int sig) {
  (void)sig;
  siglongjmp(target, 1);
}

static atomic_int jumped;
// What is jumped out of is given up: others can have it, and the thread itself goes on.
static void jumps_out(void* (*worker)(void*), void (*then)(void)) {
  atomic_store(&jumped, 0);
  on_signal(SIGUSR1, jump, 0);
  const pthread_t thread = start(worker);
  interrupt(thread);
  while (!atomic_load(&jumped)) nap();
  if (then) then();
  join(thread);
}
#define JUMPING(name, wait, then)             \
  static void* name(void* unused) {           \
    if (sigsetjmp(target, 1) == 0) {          \
      sem_post(&arrived);                     \
      wait;                                   \
      CHECK(!"not reached");                  \
    }                                         \
    sigset_t mask;                            \
    pthread_sigmask(SIG_BLOCK, NULL, &mask);  \
    CHECK_EQ(sigismember(&mask, SIGUSR1), 0); \
    atomic_store(&jumped, 1);                 \
    then;                                     \
    return unused;                            \
  }
JUMPING(jump_from_lock, lock(), lock(); unlock())
JUMPING(jump_from_read_lock, pthread_rwlock_rdlock(&rwlock), read_lock_once(NULL))
JUMPING(jump_from_write_lock, pthread_rwlock_wrlock(&rwlock), write_lock_once(NULL))
JUMPING(jump_from_join, pthread_join(sleeper, NULL), join(sleeper))
JUMPING(jump_from_semaphore, sem_wait(&may_end), take(&may_end))
JUMPING(jump_from_sleep, for (;;) sleep(1000), )
JUMPING(jump_from_pause, for (;;) pause(), )
JUMPING(jump_from_read, char byte; CHECK_EQ(read(ends[0], &byte, 1), 1), char byte;
        CHECK_EQ(read(ends[0], &byte, 1), 1))

static void out_of_lock(void) {
  begin();
  lock();
  jumps_out(jump_from_lock, unlock);
  CHECK_RC(pthread_mutex_destroy(&mutex), 0);
}
static void out_of_read_lock(void) {
  begin();
  CHECK_RC(pthread_rwlock_wrlock(&rwlock), 0);
  jumps_out(jump_from_read_lock, rwlock_unlock);
  CHECK_RC(pthread_rwlock_destroy(&rwlock), 0);
}
static void out_of_write_lock(void) {
  begin();
  CHECK_RC(pthread_rwlock_wrlock(&rwlock), 0);
  jumps_out(jump_from_write_lock, rwlock_unlock);
}
static void out_of_join(void) {
  begin();
  sleeper = start(sleep_until_told);
  jumps_out(jump_from_join, end_sleeper);
}
static void out_of_semaphore(void) {
  begin();
  jumps_out(jump_from_semaphore, end_sleeper);
  CHECK_OK(sem_destroy(&may_end));
}
static void out_of_sleep(void) {
  begin();
  jumps_out(jump_from_sleep, NULL);
}
static void out_of_pause(void) {
  begin();
  jumps_out(jump_from_pause, NULL);
}
static void put_byte(void) { CHECK_EQ(write(ends[1], "x", 1), 1); }
static void out_of_read(void) {
  begin();
  CHECK_OK(pipe(ends));
  jumps_out(jump_from_read, put_byte);
  close(ends[0]);
  close(ends[1]);
}

// A jump inside of the handler leaves nothing: the wait goes on behind it.
static void jump_inside(int sig) {
  (void)sig;
  jmp_buf here;
  volatile int times = 0;
  if (setjmp(here) == 0) {
    times = 1;
    longjmp(here, 1);
  }
  CHECK_EQ(times, 1);
  sem_post(&in_handler);
}
static void jump_within_handler(void) {
  begin();
  lock();
  on_signal(SIGUSR1, jump_inside, 0);
  const pthread_t thread = start(lock_once);
  interrupt(thread);
  take(&in_handler);
  unlock();
  join(thread);
}

// ---- ending the thread in the handler

static atomic_int cleaned_up;

static void end_thread(int sig) {
  (void)sig;
  pthread_exit((void*)5);
}
static void clean_up(void* unused) {
  (void)unused;
  atomic_fetch_add(&cleaned_up, 1);
}
static void clean_up_with_mutex(void* unused) {
  clean_up(unused);
  unlock();
}
#define ENDING(name, wait)                \
  static void* name(void* unused) {       \
    pthread_cleanup_push(clean_up, NULL); \
    sem_post(&arrived);                   \
    wait;                                 \
    CHECK(!"not reached");                \
    pthread_cleanup_pop(0);               \
    return unused;                        \
  }
ENDING(end_in_lock, lock())
ENDING(end_in_read_lock, pthread_rwlock_rdlock(&rwlock))
ENDING(end_in_write_lock, pthread_rwlock_wrlock(&rwlock))
ENDING(end_in_barrier, pthread_barrier_wait(&barrier))
ENDING(end_in_join, pthread_join(sleeper, NULL))
ENDING(end_in_semaphore, sem_wait(&may_end))
ENDING(end_in_sleep, for (;;) sleep(1000))
ENDING(end_in_read, char byte; CHECK_EQ(read(ends[0], &byte, 1), 1))

static void ends_thread(void* (*worker)(void*)) {
  atomic_store(&cleaned_up, 0);
  on_signal(SIGUSR1, end_thread, 0);
  const pthread_t thread = start(worker);
  interrupt(thread);
  CHECK_EQ((long)join(thread), 5);
  CHECK_EQ(atomic_load(&cleaned_up), 1);
}
static void exit_in_lock(void) {
  begin();
  lock();
  ends_thread(end_in_lock);
  unlock();
  CHECK_RC(pthread_mutex_destroy(&mutex), 0);
}
static void exit_in_read_lock(void) {
  begin();
  CHECK_RC(pthread_rwlock_wrlock(&rwlock), 0);
  ends_thread(end_in_read_lock);
  rwlock_unlock();
}
static void exit_in_join(void) {
  begin();
  sleeper = start(sleep_until_told);
  ends_thread(end_in_join);
  end_sleeper();
  join(sleeper);
}
static void exit_in_semaphore(void) {
  begin();
  ends_thread(end_in_semaphore);
}
static void exit_in_sleep(void) {
  begin();
  ends_thread(end_in_sleep);
}
static void exit_in_read(void) {
  begin();
  CHECK_OK(pipe(ends));
  ends_thread(end_in_read);
  close(ends[0]);
  close(ends[1]);
}
// POSIX: the mutex is taken again before the first cleanup handler runs. (glibc has a moment
// between giving the mutex up and waiting in which it does not.)
static void let_it_wait(void) {
  const struct timespec time = {0, 30000000};
  nanosleep(&time, NULL);
}
static void* wait_and_clean_up(void* unused) {
  lock();
  pthread_cleanup_push(clean_up_with_mutex, NULL);
  sem_post(&arrived);
  for (;;) pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(0);
  return unused;
}
static void exit_in_condition(void) {
  begin();
  atomic_store(&cleaned_up, 0);
  on_signal(SIGUSR1, end_thread, 0);
  const pthread_t thread = start(wait_and_clean_up);
  take(&arrived);
  lock();
  let_it_wait();
  CHECK_RC(pthread_kill(thread, SIGUSR1), 0);
  nap();
  CHECK_EQ(atomic_load(&cleaned_up), 0);
  unlock();
  CHECK_EQ((long)join(thread), 5);
  CHECK_EQ(atomic_load(&cleaned_up), 1);
  lock();
  unlock();
  CHECK_RC(pthread_cond_destroy(&condition), 0);
}

// ---- raise: the handler ends the thread, or jumps, out of the call itself

static void* raise_and_end(void* unused) {
  pthread_cleanup_push(clean_up, NULL);
  raise(SIGUSR1);
  CHECK(!"not reached");
  pthread_cleanup_pop(0);
  return unused;
}
static void exit_in_raise(void) {
  begin();
  atomic_store(&cleaned_up, 0);
  on_signal(SIGUSR1, end_thread, 0);
  CHECK_EQ((long)join(start(raise_and_end)), 5);
  CHECK_EQ(atomic_load(&cleaned_up), 1);
}

// ---- asynchronous cancellation

static void be_asynchronous(void) {
  CHECK_RC(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL), 0);
}
static void is_cancelled(void* (*worker)(void*)) {
  atomic_store(&cleaned_up, 0);
  const pthread_t thread = start(worker);
  take(&arrived);
  nap();
  CHECK_RC(pthread_cancel(thread), 0);
  CHECK(join(thread) == PTHREAD_CANCELED);
  CHECK_EQ(atomic_load(&cleaned_up), 1);
}
#define ASYNCHRONOUS(name, worker)  \
  static void* name(void* unused) { \
    be_asynchronous();              \
    return worker(unused);          \
  }
ASYNCHRONOUS(cancel_lock_worker, end_in_lock)
ASYNCHRONOUS(cancel_read_lock_worker, end_in_read_lock)
ASYNCHRONOUS(cancel_write_lock_worker, end_in_write_lock)
ASYNCHRONOUS(cancel_barrier_worker, end_in_barrier)
ASYNCHRONOUS(cancel_join_worker, end_in_join)
ASYNCHRONOUS(cancel_semaphore_worker, end_in_semaphore)
ASYNCHRONOUS(cancel_sleep_worker, end_in_sleep)
ASYNCHRONOUS(cancel_read_worker, end_in_read)
ASYNCHRONOUS(cancel_condition_worker, wait_and_clean_up)
ENDING(end_in_timed_lock, struct timespec until = later(CLOCK_REALTIME);
       while (pthread_mutex_timedlock(&mutex, &until) == ETIMEDOUT) until = later(CLOCK_REALTIME))
ASYNCHRONOUS(cancel_timed_lock_worker, end_in_timed_lock)
ENDING(end_in_futex, for (;;) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0))
ASYNCHRONOUS(cancel_futex_worker, end_in_futex)
static pthread_spinlock_t spin;
ENDING(end_in_spin, pthread_spin_lock(&spin))
ASYNCHRONOUS(cancel_spin_worker, end_in_spin)

static void cancel_lock(void) {
  begin();
  lock();
  is_cancelled(cancel_lock_worker);
  unlock();
  CHECK_RC(pthread_mutex_destroy(&mutex), 0);
}
static void cancel_timed_lock(void) {
  begin();
  lock();
  is_cancelled(cancel_timed_lock_worker);
  unlock();
}
static void cancel_read_lock(void) {
  begin();
  CHECK_RC(pthread_rwlock_wrlock(&rwlock), 0);
  is_cancelled(cancel_read_lock_worker);
  rwlock_unlock();
}
static void cancel_write_lock(void) {
  begin();
  CHECK_RC(pthread_rwlock_wrlock(&rwlock), 0);
  is_cancelled(cancel_write_lock_worker);
}
static void cancel_barrier(void) {
  begin();
  is_cancelled(cancel_barrier_worker);
}
static void cancel_join(void) {
  begin();
  sleeper = start(sleep_until_told);
  is_cancelled(cancel_join_worker);
  end_sleeper();
  join(sleeper);
}
static void cancel_semaphore(void) {
  begin();
  is_cancelled(cancel_semaphore_worker);
}
static void cancel_sleep(void) {
  begin();
  is_cancelled(cancel_sleep_worker);
}
static void cancel_read(void) {
  begin();
  CHECK_OK(pipe(ends));
  is_cancelled(cancel_read_worker);
  close(ends[0]);
  close(ends[1]);
}
static void cancel_futex(void) {
  begin();
  __atomic_store_n(&word, 0, __ATOMIC_SEQ_CST);
  is_cancelled(cancel_futex_worker);
}
static void cancel_spin(void) {
  begin();
  pthread_spin_init(&spin, 0);
  pthread_spin_lock(&spin);
  is_cancelled(cancel_spin_worker);
  pthread_spin_unlock(&spin);
}
static void cancel_condition(void) {
  begin();
  atomic_store(&cleaned_up, 0);
  const pthread_t thread = start(cancel_condition_worker);
  take(&arrived);
  lock();
  let_it_wait();
  CHECK_RC(pthread_cancel(thread), 0);
  nap();
  CHECK_EQ(atomic_load(&cleaned_up), 0);
  unlock();
  CHECK(join(thread) == PTHREAD_CANCELED);
  CHECK_EQ(atomic_load(&cleaned_up), 1);
  lock();
  unlock();
}

// Deferred, it waits for the lock first.
static void* lock_deferred(void* unused) {
  pthread_cleanup_push(clean_up, NULL);
  sem_post(&arrived);
  lock();
  unlock();
  pthread_testcancel();
  CHECK(!"not reached");
  pthread_cleanup_pop(0);
  return unused;
}
static void deferred_in_lock(void) {
  begin();
  lock();
  atomic_store(&cleaned_up, 0);
  const pthread_t thread = start(lock_deferred);
  take(&arrived);
  CHECK_RC(pthread_cancel(thread), 0);
  nap();
  CHECK_EQ(atomic_load(&cleaned_up), 0);
  unlock();
  CHECK(join(thread) == PTHREAD_CANCELED);
  lock();
  unlock();
}

// A handler in which cancellation strikes: what the thread waited for is given up with it.
static void cancellation_strikes(int sig) {
  (void)sig;
  sem_post(&in_handler);
  for (;;) sleep(1000);
}
static void cancel_in_handler(void) {
  begin();
  lock();
  atomic_store(&cleaned_up, 0);
  on_signal(SIGUSR1, cancellation_strikes, 0);
  const pthread_t thread = start(end_in_lock);
  interrupt(thread);
  take(&in_handler);
  CHECK_RC(pthread_cancel(thread), 0);
  CHECK(join(thread) == PTHREAD_CANCELED);
  CHECK_EQ(atomic_load(&cleaned_up), 1);
  unlock();
  CHECK_RC(pthread_mutex_destroy(&mutex), 0);
}

// ---- a signal is the last thing that happens to a thread

static atomic_int handled;
static void count_signal(int sig) {
  (void)sig;
  atomic_fetch_add(&handled, 1);
}
static void* take_and_end(void* unused) {
  sem_wait(&may_end);  // interrupted or not
  return unused;
}
static void signal_before_end(void) {
  begin();
  atomic_store(&handled, 0);
  on_signal(SIGUSR1, count_signal, 0);
  const pthread_t thread = start(take_and_end);
  CHECK_RC(pthread_kill(thread, SIGUSR1), 0);
  sem_post(&may_end);
  join(thread);
  CHECK_EQ(atomic_load(&handled), 1);
}

static const Case cases[] = {
    CASE(signal_in_handler),
    CASE(broadcast_in_handler),
    CASE(unlock_in_handler),
    CASE(barrier_in_handler),
    CASE(end_in_handler),
    CASE(post_in_handler),
    CASE(futex_in_handler),
    CASE(rwlock_read_in_handler),
    CASE(rwlock_write_in_handler),
    CASE(one_of_two_waiters),
    CASE(condition_in_lock),
    CASE(condition_in_lock_woken_first),
    CASE(condition_in_condition),
    CASE(condition_in_condition_woken_first),
    CASE(condition_in_join),
    CASE(condition_in_barrier),
    CASE(three_deep),
    CASE(out_of_lock),
    CASE(out_of_read_lock),
    CASE(out_of_write_lock),
    CASE(out_of_join),
    CASE(out_of_semaphore),
    CASE(out_of_sleep),
    CASE(out_of_pause),
    CASE(out_of_read),
    CASE(jump_within_handler),
    CASE(exit_in_lock),
    CASE(exit_in_read_lock),
    CASE(exit_in_join),
    CASE(exit_in_semaphore),
    CASE(exit_in_sleep),
    CASE(exit_in_read),
    CASE(exit_in_condition),
    CASE(exit_in_raise),
    CASE(cancel_lock),
    CASE(cancel_timed_lock),
    CASE(cancel_read_lock),
    CASE(cancel_write_lock),
    CASE(cancel_barrier),
    CASE(cancel_join),
    CASE(cancel_semaphore),
    CASE(cancel_sleep),
    CASE(cancel_read),
    CASE(cancel_futex),
    CASE(cancel_spin),
    CASE(cancel_condition),
    CASE(deferred_in_lock),
    CASE(cancel_in_handler),
    CASE(signal_before_end),
};

int main(int argc, char** argv) { return RUN_CASES("leaving", cases, argc, argv); }

// SPDX-License-Identifier: Apache-2.0
