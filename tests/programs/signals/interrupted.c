// Calls that a signal handler ends: with EINTR, or made again when the handler was installed with
// SA_RESTART, as signal(7) tells. Calls with a time-out, and those that wait for events, signals or
// time, are never made again.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <threads.h>

#include "cases.h"

enum { kInterrupted, kDone, kAgain };  // what a try was

static atomic_int handler_runs;
static atomic_int over;
static int (*attempt)(void);

static void count(int sig) {
  (void)sig;
  atomic_fetch_add(&handler_runs, 1);
}

static int outcome(long result) {
  if (result >= 0) return kDone;
  return errno == EINTR ? kInterrupted : kAgain;
}

static void* try_until_interrupted(void* unused) {
  int result;
  do {
    result = attempt();
    CHECK(result != kDone);
  } while (result != kInterrupted);
  atomic_store(&over, 1);
  return unused;
}

// The signal may come before the thread is in the call: then it gets another one.
static void is_interrupted(int (*call)(void), int flags) {
  attempt = call;
  atomic_store(&handler_runs, 0);
  atomic_store(&over, 0);
  on_signal(SIGUSR1, count, flags);
  const pthread_t thread = start(try_until_interrupted);
  while (!atomic_load(&over)) {
    nap();
    if (!atomic_load(&over)) CHECK_RC(pthread_kill(thread, SIGUSR1), 0);
  }
  join(thread);
  CHECK(atomic_load(&handler_runs) > 0);
}

static void* try_until_done(void* unused) {
  int result;
  do {
    result = attempt();
    CHECK(result != kInterrupted);
  } while (result != kDone);
  atomic_store(&over, 1);
  return unused;
}

// It cannot be done before `let_through`, and is not interrupted before that.
static void is_restarted(int (*call)(void), void (*let_through)(void)) {
  attempt = call;
  atomic_store(&handler_runs, 0);
  atomic_store(&over, 0);
  on_signal(SIGUSR1, count, SA_RESTART);
  const pthread_t thread = start(try_until_done);
  for (int i = 1; i <= 3; ++i) {
    nap();
    CHECK_RC(pthread_kill(thread, SIGUSR1), 0);
    while (atomic_load(&handler_runs) < i) nap();
  }
  CHECK_EQ(atomic_load(&over), 0);
  let_through();
  join(thread);
}

// name_interrupted, name_never_restarted: EINTR without and with SA_RESTART.
#define INTERRUPTED(name, setup, cleanup) \
  static void name##_interrupted(void) {  \
    setup;                                \
    is_interrupted(name, 0);              \
    cleanup;                              \
  }
#define NEVER_RESTARTED(name, setup, cleanup) \
  INTERRUPTED(name, setup, cleanup)           \
  static void name##_never_restarted(void) {  \
    setup;                                    \
    is_interrupted(name, SA_RESTART);         \
    cleanup;                                  \
  }
#define RESTARTED(name, setup, let_through, cleanup)    \
  INTERRUPTED(name, setup, cleanup)                     \
  static void name##_let_through(void) { let_through; } \
  static void name##_restarted(void) {                  \
    setup;                                              \
    is_restarted(name, name##_let_through);             \
    cleanup;                                            \
  }

// ---- semaphores and futexes

static sem_t semaphore;
static int word;

static int semaphore_wait(void) { return outcome(sem_wait(&semaphore)); }
static int semaphore_timedwait(void) {
  const struct timespec until = later(CLOCK_REALTIME);
  return outcome(sem_timedwait(&semaphore, &until));
}
static int semaphore_clockwait(void) {
  const struct timespec until = later(CLOCK_MONOTONIC);
  return outcome(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until));
}
static long futex(int command, int value, const struct timespec* time) {
  return syscall(SYS_futex, &word, command | FUTEX_PRIVATE_FLAG, value, time, NULL, ~0u);
}
// The wait may end without a reason: only the word tells whether it is done.
static int outcome_of_word(long returned) {
  const int result = outcome(returned);
  if (result == kInterrupted) return result;
  return __atomic_load_n(&word, __ATOMIC_SEQ_CST) ? kDone : kAgain;
}
static int futex_wait(void) { return outcome_of_word(futex(FUTEX_WAIT, 0, NULL)); }
static int futex_timedwait(void) {
  const struct timespec time = {1000, 0};
  return outcome_of_word(futex(FUTEX_WAIT, 0, &time));
}
static void wake_futex(void) {
  __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
  futex(FUTEX_WAKE, 1, NULL);
}
RESTARTED(semaphore_wait, sem_init(&semaphore, 0, 0), sem_post(&semaphore), )
NEVER_RESTARTED(semaphore_timedwait, sem_init(&semaphore, 0, 0), )
NEVER_RESTARTED(semaphore_clockwait, sem_init(&semaphore, 0, 0), )
RESTARTED(futex_wait, word = 0, wake_futex(), )
NEVER_RESTARTED(futex_timedwait, word = 0, )

// ---- pipes, sockets, events

static int ends[2];  // [0] is read or received from

static void close_ends(void) {
  close(ends[0]);
  close(ends[1]);
}
static void make_pipe(void) { CHECK_OK(pipe(ends)); }
static void fill(int fd) {
  static char block[4096];
  CHECK_OK(fcntl(fd, F_SETFL, O_NONBLOCK));
  while (write(fd, block, sizeof block) > 0) {
  }
  while (write(fd, block, 1) > 0) {
  }
  CHECK_OK(fcntl(fd, F_SETFL, 0));
}
static void drain(int fd) {
  static char block[65536];
  CHECK_OK(fcntl(fd, F_SETFL, O_NONBLOCK));
  while (read(fd, block, sizeof block) > 0) {
  }
}
static void make_full_pipe(void) {
  make_pipe();
  fill(ends[1]);
}
static void make_sockets(void) { CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends)); }
static void make_impatient_sockets(void) {
  const struct timeval time = {1000, 0};
  make_sockets();
  CHECK_OK(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time));
}
static void make_full_sockets(void) {
  make_sockets();
  fill(ends[1]);
}
static void put_byte(void) { CHECK_EQ(write(ends[1], "x", 1), 1); }

static int read_byte(void) {
  char byte;
  return outcome(read(ends[0], &byte, 1));
}
static int read_vector(void) {
  char bytes[2];
  const struct iovec parts[2] = {{bytes, 1}, {bytes + 1, 1}};
  return outcome(readv(ends[0], parts, 2));
}
static int write_block(void) {
  static char block[100];
  return outcome(write(ends[1], block, sizeof block));
}
static int write_vector(void) {
  static char block[100];
  const struct iovec parts[2] = {{block, 50}, {block, 50}};
  return outcome(writev(ends[1], parts, 2));
}
static int receive(void) {
  char byte;
  return outcome(recv(ends[0], &byte, 1, 0));
}
static int receive_from(void) {
  char byte;
  return outcome(recvfrom(ends[0], &byte, 1, 0, NULL, NULL));
}
static int receive_message(void) {
  char byte;
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  return outcome(recvmsg(ends[0], &message, 0));
}
static int receive_impatiently(void) { return receive(); }
static int send_block(void) {
  static char block[100];
  return outcome(send(ends[1], block, sizeof block, 0));
}
static int send_message(void) {
  static char block[100];
  struct iovec part = {block, sizeof block};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  return outcome(sendmsg(ends[1], &message, 0));
}
RESTARTED(read_byte, make_pipe(), put_byte(), close_ends())
RESTARTED(read_vector, make_pipe(), put_byte(), close_ends())
RESTARTED(write_block, make_full_pipe(), drain(ends[0]), close_ends())
RESTARTED(write_vector, make_full_pipe(), drain(ends[0]), close_ends())
RESTARTED(receive, make_sockets(), put_byte(), close_ends())
RESTARTED(receive_from, make_sockets(), put_byte(), close_ends())
RESTARTED(receive_message, make_sockets(), put_byte(), close_ends())
NEVER_RESTARTED(receive_impatiently, make_impatient_sockets(), close_ends())
RESTARTED(send_block, make_full_sockets(), drain(ends[0]), close_ends())
RESTARTED(send_message, make_full_sockets(), drain(ends[0]), close_ends())

static struct sockaddr_un address;

static void make_listener(void) {
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "interrupted-%d", getpid());
  ends[0] = socket(AF_UNIX, SOCK_STREAM, 0);
  ends[1] = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK_OK(bind(ends[0], (struct sockaddr*)&address, sizeof address));
  CHECK_OK(listen(ends[0], 1));
}
static void connect_to_listener(void) {
  CHECK_OK(connect(ends[1], (struct sockaddr*)&address, sizeof address));
}
static int accept_one(void) {
  const int fd = accept(ends[0], NULL, NULL);
  const int result = outcome(fd);
  if (fd >= 0) close(fd);
  return result;
}
RESTARTED(accept_one, make_listener(), connect_to_listener(), close_ends())

static void make_event(void) { ends[0] = ends[1] = eventfd(0, 0); }
static void set_event(void) { CHECK_OK(eventfd_write(ends[0], 1)); }
static int read_event(void) {
  eventfd_t value;
  return outcome(eventfd_read(ends[0], &value));
}
RESTARTED(read_event, make_event(), set_event(), close(ends[0]))

static void make_timer(void) { ends[0] = timerfd_create(CLOCK_MONOTONIC, 0); }
static int read_timer(void) {
  uint64_t expirations;
  return outcome(read(ends[0], &expirations, sizeof expirations));
}
INTERRUPTED(read_timer, make_timer(), close(ends[0]))

static int open_fifo(void) {
  char name[64];
  snprintf(name, sizeof name, "/tmp/interrupted-fifo-%d", getpid());
  const int fd = open(name, O_RDONLY);
  const int result = outcome(fd);
  if (fd >= 0) close(fd);
  return result;
}
static void make_fifo(void) {
  char name[64];
  snprintf(name, sizeof name, "/tmp/interrupted-fifo-%d", getpid());
  CHECK_OK(mkfifo(name, 0600));
}
static void remove_fifo(void) {
  char name[64];
  snprintf(name, sizeof name, "/tmp/interrupted-fifo-%d", getpid());
  unlink(name);
}
static void open_other_end(void) {
  char name[64];
  snprintf(name, sizeof name, "/tmp/interrupted-fifo-%d", getpid());
  ends[1] = open(name, O_WRONLY);
  CHECK(ends[1] >= 0);
}
static void close_fifo(void) { close(ends[1]); }
RESTARTED(open_fifo, make_fifo(); ends[1] = -1, open_other_end(), remove_fifo(); close_fifo())

// ---- waiting for descriptors: never made again

static int poll_one(void) {
  struct pollfd set = {ends[0], POLLIN, 0};
  return outcome(poll(&set, 1, -1));
}
static int ppoll_one(void) {
  struct pollfd set = {ends[0], POLLIN, 0};
  return outcome(ppoll(&set, 1, NULL, NULL));
}
static int poll_nothing(void) { return outcome(poll(NULL, 0, -1)); }
static int select_one(void) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  return outcome(select(ends[0] + 1, &set, NULL, NULL, NULL));
}
static int pselect_one(void) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  return outcome(pselect(ends[0] + 1, &set, NULL, NULL, NULL, NULL));
}
static int epoll;
static void make_epoll(void) {
  struct epoll_event event = {.events = EPOLLIN};
  make_pipe();
  epoll = epoll_create1(0);
  CHECK_OK(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event));
}
static void close_epoll(void) {
  close(epoll);
  close_ends();
}
static int epoll_one(void) {
  struct epoll_event event;
  return outcome(epoll_wait(epoll, &event, 1, -1));
}
static int epoll_pwait_one(void) {
  struct epoll_event event;
  return outcome(epoll_pwait(epoll, &event, 1, -1, NULL));
}
NEVER_RESTARTED(poll_one, make_pipe(), close_ends())
NEVER_RESTARTED(ppoll_one, make_pipe(), close_ends())
NEVER_RESTARTED(poll_nothing, , )
NEVER_RESTARTED(select_one, make_pipe(), close_ends())
NEVER_RESTARTED(pselect_one, make_pipe(), close_ends())
NEVER_RESTARTED(epoll_one, make_epoll(), close_epoll())
NEVER_RESTARTED(epoll_pwait_one, make_epoll(), close_epoll())

// ---- time: a sleep may be over before a signal comes

static int sleep_nanoseconds(void) {
  const struct timespec time = {1000, 0};
  struct timespec left = {-1, -1};
  const int result = outcome(nanosleep(&time, &left));
  if (result == kInterrupted) CHECK(left.tv_sec >= 0 && left.tv_sec <= 1000);
  return result == kDone ? kAgain : result;
}
static int sleep_by_clock(void) {
  const struct timespec until = later(CLOCK_MONOTONIC);
  const int code = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
  CHECK(code == 0 || code == EINTR);
  return code == EINTR ? kInterrupted : kAgain;
}
static int sleep_seconds(void) { return sleep(1000) > 0 ? kInterrupted : kAgain; }
static int sleep_microseconds(void) {
  const int result = outcome(usleep(999999));
  return result == kDone ? kAgain : result;
}
static int sleep_c11(void) {
  const struct timespec time = {1000, 0};
  return thrd_sleep(&time, NULL) == -1 ? kInterrupted : kAgain;
}
NEVER_RESTARTED(sleep_nanoseconds, , )
NEVER_RESTARTED(sleep_by_clock, , )
INTERRUPTED(sleep_seconds, , )
INTERRUPTED(sleep_microseconds, , )
INTERRUPTED(sleep_c11, , )

// ---- signals

static int wait_by_pause(void) { return outcome(pause()); }
static int wait_by_sigsuspend(void) {
  sigset_t none;
  sigemptyset(&none);
  return outcome(sigsuspend(&none));
}
static int wait_for_info(void) {
  sigset_t set;
  siginfo_t info;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  return outcome(sigwaitinfo(&set, &info));
}
static int wait_for_info_timed(void) {
  const struct timespec time = {1000, 0};
  sigset_t set;
  siginfo_t info;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  return outcome(sigtimedwait(&set, &info, &time));
}
NEVER_RESTARTED(wait_by_pause, , )
NEVER_RESTARTED(wait_by_sigsuspend, , )
NEVER_RESTARTED(wait_for_info, , )
NEVER_RESTARTED(wait_for_info_timed, , )

// ---- with a mask of its own the call lets the signal in, and nothing else does

static atomic_int in_call;

static void block_usr1(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}
static void only_in_call(int sig) {
  (void)sig;
  CHECK_EQ(atomic_load(&in_call), 1);
}
static void is_let_in(void* (*function)(void*)) {
  on_signal(SIGUSR1, only_in_call, 0);
  block_usr1();
  const pthread_t thread = start(function);
  CHECK_RC(pthread_kill(thread, SIGUSR1), 0);
  join(thread);
}
static sigset_t mask_of_call(void) {
  sigset_t none;
  sigemptyset(&none);
  atomic_store(&in_call, 1);
  return none;
}
static void* suspend_with_mask(void* unused) {
  const sigset_t mask = mask_of_call();
  CHECK_ERRNO(sigsuspend(&mask), EINTR);
  atomic_store(&in_call, 0);
  return unused;
}
static void* ppoll_with_mask(void* unused) {
  const sigset_t mask = mask_of_call();
  CHECK_ERRNO(ppoll(NULL, 0, NULL, &mask), EINTR);
  atomic_store(&in_call, 0);
  return unused;
}
static void* pselect_with_mask(void* unused) {
  const sigset_t mask = mask_of_call();
  CHECK_ERRNO(pselect(0, NULL, NULL, NULL, NULL, &mask), EINTR);
  atomic_store(&in_call, 0);
  return unused;
}
static void* epoll_with_mask(void* unused) {
  const sigset_t mask = mask_of_call();
  struct epoll_event event;
  const int set = epoll_create1(0);
  CHECK_ERRNO(epoll_pwait(set, &event, 1, -1, &mask), EINTR);
  atomic_store(&in_call, 0);
  close(set);
  return unused;
}
static void let_in_by_sigsuspend(void) { is_let_in(suspend_with_mask); }
static void let_in_by_ppoll(void) { is_let_in(ppoll_with_mask); }
static void let_in_by_pselect(void) { is_let_in(pselect_with_mask); }
static void let_in_by_epoll_pwait(void) { is_let_in(epoll_with_mask); }

static const Case cases[] = {
    CASE(semaphore_wait_interrupted),
    CASE(semaphore_wait_restarted),
    CASE(semaphore_timedwait_interrupted),
    CASE(semaphore_timedwait_never_restarted),
    CASE(semaphore_clockwait_interrupted),
    CASE(semaphore_clockwait_never_restarted),
    CASE(futex_wait_interrupted),
    CASE(futex_wait_restarted),
    CASE(futex_timedwait_interrupted),
    CASE(futex_timedwait_never_restarted),
    CASE(read_byte_interrupted),
    CASE(read_byte_restarted),
    CASE(read_vector_interrupted),
    CASE(read_vector_restarted),
    CASE(write_block_interrupted),
    CASE(write_block_restarted),
    CASE(write_vector_interrupted),
    CASE(write_vector_restarted),
    CASE(receive_interrupted),
    CASE(receive_restarted),
    CASE(receive_from_interrupted),
    CASE(receive_from_restarted),
    CASE(receive_message_interrupted),
    CASE(receive_message_restarted),
    CASE(receive_impatiently_interrupted),
    CASE(receive_impatiently_never_restarted),
    CASE(send_block_interrupted),
    CASE(send_block_restarted),
    CASE(send_message_interrupted),
    CASE(send_message_restarted),
    CASE(accept_one_interrupted),
    CASE(accept_one_restarted),
    CASE(read_event_interrupted),
    CASE(read_event_restarted),
    CASE(read_timer_interrupted),
    CASE(open_fifo_interrupted),
    CASE(open_fifo_restarted),
    CASE(poll_one_interrupted),
    CASE(poll_one_never_restarted),
    CASE(ppoll_one_interrupted),
    CASE(ppoll_one_never_restarted),
    CASE(poll_nothing_interrupted),
    CASE(poll_nothing_never_restarted),
    CASE(select_one_interrupted),
    CASE(select_one_never_restarted),
    CASE(pselect_one_interrupted),
    CASE(pselect_one_never_restarted),
    CASE(epoll_one_interrupted),
    CASE(epoll_one_never_restarted),
    CASE(epoll_pwait_one_interrupted),
    CASE(epoll_pwait_one_never_restarted),
    CASE(sleep_nanoseconds_interrupted),
    CASE(sleep_nanoseconds_never_restarted),
    CASE(sleep_by_clock_interrupted),
    CASE(sleep_by_clock_never_restarted),
    CASE(sleep_seconds_interrupted),
    CASE(sleep_microseconds_interrupted),
    CASE(sleep_c11_interrupted),
    CASE(wait_by_pause_interrupted),
    CASE(wait_by_pause_never_restarted),
    CASE(wait_by_sigsuspend_interrupted),
    CASE(wait_by_sigsuspend_never_restarted),
    CASE(wait_for_info_interrupted),
    CASE(wait_for_info_never_restarted),
    CASE(wait_for_info_timed_interrupted),
    CASE(wait_for_info_timed_never_restarted),
    CASE(let_in_by_sigsuspend),
    CASE(let_in_by_ppoll),
    CASE(let_in_by_pselect),
    CASE(let_in_by_epoll_pwait),
};

int main(int argc, char** argv) { return RUN_CASES("interrupted", cases, argc, argv); }

// SPDX-License-Identifier: Apache-2.0
