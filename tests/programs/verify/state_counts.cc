// SPDX-License-Identifier: Apache-2.0
// What all threads see although it is no memory: names of files, what is in them, the environment,
// the working directory.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counted.h"

static char folder[] = "/tmp/jostle-state-XXXXXX";
static int file;
static thread_local volatile long used;

// The names that threads make, in a folder that main has made.
static char paths[4][64];

// Nothing is left of it when the program ends, whatever order it was in.
struct Folder {
  NOT_SEEN Folder() {
    if (!mkdtemp(folder)) abort();
    for (int i = 0; i < 4; ++i) std::snprintf(paths[i], sizeof paths[i], "%s/%c", folder, 'a' + i);
    file = open(paths[3], O_CREAT | O_RDWR, 0600);
    if (write(file, "text", 4) != 4) abort();
  }
  NOT_SEEN ~Folder() {
    for (const char* path : paths) remove(path);
    rmdir(folder);
  }
};
static Folder the_folder;

static void make_one(int) { used = mkdir(paths[0], 0700); }
static void make_own(int i) { used = mkdir(paths[i], 0700); }
static void look(int) { used = access(paths[0], F_OK); }
static void look_at_other(int) { used = access(paths[1], F_OK); }
COUNTED(same_name) { start_each<make_one>(n); }
COUNTED(other_names) { start_each<make_own>(n); }
COUNTED(look_and_make) {
  start<look>();
  start<make_one>();
}
COUNTED(look_at_other) {
  start<look_at_other>();
  start<make_one>();
}

static void check_and_make(int) {
  struct stat status;
  if (stat(paths[0], &status) != 0) used = open(paths[0], O_CREAT | O_EXCL | O_RDWR, 0600);
}
COUNTED(check_and_make) { start_each<check_and_make>(n); }

static void rename_it(int) { used = rename(paths[3], paths[2]); }
static void look_at_new(int) { used = access(paths[2], F_OK); }
static void look_at_old(int) { used = access(paths[3], F_OK); }
COUNTED(rename) {
  start<rename_it>();
  start<look_at_old>();
  start<look_at_new>();
}

static void list(int) {
  dirent** entries = nullptr;
  const int count = scandir(folder, &entries, nullptr, nullptr);
  for (int i = 0; i < count; ++i) free(entries[i]);
  free(entries);
}
COUNTED(list_and_make) {
  start<list>();
  start<make_own>(0);
}

static void cut(int) { used = ftruncate(file, 1); }
static void measure(int) {
  struct stat status;
  used = fstat(file, &status);
}
COUNTED(size) {
  start<cut>();
  start<measure>();
}

static void read_from(int) {
  char byte;
  used = lseek(file, 1, SEEK_SET);
  used = read(file, &byte, 1);
}
COUNTED(one_offset) { start_each<read_from>(n); }

static void set_variable(int i) { used = setenv("JOSTLE_STATE", i ? "one" : "none", 1); }
static void get_variable(int) { used = getenv("JOSTLE_STATE") != nullptr; }
static void get_other(int) { used = getenv("JOSTLE_OTHER") != nullptr; }
COUNTED(variable) {
  start<set_variable>();
  start<get_variable>();
}
COUNTED(other_variable) {
  start<set_variable>();
  start<get_other>();
}
COUNTED(setters) { start_each<set_variable>(n); }

static void enter(int) { used = chdir(folder); }
static void look_from_here(int) { used = access("a", F_OK); }
COUNTED(relative_path) {
  start<enter>();
  start<look_from_here>();
}
COUNTED(absolute_path) {
  start<enter>();
  start<look>();
}
