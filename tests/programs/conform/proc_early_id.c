// The process id of before main, which a constructor has kept, is that of main and of all that goes
// on there: threads, signals, children, groups, descriptors, /proc.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "../check.h"

static pid_t own, parent, thread;

__attribute__((constructor)) static void before_main(void) {
  own = getpid();
  parent = getppid();
  thread = gettid();
}

static volatile sig_atomic_t senders, sender;

static void on_signal(int sig, siginfo_t* info, void* context) {
  (void)sig, (void)context;
  sender = info->si_pid;
  ++senders;
}

static void check_sender(int count, pid_t process) {
  CHECK_EQ(senders, count);
  CHECK_EQ(sender, process);
}

static void* other_thread(void* unused) {
  CHECK_EQ(getpid(), own);
  CHECK(gettid() != own);
  return unused;
}

static void same_process(void) {
  pthread_t t;
  CHECK_EQ(getpid(), own);
  CHECK_EQ(getppid(), parent);
  CHECK_EQ(gettid(), thread);
  CHECK_EQ(gettid(), own);
  CHECK_EQ(syscall(SYS_getpid), own);
  CHECK_EQ(syscall(SYS_getppid), parent);
  CHECK_RC(pthread_create(&t, NULL, other_thread, NULL), 0);
  CHECK_RC(pthread_join(t, NULL), 0);
}

static void signals_to_itself(void) {
  int count = senders;
  CHECK_OK(kill(own, 0));
  CHECK_OK(kill(own, SIGUSR1));
  check_sender(++count, own);
  CHECK_RC(raise(SIGUSR1), 0);
  check_sender(++count, own);
  CHECK_RC(pthread_kill(pthread_self(), SIGUSR1), 0);
  check_sender(++count, own);
  CHECK_OK(tgkill(own, thread, SIGUSR1));
  check_sender(++count, own);
  CHECK_OK(syscall(SYS_tkill, thread, SIGUSR1));
  check_sender(++count, own);
  CHECK_OK(sigqueue(own, SIGUSR1, (union sigval){.sival_int = 1}));
  check_sender(++count, own);
}

// Its status says that all went well: check_failed ends with 1.
static void join_child(pid_t child) {
  int status = -1;
  CHECK(child > 0 && child != own);
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(status, 0);
}

static void children(void) {
  siginfo_t info = {0};
  pid_t child = fork();
  if (child == 0) {
    CHECK(getpid() != own);
    CHECK_EQ(getppid(), own);
    CHECK_EQ(gettid(), getpid());
    const pid_t self = getpid(), grandchild = fork();
    if (grandchild == 0) {
      CHECK_EQ(getppid(), self);
      CHECK_OK(kill(own, 0));
      _exit(0);
    }
    join_child(grandchild);
    _exit(0);
  }
  join_child(child);
  CHECK_ERRNO(kill(child, 0), ESRCH);
  child = fork();
  if (child == 0) _exit(3);
  CHECK_OK(waitid(P_PID, child, &info, WEXITED));
  CHECK_EQ(info.si_pid, child);
  CHECK_EQ(info.si_status, 3);
}

// The thread that has forked is the only one of the child, whose id is its own.
static void* child_of_a_thread(void* unused) {
  const pid_t child = fork();
  if (child == 0) {
    CHECK_EQ(getppid(), own);
    CHECK_EQ(gettid(), getpid());
    CHECK_OK(tgkill(getpid(), getpid(), 0));
    pthread_t t;
    own = getpid();
    CHECK_RC(pthread_create(&t, NULL, other_thread, NULL), 0);
    CHECK_RC(pthread_join(t, NULL), 0);
    _exit(0);
  }
  join_child(child);
  return unused;
}

static void children_of_threads(void) {
  pthread_t t;
  CHECK_RC(pthread_create(&t, NULL, child_of_a_thread, NULL), 0);
  CHECK_RC(pthread_join(t, NULL), 0);
}

static void signals_among_relatives(void) {
  const int count = senders;
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  CHECK_OK(sigprocmask(SIG_BLOCK, &blocked, &before));
  const pid_t child = fork();
  if (child == 0) {
    siginfo_t info;
    CHECK_OK(kill(own, SIGUSR1));
    CHECK_EQ(sigwaitinfo(&blocked, &info), SIGUSR1);
    CHECK_EQ(info.si_pid, own);
    _exit(0);
  }
  while (senders == count) sigsuspend(&before);
  check_sender(count + 1, child);
  CHECK_OK(kill(child, SIGUSR1));
  join_child(child);
  CHECK_OK(sigprocmask(SIG_SETMASK, &before, NULL));
}

static void groups(void) {
  const pid_t child = fork();
  if (child == 0) {
    CHECK_EQ(getpgrp(), getpgid(own));
    CHECK_OK(setpgid(0, 0));
    CHECK_EQ(getpgrp(), getpid());
    CHECK(getpgid(own) != getpid());
    _exit(0);
  }
  join_child(child);
  CHECK_EQ(getpgid(own), getpgrp());
  if (getsid(0) == own) return;  // who leads a session stays
  CHECK_OK(setpgid(0, own));
  CHECK_EQ(getpgrp(), own);
  const pid_t member = fork();
  if (member == 0) {
    CHECK_EQ(getpgrp(), own);
    CHECK_OK(getpriority(PRIO_PROCESS, (id_t)own));
    CHECK_OK(sched_getscheduler(own));
    _exit(0);
  }
  int status = -1;
  CHECK_EQ(waitpid(-own, &status, 0), member);
  CHECK_EQ(status, 0);
  CHECK_EQ(getsid(own), getsid(0));
}

static void others_calls_by_id(void) {
  struct rlimit limit, same;
  struct sched_param priority;
  int value = 7, copy = 0;
  struct iovec to = {&copy, sizeof copy}, from = {&value, sizeof value};
  CHECK_OK(prlimit(own, RLIMIT_NOFILE, NULL, &limit));
  CHECK_OK(prlimit(0, RLIMIT_NOFILE, NULL, &same));
  CHECK_EQ(limit.rlim_cur, same.rlim_cur);
  CHECK_EQ(sched_getscheduler(own), sched_getscheduler(0));
  CHECK_OK(sched_getparam(own, &priority));
  CHECK_EQ(getpriority(PRIO_PROCESS, (id_t)own), getpriority(PRIO_PROCESS, 0));
  CHECK_EQ(process_vm_readv(own, &to, 1, &from, 1, 0), (ssize_t)sizeof copy);
  CHECK_EQ(copy, 7);
}

static void descriptors(void) {
  int ends[2];
  struct ucred peer;
  socklen_t size = sizeof peer;
  struct f_owner_ex owner = {0};
  CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  CHECK_OK(fcntl(ends[0], F_SETOWN, own));
  CHECK_EQ(fcntl(ends[0], F_GETOWN), own);
  CHECK_OK(fcntl(ends[0], F_GETOWN_EX, &owner));
  CHECK_EQ(owner.pid, own);
  CHECK_OK(fcntl(ends[0], F_SETOWN_EX, &owner));
  CHECK_OK(getsockopt(ends[0], SOL_SOCKET, SO_PEERCRED, &peer, &size));
  CHECK_EQ(peer.pid, own);

  union {
    char bytes[CMSG_SPACE(sizeof(struct ucred))];
    struct cmsghdr header;
  } control = {0};
  char byte = 'x';
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  const struct ucred self = {own, getuid(), getgid()};
  const int on = 1;
  CHECK_OK(setsockopt(ends[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof on));
  control.header.cmsg_level = SOL_SOCKET;
  control.header.cmsg_type = SCM_CREDENTIALS;
  control.header.cmsg_len = CMSG_LEN(sizeof self);
  memcpy(CMSG_DATA(&control.header), &self, sizeof self);
  CHECK_EQ(sendmsg(ends[0], &message, 0), 1);
  memcpy(&peer, CMSG_DATA(&control.header), sizeof peer);
  CHECK_EQ(peer.pid, own);
  memset(&control, 0, sizeof control);
  CHECK_EQ(recvmsg(ends[1], &message, 0), 1);
  memcpy(&peer, CMSG_DATA(&control.header), sizeof peer);
  CHECK_EQ(peer.pid, own);
  CHECK_OK(close(ends[0]));
  CHECK_OK(close(ends[1]));
}

static void locks(void) {
  char path[] = "/tmp/proc_early_id.XXXXXX";
  const int fd = mkstemp(path);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  CHECK_OK(fd);
  CHECK_OK(fcntl(fd, F_SETLK, &lock));
  const pid_t child = fork();
  if (child == 0) {
    CHECK_OK(fcntl(fd, F_GETLK, &lock));
    CHECK_EQ(lock.l_type, F_WRLCK);
    CHECK_EQ(lock.l_pid, own);
    _exit(0);
  }
  join_child(child);
  CHECK_OK(close(fd));
  CHECK_OK(unlink(path));
}

// The line of the status that begins with `name`.
static int number_in_status(const char* path, const char* name) {
  char line[256];
  int number = -1;
  FILE* file = fopen(path, "r");
  CHECK(file);
  while (number < 0 && fgets(line, sizeof line, file)) {
    if (strncmp(line, name, strlen(name)) == 0) number = atoi(line + strlen(name));
  }
  fclose(file);
  return number;
}

// The parent that the kernel knows is not asked for: it may be another one than that of before main.
static void proc(void) {
  char path[64], self[4096], same[4096];
  struct stat there, here;
  snprintf(path, sizeof path, "/proc/%d/status", own);
  CHECK_EQ(number_in_status(path, "Pid:"), number_in_status("/proc/self/status", "Pid:"));
  snprintf(path, sizeof path, "/proc/%d", own);
  CHECK_OK(access(path, F_OK));
  CHECK_OK(stat(path, &there));
  CHECK_OK(stat("/proc/self", &here));
  CHECK_EQ(there.st_ino, here.st_ino);
  snprintf(path, sizeof path, "/proc/%d/cwd", own);
  const ssize_t length = readlink(path, self, sizeof self);
  CHECK(length > 0);
  CHECK_EQ(readlink("/proc/self/cwd", same, sizeof same), length);
  CHECK(memcmp(self, same, (size_t)length) == 0);
  snprintf(path, sizeof path, "/proc/%d/cmdline", own);
  const int fd = open(path, O_RDONLY);
  CHECK_OK(fd);
  CHECK_OK(close(fd));
}

int main(void) {
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  same_process();
  signals_to_itself();
  others_calls_by_id();
  descriptors();
  proc();
  children();
  children_of_threads();
  signals_among_relatives();
  groups();
  locks();
  same_process();
  return check_passed("proc_early_id");
}

// SPDX-License-Identifier: Apache-2.0
