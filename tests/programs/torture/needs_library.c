// executor: fork: loads libraries
#include <dlfcn.h>

#include "pristine.h"

static int counter;

static void* work(void* number) {
  __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
  return number;
}

int main(void) {
  PRISTINE(counter == 0);
  PRISTINE(dlopen("libanl.so.1", RTLD_LAZY | RTLD_NOLOAD) == NULL);
  in_threads(2, work);
  MUST(dlopen("libanl.so.1", RTLD_LAZY) != NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
