// The kernel writes to memory that no run before has touched: buffers of the program's own, each on
// a page of its own, which only some schedules reach. A page that is protected until its first
// write would make the call fail.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pristine.h"

// Not zero, so that it is not the kernel's page of zeros.
typedef struct {
  char bytes[65536];
} Page;
#define PAGES 40
static Page pages[PAGES] __attribute__((aligned(65536))) = {{{1}}};
#define BUFFER(n) ((void*)pages[n].bytes)

static int turn, kinds_seen, ends[2], sockets[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void before_main(void) {
  // A stream's buffer is free and forgotten when main begins.
  char line[64];
  FILE* file = fopen("/proc/self/status", "r");
  MUST(file && fgets(line, sizeof line, file));
  fclose(file);
}

static void read_file(void) {
  char line[64];
  FILE* file = fopen("/proc/self/status", "r");
  MUST(file && fgets(line, sizeof line, file));
  fclose(file);
  file = fopen("/proc/self/status", "r");
  MUST(setvbuf(file, BUFFER(0), _IOFBF, 4096) == 0);
  MUST(fgetc(file) != EOF && fread(line, 1, 20, file) == 20);
  fclose(file);
}

static void status_of_files(void) {
  MUST(stat("/", BUFFER(1)) == 0);
  MUST(lstat("/", BUFFER(2)) == 0);
  MUST(fstat(ends[0], BUFFER(3)) == 0);
  MUST(fstatat(AT_FDCWD, "/", BUFFER(4), 0) == 0);
  MUST(statfs("/", BUFFER(5)) == 0);
  MUST(statvfs("/", BUFFER(6)) == 0);
  MUST(getcwd(BUFFER(7), 4096) != NULL);
  MUST(readlink("/proc/self/exe", BUFFER(8), 4096) > 0);
  MUST(realpath("/", BUFFER(9)) != NULL);
  DIR* directory = opendir("/");
  MUST(directory && readdir(directory));
}

static void about_the_process(void) {
  MUST(uname(BUFFER(10)) == 0);
  MUST(getrlimit(RLIMIT_NOFILE, BUFFER(11)) == 0);
  MUST(getrusage(RUSAGE_SELF, BUFFER(12)) == 0);
  MUST(times(BUFFER(13)) != (clock_t)-1);
  MUST(sysinfo(BUFFER(14)) == 0);
  MUST(sched_getaffinity(0, 128, BUFFER(15)) == 0);
  MUST(gethostname(BUFFER(16), 64) == 0);
  MUST(getitimer(ITIMER_REAL, BUFFER(17)) == 0);
  MUST(clock_getres(CLOCK_MONOTONIC, BUFFER(18)) == 0);
  MUST(clock_gettime(CLOCK_REALTIME, BUFFER(19)) == 0);
  gid_t* groups = BUFFER(20);
  MUST(getgroups(100, groups) >= 0);
  uid_t* ids = BUFFER(21);
  MUST(getresuid(ids, ids + 1, ids + 2) == 0);
}

static void descriptors(void) {
  MUST(write(ends[1], "abcdefgh", 8) == 8);
  MUST(ioctl(ends[0], FIONREAD, BUFFER(22)) == 0);
  struct pollfd* set = BUFFER(23);
  *set = (struct pollfd){.fd = ends[0], .events = POLLIN};
  MUST(poll(set, 1, 0) == 1);
  MUST(read(ends[0], BUFFER(24), 3) == 3);
  struct iovec parts[2] = {{BUFFER(25), 1}, {BUFFER(26), 1}};
  MUST(readv(ends[0], parts, 2) == 2);
  const int epoll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  MUST(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) == 0);
  MUST(epoll_wait(epoll, BUFFER(27), 4, 0) == 1);
  fd_set* readable = BUFFER(28);
  FD_ZERO(readable);
  FD_SET(ends[0], readable);
  struct timeval* no_time = BUFFER(29);
  *no_time = (struct timeval){0};
  MUST(select(ends[0] + 1, readable, NULL, NULL, no_time) == 1);
  MUST(pipe(BUFFER(30)) == 0);
}

static void networking(void) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  MUST(bind(listener, (struct sockaddr*)&address, sizeof address) == 0);
  MUST(socketpair(AF_UNIX, SOCK_DGRAM, 0, BUFFER(31)) == 0);
  socklen_t* length = BUFFER(32);
  *length = sizeof address;
  MUST(getsockname(listener, BUFFER(33), length) == 0);
  int* option = BUFFER(34);
  *length = sizeof *option;
  MUST(getsockopt(listener, SOL_SOCKET, SO_TYPE, option, length) == 0);
  MUST(send(sockets[1], "12345", 5, 0) == 5);
  *length = 100;
  MUST(recvfrom(sockets[0], BUFFER(35), 2, 0, BUFFER(36), length) == 2);
  struct iovec part = {BUFFER(37), 3};
  struct msghdr* message = BUFFER(38);
  *message = (struct msghdr){.msg_iov = &part, .msg_iovlen = 1};
  MUST(recvmsg(sockets[0], message, 0) == 3);
}

static void (*const kinds[])(void) = {read_file, status_of_files, about_the_process, descriptors,
                                      networking};

// How often the turn changed between the two threads says what is done: any number up to twenty,
// the higher the rarer.
static void* work(void* number) {
  for (int i = 0; i < 10; i++) {
    pthread_mutex_lock(&lock);
    if (turn % 2 == (int)(long)number) turn++;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  PRISTINE(turn == 0 && kinds_seen == 0);
  for (int i = 1; i < PAGES; i++) PRISTINE(pages[i].bytes[0] == 0);
  MUST(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  in_threads(2, work);
  if (turn < 13) return 0;
  kinds_seen = 1;
  kinds[turn % 5]();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
