// SPDX-License-Identifier: Apache-2.0
// Calls that change the file system by name. What they do is kept in mind, so that a campaign can
// put it back after the run.
#include "src/runtime/interpose/state/file_changes.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/hash.h"
#include "src/runtime/hook/alias.h"
#include "src/runtime/interpose/descriptor/descriptor_table.h"
#include "src/runtime/interpose/state/no_steps.h"

namespace jostle::rt {

JOSTLE_KEPT channel::FileJournal* g_file_journal = nullptr;

void step_of_opening(int directory, const char* path, int flags, uintptr_t pc) {
  const bool changes = flags & (O_CREAT | O_TRUNC);
  StateStep step(changes ? OpKind::state_write : OpKind::state_read, SharedState::file_names, pc);
  if (flags & O_CREAT) {
    step.makes_or_removes(directory, path);
  } else if (changes) {
    step.changes(directory, path);
  } else {
    step.looks_at(directory, path);
  }
  if (flags & O_TRUNC) step.changes_content();
  step.changes(SharedState::descriptors);
}

bool opens_to_change(int directory, const char* path, int flags) {
  if (!g_file_journal || (flags & O_PATH) || (flags & __O_TMPFILE) == __O_TMPFILE) return false;
  if ((flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC)) return true;
  if (!(flags & O_CREAT)) return false;
  const int saved = errno;
  struct stat status;
  const bool makes = REAL(fstatat)(directory, path, &status, 0) != 0;
  errno = saved;
  return makes;
}

void note_reading(int directory, const char* path) {
  if (!g_file_journal) return;
  const channel::FileRecord* record = files::written_before(*g_file_journal, directory, path);
  if (!record) return;
  char* note = g_scheduler.channel().status.file_note;
  if (note[0]) return;
  snprintf(note, sizeof g_scheduler.channel().status.file_note,
           "reads %s, which the run before wrote (it is not put back: %s)", record->path,
           record->left_alone);
}

namespace {

StateStep changes_names(uintptr_t pc) { return {OpKind::state_write, SharedState::file_names, pc}; }

// Objects with names that libc keeps as files there.
void name_in_shared_memory(const char* name, const char* prefix, char (&path)[300]) {
  while (*name == '/') ++name;
  snprintf(path, sizeof path, "/dev/shm/%s%s", prefix, name);
}

}  // namespace
}  // namespace jostle::rt

using namespace jostle;
using namespace jostle::rt;

#define CHANGES(function, parameters, arguments, directory, path, checked) \
  JOSTLE_HOOK int function parameters noexcept {                           \
    changes_names(CALLER()).makes_or_removes(directory, path);             \
    files::Change change = changes_file(directory, path, kItself);         \
    return checked(change, REAL(function) arguments);                      \
  }
#define REMOVES(function, parameters, arguments, directory, path) \
  CHANGES(function, parameters, arguments, directory, path, checked_removal)
#define MAKES(function, parameters, arguments, directory, path) \
  CHANGES(function, parameters, arguments, directory, path, checked)

REMOVES(unlink, (const char* path), (path), AT_FDCWD, path)
REMOVES(unlinkat, (int directory, const char* path, int flags), (directory, path, flags), directory,
        path)
REMOVES(remove, (const char* path), (path), AT_FDCWD, path)
REMOVES(rmdir, (const char* path), (path), AT_FDCWD, path)
MAKES(mkdir, (const char* path, mode_t mode), (path, mode), AT_FDCWD, path)
MAKES(mkdirat, (int directory, const char* path, mode_t mode), (directory, path, mode), directory,
      path)
MAKES(symlink, (const char* to, const char* path), (to, path), AT_FDCWD, path)
MAKES(symlinkat, (const char* to, int directory, const char* path), (to, directory, path),
      directory, path)

// A second name. It changes the file that has the first one.
#define LINKS(function, parameters, arguments, other, from, directory, path)        \
  JOSTLE_HOOK int function parameters noexcept {                                    \
    changes_names(CALLER()).changes(other, from).makes_or_removes(directory, path); \
    files::Change change = changes_file(directory, path, kItself);                  \
    return checked(change, REAL(function) arguments);                               \
  }

LINKS(link, (const char* from, const char* path), (from, path), AT_FDCWD, from, AT_FDCWD, path)
LINKS(linkat, (int other, const char* from, int directory, const char* path, int flags),
      (other, from, directory, path, flags), other, from, directory, path)

#define MAKES_NODE(function, parameters, arguments, directory, path, mode)               \
  JOSTLE_HOOK int function parameters noexcept {                                         \
    changes_names(CALLER()).makes_or_removes(directory, path);                           \
    files::Change change = changes_file(directory, path, kItself);                       \
    const int result = checked(change, REAL(function) arguments);                        \
    if (result == 0 && S_ISFIFO(mode) && controlled()) note_named_pipe(directory, path); \
    return result;                                                                       \
  }

MAKES_NODE(mkfifo, (const char* path, mode_t mode), (path, mode), AT_FDCWD, path, S_IFIFO)
MAKES_NODE(mkfifoat, (int directory, const char* path, mode_t mode), (directory, path, mode),
           directory, path, S_IFIFO)
MAKES_NODE(mknod, (const char* path, mode_t mode, dev_t device), (path, mode, device), AT_FDCWD,
           path, mode)
MAKES_NODE(mknodat, (int directory, const char* path, mode_t mode, dev_t device),
           (directory, path, mode, device), directory, path, mode)

#define CHANGES_CONTENT(function, parameters, arguments, directory, path) \
  JOSTLE_HOOK int function parameters noexcept {                          \
    changes_names(CALLER()).changes(directory, path).changes_content();   \
    files::Change change = changes_file(directory, path, kWhereItLeads);  \
    return checked(change, REAL(function) arguments);                     \
  }

CHANGES_CONTENT(truncate, (const char* path, off_t length), (path, length), AT_FDCWD, path)
JOSTLE_ALIAS(truncate64, truncate);
CHANGES_CONTENT(chmod, (const char* path, mode_t mode), (path, mode), AT_FDCWD, path)
CHANGES_CONTENT(fchmodat, (int directory, const char* path, mode_t mode, int flags),
                (directory, path, mode, flags), directory, path)

namespace {

bool is_there(int directory, const char* path) {
  const int saved = errno;
  struct stat status;
  const bool found = REAL(fstatat)(directory, path, &status, AT_SYMLINK_NOFOLLOW) == 0;
  errno = saved;
  return found;
}

template <typename Call>
int rename_with(int from_directory, const char* from, int to_directory, const char* to,
                uintptr_t pc, Call&& call) {
  changes_names(pc).makes_or_removes(from_directory, from).makes_or_removes(to_directory, to);
  files::Change gone = changes_file(from_directory, from, kItself);
  files::Change made = changes_file(to_directory, to, kItself);
  const int result = call();
  if (result < 0) {
    made.failed();
    gone.failed();
  } else if (g_file_journal && !is_there(from_directory, from)) {
    gone.removed();
  }
  return result;
}

}  // namespace

JOSTLE_HOOK int rename(const char* from, const char* to) noexcept {
  return rename_with(AT_FDCWD, from, AT_FDCWD, to, CALLER(),
                     [&] { return REAL(rename)(from, to); });
}
JOSTLE_HOOK int renameat(int from_directory, const char* from, int to_directory,
                         const char* to) noexcept {
  return rename_with(from_directory, from, to_directory, to, CALLER(),
                     [&] { return REAL(renameat)(from_directory, from, to_directory, to); });
}
JOSTLE_HOOK int renameat2(int from_directory, const char* from, int to_directory, const char* to,
                          unsigned flags) noexcept {
  return rename_with(from_directory, from, to_directory, to, CALLER(), [&] {
    return REAL(renameat2)(from_directory, from, to_directory, to, flags);
  });
}

// ---- names that libc draws ----------------------------------------------------------------------
//
// Ours are drawn from the run's random numbers: the same in every run. Other processes draw the
// same ones, so that a name may be taken. The numbers that the program sees later do not depend on
// that: another name follows from the first.

namespace {

// f(template) until it does not fail with EEXIST. The last six characters before `suffix` vary.
template <typename Make>
int with_drawn_name(char* pattern, int suffix, Make&& make) {
  const size_t length = strlen(pattern);
  if (suffix < 0 || length < 6 + static_cast<size_t>(suffix) ||
      strncmp(pattern + length - suffix - 6, "XXXXXX", 6) != 0) {
    errno = EINVAL;
    return -1;
  }
  static constexpr char kLetters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  char* const varies = pattern + length - suffix - 6;
  is_no_step();
  uint64_t seed = 0;
  for (int i = 0; i < 6; ++i) {
    const uint32_t letter = arc4random_uniform(62);
    varies[i] = kLetters[letter];
    seed = seed * 62 + letter;
  }
  for (int attempt = 1; attempt <= 4096; ++attempt) {
    files::Change change = changes_file(AT_FDCWD, pattern, kItself);
    const int result = checked(change, make(pattern));
    if (result >= 0 || errno != EEXIST) return result;
    uint64_t next = combine(seed, static_cast<uint64_t>(attempt));
    for (int i = 0; i < 6; ++i, next /= 62) varies[i] = kLetters[next % 62];
  }
  errno = EEXIST;
  return -1;
}

int make_file(char* pattern, int suffix, int flags) {
  const int fd = with_drawn_name(pattern, suffix, [flags](const char* path) {
    return REAL(open)(path, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
  });
  if (fd >= 0) note_closed(fd);
  return fd;
}

}  // namespace

JOSTLE_HOOK int mkstemp(char* pattern) {
  return controlled() ? make_file(pattern, 0, 0) : REAL(mkstemp)(pattern);
}
JOSTLE_ALIAS(mkstemp64, mkstemp);
JOSTLE_HOOK int mkostemp(char* pattern, int flags) {
  return controlled() ? make_file(pattern, 0, flags) : REAL(mkostemp)(pattern, flags);
}
JOSTLE_ALIAS(mkostemp64, mkostemp);
JOSTLE_HOOK int mkstemps(char* pattern, int suffix) {
  return controlled() ? make_file(pattern, suffix, 0) : REAL(mkstemps)(pattern, suffix);
}
JOSTLE_ALIAS(mkstemps64, mkstemps);
JOSTLE_HOOK int mkostemps(char* pattern, int suffix, int flags) {
  return controlled() ? make_file(pattern, suffix, flags) : REAL(mkostemps)(pattern, suffix, flags);
}
JOSTLE_ALIAS(mkostemps64, mkostemps);
JOSTLE_HOOK char* mkdtemp(char* pattern) noexcept {
  if (!controlled()) return REAL(mkdtemp)(pattern);
  const auto make = [](const char* path) { return REAL(mkdir)(path, 0700); };
  return with_drawn_name(pattern, 0, make) < 0 ? nullptr : pattern;
}

// ---- named memory -------------------------------------------------------------------------------

JOSTLE_HOOK int shm_open(const char* name, int flags, mode_t mode) {
  char path[300];
  name_in_shared_memory(name, "", path);
  step_of_opening(AT_FDCWD, path, flags, CALLER());
  if (!controlled() || !opens_to_change(AT_FDCWD, path, flags)) {
    return REAL(shm_open)(name, flags, mode);
  }
  files::Change change = changes_file(AT_FDCWD, path, kItself);
  return checked(change, REAL(shm_open)(name, flags, mode));
}
JOSTLE_HOOK int shm_unlink(const char* name) {
  char path[300];
  name_in_shared_memory(name, "", path);
  changes_names(CALLER()).makes_or_removes(AT_FDCWD, path);
  files::Change change = changes_file(AT_FDCWD, path, kItself);
  return checked_removal(change, REAL(shm_unlink)(name));
}

JOSTLE_HOOK sem_t* sem_open(const char* name, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  const unsigned value = flags & O_CREAT ? va_arg(list, unsigned) : 0;
  va_end(list);
  char path[300];
  name_in_shared_memory(name, "sem.", path);
  step_of_opening(AT_FDCWD, path, flags, CALLER());
  files::Change change = changes_file(AT_FDCWD, path, kItself);
  sem_t* semaphore = REAL(sem_open)(name, flags, mode, value);
  if (semaphore == SEM_FAILED) change.failed();
  return semaphore;
}
JOSTLE_HOOK int sem_unlink(const char* name) noexcept {
  char path[300];
  name_in_shared_memory(name, "sem.", path);
  changes_names(CALLER()).makes_or_removes(AT_FDCWD, path);
  files::Change change = changes_file(AT_FDCWD, path, kItself);
  return checked_removal(change, REAL(sem_unlink)(name));
}
