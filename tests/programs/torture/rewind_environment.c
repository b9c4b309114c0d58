// The environment, the arguments, and getopt, which sorts them.
#define _GNU_SOURCE
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "pristine.h"

static char in_place[] = "TORTURE_PUT=1";
static char** environment_before;
static int count_before;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int count(void) {
  int n = 0;
  while (environ && environ[n]) n++;
  return n;
}

__attribute__((constructor)) static void before_main(void) {
  environment_before = environ;
  count_before = count();
}

static void* change(void* number) {
  char name[32];
  pthread_mutex_lock(&lock);
  for (int i = 0; i < 20; i++) {
    snprintf(name, sizeof name, "TORTURE_%ld_%d", (long)number, i);
    MUST(setenv(name, name, 1) == 0);
  }
  MUST(setenv("PATH", "/nowhere", 1) == 0);
  MUST(unsetenv("HOME") == 0);
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void sort_arguments(void) {
  static char words[6][8] = {"program", "file", "-a", "other", "-b", "value"};
  static char* arguments[7] = {words[0], words[1], words[2], words[3], words[4], words[5]};
  PRISTINE(optind == 1 && opterr == 1 && optarg == NULL);
  PRISTINE(arguments[1] == words[1]);
  int c, seen = 0;
  while ((c = getopt(6, arguments, "ab:")) != -1) {
    seen += c;
    if (c == 'b') MUST(strcmp(optarg, "value") == 0);
  }
  MUST(seen == 'a' + 'b');
  MUST(arguments[1] == words[2]);  // sorted
}

int main(int argc, char** argv) {
  PRISTINE(environ == environment_before && count() == count_before);
  PRISTINE(!getenv("TORTURE_PUT") && !getenv("TORTURE_0_0") && !getenv("TORTURE_1_19"));
  PRISTINE(getenv("PATH") && strcmp(getenv("PATH"), "/nowhere") != 0);
  PRISTINE(in_place[12] == '1');
  PRISTINE(argc == 1 && argv[0][0] != '#');
  MUST(putenv(in_place) == 0);
  in_place[12] = '2';
  MUST(strcmp(getenv("TORTURE_PUT"), "2") == 0);
  in_threads(2, change);
  sort_arguments();
  argv[0][0] = '#';
  environ[0][0] = '#';
  clearenv();
  setenv("ALONE", "1", 1);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
