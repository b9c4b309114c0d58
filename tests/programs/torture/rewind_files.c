// Makes, changes, renames and removes files. Every run finds them as the first one did: those of
// earlier runs are gone, and what was there before has its old content.
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pristine.h"

static int exists(const char* path) {
  struct stat status;
  return lstat(path, &status) == 0;
}

// Its first line, or "" when there is no such file.
static const char* content(const char* path) {
  static char line[64];
  line[0] = '\0';
  FILE* file = fopen(path, "r");
  if (!file) return line;
  if (!fgets(line, sizeof line, file)) line[0] = '\0';
  fclose(file);
  line[strcspn(line, "\n")] = '\0';
  return line;
}

static void put(const char* path, const char* mode, const char* text) {
  FILE* file = fopen(path, mode);
  MUST(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

// What the user has there, if anything: changed in every way, and as it was in the next run.
static void use_what_was_there(void) {
  if (!exists("kept.txt")) return;
  PRISTINE(strcmp(content("kept.txt"), "before") == 0);
  PRISTINE(strcmp(content("added.txt"), "before") == 0);
  PRISTINE(strcmp(content("replaced.txt"), "before") == 0);
  PRISTINE(strcmp(content("removed.txt"), "before") == 0);
  PRISTINE(exists("folder") && !exists("moved"));
  put("kept.txt", "w", "changed, and longer");
  put("added.txt", "a", " and after");
  put("replaced.new", "w", "another file");
  MUST(rename("replaced.new", "replaced.txt") == 0);
  MUST(unlink("removed.txt") == 0);
  MUST(rename("folder", "moved") == 0);
  MUST(truncate("linked.txt", 2) == 0);
}

static void* work(void* arg) {
  put("log.txt", "a", "x");
  return arg;
}

int main(void) {
  PRISTINE(!exists("log.txt") && !exists("made") && !exists("state.bin"));
  use_what_was_there();
  MUST(mkdir("made", 0700) == 0);
  put("made/one", "w", "1");
  MUST(symlink("one", "made/link") == 0);
  char name[] = "temporary-XXXXXX";
  const int fd = mkstemp(name);
  MUST(fd >= 0 && write(fd, "t", 1) == 1 && close(fd) == 0);
  int count = 0;
  const int state = open("state.bin", O_RDWR | O_CREAT, 0600);
  MUST(state >= 0);
  PRISTINE(read(state, &count, sizeof count) == 0);
  MUST(write(state, &count, sizeof count) == sizeof count && close(state) == 0);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) MUST(pthread_create(&threads[i], NULL, work, NULL) == 0);
  for (int i = 0; i < 2; i++) MUST(pthread_join(threads[i], NULL) == 0);
  MUST(strcmp(content("log.txt"), "xx") == 0);
  MUST(!exists("fail"));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
