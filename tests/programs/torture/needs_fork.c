// executor: fork: creates processes
#include <sys/wait.h>
#include <unistd.h>

#include "pristine.h"

static int counter;

static void* work(void* number) {
  __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
  return number;
}

int main(void) {
  PRISTINE(counter == 0);
  in_threads(2, work);
  const pid_t child = fork();
  if (child == 0) _exit(counter);
  int status = 0;
  MUST(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 2);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
