// What a process has one of: directory, umask, limits, name, priority, where it may run.
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pristine.h"

static char directory[4096], name[16];
static mode_t mask;
static struct rlimit files, stack, core;
static int processors;
static void* program_break;

static int count_processors(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

__attribute__((constructor)) static void before_main(void) {
  MUST(getcwd(directory, sizeof directory));
  mask = umask(0);
  umask(mask);
  getrlimit(RLIMIT_NOFILE, &files);
  getrlimit(RLIMIT_STACK, &stack);
  getrlimit(RLIMIT_CORE, &core);
  prctl(PR_GET_NAME, name);
  processors = count_processors();
  program_break = sbrk(0);
}

static int is_same(int what, const struct rlimit* before) {
  struct rlimit now;
  return getrlimit((enum __rlimit_resource)what, &now) == 0 && now.rlim_cur == before->rlim_cur &&
         now.rlim_max == before->rlim_max;
}

static void* work(void* number) {
  if (number) {
    umask(077);
    MUST(chdir("/") == 0);
  } else {
    struct rlimit lower = {.rlim_cur = 100, .rlim_max = files.rlim_max};
    MUST(setrlimit(RLIMIT_NOFILE, &lower) == 0);
    lower = (struct rlimit){.rlim_cur = 1 << 20, .rlim_max = stack.rlim_max};
    MUST(setrlimit(RLIMIT_STACK, &lower) == 0);
    lower = (struct rlimit){.rlim_cur = 0, .rlim_max = core.rlim_max};
    MUST(setrlimit(RLIMIT_CORE, &lower) == 0);
  }
  pthread_setname_np(pthread_self(), "worker");
  return NULL;
}

int main(void) {
  char now[4096];
  PRISTINE(getcwd(now, sizeof now) && strcmp(now, directory) == 0);
  const mode_t mask_now = umask(0);
  umask(mask_now);
  PRISTINE(mask_now == mask);
  PRISTINE(is_same(RLIMIT_NOFILE, &files) && is_same(RLIMIT_STACK, &stack) &&
           is_same(RLIMIT_CORE, &core));
  memset(now, 0, sizeof now);
  PRISTINE(prctl(PR_GET_NAME, now) == 0 && strcmp(now, name) == 0);
  PRISTINE(pthread_getname_np(pthread_self(), now, sizeof now) == 0 && strcmp(now, name) == 0);
  PRISTINE(count_processors() == processors);
  PRISTINE(sbrk(0) == program_break);
  in_threads(2, work);
  MUST(prctl(PR_SET_NAME, "renamed") == 0);
  MUST(pthread_setname_np(pthread_self(), "again") == 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  MUST(sched_getaffinity(0, sizeof one, &one) == 0);
  for (int i = 0, seen = 0; i < CPU_SETSIZE; i++) {
    if (CPU_ISSET(i, &one) && seen++) CPU_CLR(i, &one);
  }
  MUST(sched_setaffinity(0, sizeof one, &one) == 0);
  char* more = sbrk(3 * 4096);
  MUST(more != (char*)-1 && more[5000] == 0);
  more[5000] = 1;
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
