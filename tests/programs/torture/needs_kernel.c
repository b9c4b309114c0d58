// executor: fork: by prctl
// Asks the kernel for what it never takes back: each with a process of its own, and as in one. The
// argument says what.
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pristine.h"

static void* nothing(void* arg) { return arg; }

static void filter_sockets(void) {
  const int before = socket(AF_UNIX, SOCK_STREAM, 0);
  PRISTINE(before >= 0);
  close(before);
  struct sock_filter steps[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
                                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 1),
                                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 13),
                                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const struct sock_fprog filter = {4, steps};
  MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0);
  MUST(socket(AF_UNIX, SOCK_STREAM, 0) < 0);
}

int main(int argc, char** argv) {
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0);
  switch (argc > 1 ? argv[1][0] : 'n') {
    case 'n':
      PRISTINE(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0);
      MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
      break;
    case 'k':
      PRISTINE(prctl(PR_GET_KEEPCAPS) == 0);
      MUST(prctl(PR_SET_KEEPCAPS, 1) == 0);
      break;
    case 'd':
      PRISTINE(prctl(PR_GET_DUMPABLE) == 1);
      MUST(prctl(PR_SET_DUMPABLE, 0) == 0);
      break;
    case 't':
      PRISTINE(prctl(PR_GET_TIMERSLACK) != 12345);
      MUST(prctl(PR_SET_TIMERSLACK, 12345) == 0);
      break;
    case 'p':
      PRISTINE(!(personality(0xFFFFFFFF) & READ_IMPLIES_EXEC));
      MUST(personality((unsigned long)personality(0xFFFFFFFF) | READ_IMPLIES_EXEC) >= 0);
      break;
    case 's':
      filter_sockets();
      break;
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
