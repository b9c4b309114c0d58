// SPDX-License-Identifier: Apache-2.0
// What all threads see although it is no memory: names of files, what is in them, the environment,
// the working directory, descriptors, mappings.
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>

#include "counted.h"

static char folder[4096];
static int file, ends[2];
static thread_local volatile long used;

// The names that threads make, in a folder that main has made.
static char paths[4][sizeof folder + 2];

// Whoever starts the program removes it: after a run everything is as it was before.
struct Folder {
  NOT_SEEN Folder() {
    const char* tmp = getenv("TMPDIR");
    std::snprintf(folder, sizeof folder, "%s/jostle-state-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(folder)) abort();
    for (int i = 0; i < 4; ++i) std::snprintf(paths[i], sizeof paths[i], "%s/%c", folder, 'a' + i);
    file = open(paths[3], O_CREAT | O_RDWR, 0600);
    if (write(file, "text", 4) != 4) abort();
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

// Flags, names and options of open files, copies of what is in a pipe, the way a link leads.
static int socket_of_main;
static void keep_from_others(int) { used = fcntl(file, F_SETFD, FD_CLOEXEC); }
static void look_at_flags(int) { used = fcntl(file, F_GETFD); }
COUNTED(descriptor_flags) {
  start<keep_from_others>();
  start<look_at_flags>();
}
static void name_socket(int) {
  sockaddr_in any = {};
  any.sin_family = AF_INET;
  used = bind(socket_of_main, reinterpret_cast<sockaddr*>(&any), sizeof any);
}
static void look_at_name(int) {
  sockaddr_in name;
  socklen_t size = sizeof name;
  used = getsockname(socket_of_main, reinterpret_cast<sockaddr*>(&name), &size);
}
static void let_reuse(int) {
  const int on = 1;
  used = setsockopt(socket_of_main, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
}
static void look_at_reuse(int) {
  int on;
  socklen_t size = sizeof on;
  used = getsockopt(socket_of_main, SOL_SOCKET, SO_REUSEADDR, &on, &size);
}
COUNTED(socket_name) {
  socket_of_main = socket(AF_INET, SOCK_DGRAM, 0);
  start<name_socket>();
  start<look_at_name>();
}
COUNTED(socket_option) {
  socket_of_main = socket(AF_INET, SOCK_DGRAM, 0);
  start<let_reuse>();
  start<look_at_reuse>();
}
static int copy_ends[2];
static void copy_in_pipe(int) { used = tee(ends[0], copy_ends[1], 1, 0); }
static void read_copy(int) {
  char byte;
  used = read(copy_ends[0], &byte, 1);
}
COUNTED(pipe_copied) {  // tee looks at one pipe, then writes to the other
  if (pipe2(ends, O_NONBLOCK) != 0 || pipe2(copy_ends, O_NONBLOCK) != 0) abort();
  if (write(ends[1], "x", 1) != 1) abort();
  start<copy_in_pipe>();
  start<read_copy>();
}
static void make_link(int) { used = symlink("/", paths[0]); }
static void follow_link(int) {
  char to[PATH_MAX];
  used = realpath(paths[0], to) != nullptr;
}
COUNTED(link_followed) {
  start<make_link>();
  start<follow_link>();
}

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

// Who closes a number and who is given it.
static int closed;
static void close_it(int) { used = close(closed); }
static void make_descriptor(int) { used = eventfd(0, 0); }
COUNTED(number_again) {
  closed = dup(file);
  start<close_it>();
  start<make_descriptor>();
}
COUNTED(numbers) { start_each<make_descriptor>(n); }
// What was closed is somebody else's by now: closed once more, and not there for its owner.
static void close_twice(int) {
  close(closed);
  close(closed);
}
static void use_own(int) {
  const int own = eventfd(0, 0);
  if (eventfd_write(own, 1) != 0) std::abort();
}
COUNTED(closed_twice) {
  closed = dup(file);
  start<close_twice>();
  start<use_own>();
}

// The next byte of a stream is one thread's.
static FILE* stream;
static void read_next(int) { used = getc(stream); }
COUNTED(stream_read) {
  stream = fdopen(dup(file), "r");
  start_each<read_next>(n);
}
static void wait_bytes(int) {
  int waiting;
  used = ioctl(ends[0], FIONREAD, &waiting);
}
static void write_byte(int) { used = write(ends[1], "", 1); }
COUNTED(bytes_waiting) {
  if (pipe(ends) != 0) std::abort();
  start<wait_bytes>();
  start<write_byte>();
}

// A page that others use goes.
static std::atomic<int>* page;
static void use_page(int) { page->store(1); }
static void empty_page(int) { used = madvise(page, sizeof *page, MADV_DONTNEED); }
static void unmap_page(int) { used = munmap(page, sizeof *page); }
static void map_page() {
  page = static_cast<std::atomic<int>*>(
      mmap(nullptr, sizeof *page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}
COUNTED(emptied) {
  map_page();
  start<use_page>();
  start<empty_page>();
}
COUNTED(unmapped) {
  map_page();
  start<use_page>();
  start<unmap_page>();
}

// Told to a thread in memory that it does not own.
static pthread_t told;
static sem_t* semaphore;
static int count;
static void create_it(int) {
  pthread_t own;
  pthread_create(
      &told, nullptr, [](void* p) { return p; }, nullptr);
  own = told;
  pthread_join(own, nullptr);
}
static void look_who(int) { used = static_cast<long>(told); }
COUNTED(thread_told) {
  start<create_it>();
  start<look_who>();
}
static void ask_count(int) { sem_getvalue(semaphore, &count); }
static void look_at_count(int) { used = count; }
COUNTED(count_told) {
  static sem_t one;
  sem_init(&one, 0, 1);
  semaphore = &one;
  start<ask_count>();
  start<look_at_count>();
}

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
