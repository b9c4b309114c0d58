// Functions of libc that remember: random numbers, strtok, time zones, error texts, iterators, the
// file of users, which it keeps open.
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pwd.h>
#include <search.h>
#include <string.h>
#include <time.h>

#include "pristine.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned order;
static int open_before[20];

__attribute__((constructor)) static void before_main(void) {
  for (int fd = 3; fd < 20; fd++) open_before[fd] = fcntl(fd, F_GETFD);
  errno = 0;
}

static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static int count_modules(struct dl_phdr_info* info, size_t size, void* count) {
  (void)info, (void)size;
  ++*(int*)count;
  return 0;
}

static void* work(void* number) {
  int values[50], key = 30;
  for (int i = 0; i < 50; i++) values[i] = (i * 37 + 11) % 50;
  qsort(values, 50, sizeof(int), compare);
  MUST(*(int*)bsearch(&key, values, 50, sizeof(int), compare) == 30);
  pthread_mutex_lock(&lock);
  order = order * 3 + (unsigned)(long)number;
  srand(order);
  srandom(order + (unsigned)rand());
  srand48(order);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  static char words[] = "one two three";
  static int first_random, first_random48;
  int modules = 0;
  PRISTINE(order == 0 && errno == 0 && words[3] == ' ');
  PRISTINE(first_random == 0);
  for (int fd = 3; fd < 20; fd++) PRISTINE(fcntl(fd, F_GETFD) == open_before[fd]);
  // What glibc gives without a seed.
  PRISTINE((first_random = rand()) == 1804289383);
  PRISTINE((first_random48 = (int)lrand48()) == 0);
  PRISTINE(tzname[0] && strcmp(tzname[0], "TST") != 0);
  in_threads(3, work);
  MUST(strcmp(strtok(words, " "), "one") == 0);
  MUST(strcmp(strtok(NULL, " "), "two") == 0);
  const time_t then = 86400;
  MUST(localtime(&then)->tm_year == 70);
  setenv("TZ", "TST-3DST", 1);
  tzset();
  MUST(strcmp(tzname[0], "TST") == 0 && localtime(&then)->tm_hour == 3);
  PRISTINE(hcreate(20) != 0);  // one table per process
  ENTRY entry = {.key = (char*)"k", .data = &order};
  PRISTINE(hsearch(entry, FIND) == NULL);
  MUST(hsearch(entry, ENTER) != NULL);
  dl_iterate_phdr(count_modules, &modules);
  MUST(modules > 1);
  MUST(strlen(strerror(12345)) > 3 && strlen(strsignal(60)) > 3);
  MUST(getpwent() != NULL);
  rand();
  mblen(NULL, 0);
  errno = ERANGE;
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
