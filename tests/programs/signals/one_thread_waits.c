// Calls that wait for other processes, or for queues of the kernel, make one thread wait and not
// the process: another one is busy meanwhile, or is what ends the wait. And wishes of threads about
// their scheduling are kept. Without an argument all cases, otherwise the one with that number.
#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>

#include "../check.h"

// ---- beside a busy thread -----------------------------------------------------------------------

static int stop, counter;
static void* busy(void* arg) {
  while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) {
    __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
  }
  return arg;
}
static void beside_a_busy_thread(void (*waits)(void)) {
  pthread_t thread;
  __atomic_store_n(&stop, 0, __ATOMIC_SEQ_CST);
  CHECK_RC(pthread_create(&thread, NULL, busy, NULL), 0);
  waits();
  __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
  CHECK_RC(pthread_join(thread, NULL), 0);
}
static void call_waitpid(void) {
  pid_t child = fork();
  if (child == 0) _exit(9);
  int status;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(WEXITSTATUS(status), 9);
}
static void call_waitid(void) {
  pid_t child = fork();
  if (child == 0) _exit(8);
  siginfo_t info;
  CHECK_OK(waitid(P_PID, (id_t)child, &info, WEXITED));
  CHECK_EQ(info.si_status, 8);
}
static void call_system(void) {
  int status = system("exit 4");
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 4);
}
static void call_pclose(void) {
  FILE* out = popen("read word; exit ${#word}", "w");
  CHECK(out);
  fputs("four\n", out);
  CHECK_EQ(WEXITSTATUS(pclose(out)), 4);
}
static void waitpid_beside(void) { beside_a_busy_thread(call_waitpid); }
static void waitid_beside(void) { beside_a_busy_thread(call_waitid); }
static void system_beside(void) { beside_a_busy_thread(call_system); }
static void pclose_beside(void) { beside_a_busy_thread(call_pclose); }

// ---- signals of a child -------------------------------------------------------------------------

static volatile sig_atomic_t told;
static sem_t posted;
static void handler(int sig) {
  (void)sig;
  told = 1;
  sem_post(&posted);
}
static pid_t start_teller(void) {
  told = 0;
  CHECK_OK(sem_init(&posted, 0, 0));
  struct sigaction action = {.sa_handler = handler};
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "sleep 0.02; kill -USR1 $PPID", (char*)NULL);
    _exit(1);
  }
  return child;
}
static void end(pid_t child) {
  CHECK(told);
  while (waitpid(child, NULL, 0) < 0) CHECK_EQ(errno, EINTR);
}
static void told_in_pause(void) {
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  CHECK_OK(sigprocmask(SIG_BLOCK, &set, &old));
  pid_t child = start_teller();
  while (!told) CHECK_ERRNO(sigsuspend(&old), EINTR);
  CHECK_OK(sigprocmask(SIG_SETMASK, &old, NULL));
  end(child);
}
static void told_in_sem_wait(void) {
  pid_t child = start_teller();
  while (sem_wait(&posted) != 0) CHECK_EQ(errno, EINTR);
  end(child);
}
static void told_between_sleeps(void) {
  pid_t child = start_teller();
  while (!told) usleep(500);
  end(child);
}
static void told_in_yields(void) {
  pid_t child = start_teller();
  while (!told) sched_yield();
  end(child);
}
static void told_in_a_loop(void) {
  pid_t child = start_teller();
  while (!told) continue;
  end(child);
}

// ---- queues -------------------------------------------------------------------------------------

static mqd_t queue;
static mqd_t open_queue(void) {
  char name[64];
  snprintf(name, sizeof name, "/one_thread_waits_%d", (int)getpid());
  struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
  mqd_t opened = mq_open(name, O_CREAT | O_RDWR | O_EXCL, 0600, &attributes);
  CHECK(opened >= 0);
  CHECK_OK(mq_unlink(name));
  return opened;
}
static void* sends_three(void* arg) {
  for (int i = 0; i < 3; i++) CHECK_OK(mq_send(queue, "abc", 3, (unsigned)i));
  return arg;
}
static void full_queue(void) {
  pthread_t thread;
  queue = open_queue();
  CHECK_RC(pthread_create(&thread, NULL, sends_three, NULL), 0);
  for (int i = 0; i < 3; i++) {
    char text[8];
    CHECK_EQ(mq_receive(queue, text, sizeof text, NULL), 3);
  }
  CHECK_RC(pthread_join(thread, NULL), 0);
  struct timespec until;
  CHECK_OK(clock_gettime(CLOCK_REALTIME, &until));
  char text[8];
  CHECK_ERRNO(mq_timedreceive(queue, text, sizeof text, NULL, &until), ETIMEDOUT);
  CHECK_OK(mq_close(queue));
}
static sem_t notified;
static void notify(union sigval value) {
  CHECK_EQ(value.sival_int, 6);
  sem_post(&notified);
}
static void notified_by_thread(void) {
  queue = open_queue();
  CHECK_OK(sem_init(&notified, 0, 0));
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_value.sival_int = 6};
  event.sigev_notify_function = notify;
  CHECK_OK(mq_notify(queue, &event));
  CHECK_ERRNO(mq_notify(queue, &event), EBUSY);
  CHECK_OK(mq_send(queue, "abc", 3, 0));
  CHECK_OK(sem_wait(&notified));
  CHECK_OK(mq_close(queue));
}
static void notified_by_signal(void) {
  queue = open_queue();
  told = 0;
  struct sigaction action = {.sa_handler = handler};
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  CHECK_OK(mq_notify(queue, &event));
  CHECK_OK(mq_send(queue, "abc", 3, 0));
  while (!told) sched_yield();
  CHECK_OK(mq_close(queue));
}
static int set_of_semaphores;
static void* raises(void* arg) {
  struct sembuf up = {0, 2, 0};
  CHECK_OK(semop(set_of_semaphores, &up, 1));
  return arg;
}
static void system_v_semaphore(void) {
  pthread_t thread;
  struct sembuf down = {0, -1, 0};
  struct timespec soon = {0, 1000000};
  set_of_semaphores = semget(IPC_PRIVATE, 1, 0600);
  CHECK(set_of_semaphores >= 0);
  CHECK_ERRNO(semtimedop(set_of_semaphores, &down, 1, &soon), EAGAIN);
  CHECK_RC(pthread_create(&thread, NULL, raises, NULL), 0);
  for (int i = 0; i < 2; i++) CHECK_OK(semop(set_of_semaphores, &down, 1));
  CHECK_RC(pthread_join(thread, NULL), 0);
  CHECK_OK(semctl(set_of_semaphores, 0, IPC_RMID));
}
static int messages;
struct message {
  long type;
  char text[4];
};
static void* sends_message(void* arg) {
  struct message message = {3, "abc"};
  CHECK_OK(msgsnd(messages, &message, sizeof message.text, 0));
  return arg;
}
static void system_v_message(void) {
  pthread_t thread;
  struct message message;
  messages = msgget(IPC_PRIVATE, 0600);
  CHECK(messages >= 0);
  CHECK_ERRNO(msgrcv(messages, &message, sizeof message.text, 0, IPC_NOWAIT), ENOMSG);
  CHECK_RC(pthread_create(&thread, NULL, sends_message, NULL), 0);
  CHECK_EQ(msgrcv(messages, &message, sizeof message.text, 3, 0), 4);
  CHECK_RC(pthread_join(thread, NULL), 0);
  CHECK_OK(msgctl(messages, IPC_RMID, NULL));
}

// ---- scheduling, limits, processor time ---------------------------------------------------------

static void* own_policy(void* expected) {
  int policy;
  struct sched_param parameter;
  CHECK_RC(pthread_getschedparam(pthread_self(), &policy, &parameter), 0);
  CHECK_EQ(policy, *(const int*)expected);
  CHECK_EQ(sched_getscheduler(0), policy);
  return NULL;
}
static void policies_are_kept(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  struct sched_param parameter = {.sched_priority = 0};
  int policy, other = SCHED_OTHER, batch = SCHED_BATCH;
  CHECK_EQ(sched_getscheduler(0), SCHED_OTHER);
  CHECK_RC(pthread_setschedparam(pthread_self(), SCHED_BATCH, &parameter), 0);
  CHECK_RC(pthread_getschedparam(pthread_self(), &policy, &parameter), 0);
  CHECK_EQ(policy, SCHED_BATCH);
  CHECK_RC(pthread_create(&thread, NULL, own_policy, &batch), 0);  // inherits it
  CHECK_RC(pthread_join(thread, NULL), 0);
  CHECK_RC(pthread_attr_init(&attributes), 0);
  CHECK_RC(pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED), 0);
  CHECK_RC(pthread_attr_setschedpolicy(&attributes, SCHED_OTHER), 0);
  CHECK_RC(pthread_create(&thread, &attributes, own_policy, &other), 0);
  CHECK_RC(pthread_join(thread, NULL), 0);
  CHECK_RC(pthread_attr_destroy(&attributes), 0);
  parameter.sched_priority = 1;
  CHECK_RC(pthread_setschedparam(pthread_self(), SCHED_OTHER, &parameter), EINVAL);
  CHECK_RC(pthread_setschedparam(pthread_self(), SCHED_FIFO, &(struct sched_param){100}), EINVAL);
  CHECK_RC(pthread_setschedparam(pthread_self(), 4711, &parameter), EINVAL);
  CHECK_RC(pthread_setschedprio(pthread_self(), 5), EINVAL);
  CHECK_OK(sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0}));
}
// Who may not gets an error, who may gets what was asked for.
static void real_time_or_not(void) {
  struct sched_param parameter = {.sched_priority = 10};
  int policy, rc = pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter);
  CHECK(rc == 0 || rc == EPERM);
  memset(&parameter, 0, sizeof parameter);
  CHECK_RC(pthread_getschedparam(pthread_self(), &policy, &parameter), 0);
  CHECK_EQ(policy, rc == 0 ? SCHED_FIFO : SCHED_OTHER);
  CHECK_EQ(parameter.sched_priority, rc == 0 ? 10 : 0);
  if (rc == 0) {
    CHECK_RC(pthread_setschedprio(pthread_self(), 20), 0);
    CHECK_OK(sched_getparam(0, &parameter));
    CHECK_EQ(parameter.sched_priority, 20);
  }
  CHECK_OK(sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0}));
}
static void niceness_is_kept(void) {
  const int before = getpriority(PRIO_PROCESS, 0);
  errno = 0;
  CHECK_EQ(nice(1), before + 1);
  CHECK_EQ(getpriority(PRIO_PROCESS, 0), before + 1);
  CHECK_OK(setpriority(PRIO_PROCESS, 0, 100));
  CHECK_EQ(getpriority(PRIO_PROCESS, 0), 19);
}
static void processor_time_passes(void) {
  struct timespec a, b;
  struct rusage usage;
  static volatile long memory;
  CHECK_OK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a));
  const clock_t begin = clock();
  for (int i = 0; i < 1000000; i++) memory++;
  CHECK_OK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b));
  CHECK((b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec > 100000);
  CHECK(clock() > begin);
  CHECK_OK(getrusage(RUSAGE_SELF, &usage));
  CHECK(usage.ru_utime.tv_sec * 1000000L + usage.ru_utime.tv_usec +
            usage.ru_stime.tv_sec * 1000000L + usage.ru_stime.tv_usec >
        0);
  struct tms times_used;
  CHECK(times(&times_used) != (clock_t)-1);
}
static void io_uring_may_be_missing(void) {
  char parameters[256] = {0};
  const long ring = syscall(425, 4, parameters);  // io_uring_setup
  if (ring >= 0) close((int)ring);
}
static void memory_limit_holds(void) {
  // The last case: a lowered hard limit stays.
  struct rlimit limit = {64 << 20, 64 << 20}, now;
  CHECK_OK(setrlimit(RLIMIT_AS, &limit));
  CHECK_OK(getrlimit(RLIMIT_AS, &now));
  CHECK(now.rlim_cur == limit.rlim_cur && now.rlim_max == limit.rlim_max);
  int count = 0;
  void* last = NULL;
  while (count < 200) {
    void* block = malloc(1 << 20);
    if (!block) break;
    *(void**)block = last;
    last = block;
    count++;
  }
  CHECK(count >= 30 && count <= 64);
  CHECK_EQ(errno, ENOMEM);
  for (; last; count--) {
    void* next = *(void**)last;
    free(last);
    last = next;
  }
  CHECK_EQ(count, 0);
  free(malloc(1 << 20));
}

#define CASE(name) \
  { #name, name }
static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {
    CASE(full_queue),
    CASE(notified_by_thread),
    CASE(notified_by_signal),
    CASE(system_v_semaphore),
    CASE(system_v_message),
    CASE(policies_are_kept),
    CASE(real_time_or_not),
    CASE(niceness_is_kept),
    CASE(processor_time_passes),
    CASE(io_uring_may_be_missing),
    // These create processes.
    CASE(waitpid_beside),
    CASE(waitid_beside),
    CASE(system_beside),
    CASE(pclose_beside),
    CASE(told_in_pause),
    CASE(told_in_sem_wait),
    CASE(told_between_sleeps),
    CASE(told_in_yields),
    CASE(told_in_a_loop),
    CASE(memory_limit_holds),
};
enum { kCases = sizeof cases / sizeof *cases };

static void run(int number) {
  cases[number].run();
  printf("%d: %s\n", number, cases[number].name);
  fflush(stdout);
}

int main(int count, char** arguments) {
  if (count > 1) {
    run(atoi(arguments[1]));
  } else {
    for (int i = 0; i < kCases; i++) run(i);
  }
  return check_passed("one_thread_waits");
}

// SPDX-License-Identifier: Apache-2.0
