// SPDX-License-Identifier: Apache-2.0
// Calls that ask for names of files and what is behind them: who asks comes before or behind
// whoever changes it.
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/buffers/library_call.h"
#include "src/runtime/interpose/identity/process_id.h"
#include "src/runtime/interpose/state/state_step.h"
#include "src/runtime/memory/access.h"

using namespace jostle;
using namespace jostle::rt;

namespace {

StateStep looks_at_names(uintptr_t pc) { return {OpKind::state_read, SharedState::file_names, pc}; }

}  // namespace

// The answer is written by the kernel (heap/kernel_writes.cc).
#define ASKS(result, function, parameters, arguments, to, size, step) \
  JOSTLE_HOOK result function parameters noexcept {                   \
    step;                                                             \
    if (controlled()) {                                               \
      image_open(to, size);                                           \
      kernel_access(true, to, size, CALLER());                        \
    }                                                                 \
    return REAL(function) arguments;                                  \
  }

// ---- names
JOSTLE_HOOK int access(const char* path, int mode) noexcept {
  looks_at_names(CALLER()).looks_at(AT_FDCWD, path);
  return REAL(access)(KernelPath(path), mode);
}
JOSTLE_HOOK int faccessat(int directory, const char* path, int mode, int flags) noexcept {
  looks_at_names(CALLER()).looks_at(directory, path);
  return REAL(faccessat)(directory, path, mode, flags);
}
JOSTLE_HOOK int euidaccess(const char* path, int mode) noexcept {
  looks_at_names(CALLER()).looks_at(AT_FDCWD, path);
  return REAL(euidaccess)(path, mode);
}
JOSTLE_ALIAS(eaccess, euidaccess);
ASKS(ssize_t, readlink, (const char* path, char* to, size_t size), (KernelPath(path), to, size), to,
     size, looks_at_names(CALLER()).looks_at(AT_FDCWD, path))
ASKS(ssize_t, readlinkat, (int directory, const char* path, char* to, size_t size),
     (directory, path, to, size), to, size, looks_at_names(CALLER()).looks_at(directory, path))
ASKS(char*, getcwd, (char* to, size_t size), (to, size), to, to ? size : 0,
     StateStep(OpKind::state_read, SharedState::working_directory, CALLER())
         .looks(SharedState::working_directory))

JOSTLE_HOOK char* realpath(const char* path, char* to) noexcept {
  looks_at_names(CALLER()).looks_at(AT_FDCWD, path);
  char* const result = REAL(realpath)(path, to);
  if (result && to) LibraryCall(CALLER()).has_written(to, strlen(to) + 1);
  return result;
}
JOSTLE_HOOK char* canonicalize_file_name(const char* path) noexcept {
  looks_at_names(CALLER()).looks_at(AT_FDCWD, path);
  return REAL(canonicalize_file_name)(path);
}

// ---- what is behind them, and how large it is
ASKS(int, stat, (const char* path, struct stat* to), (KernelPath(path), to), to, sizeof *to,
     looks_at_names(CALLER()).looks_at(AT_FDCWD, path).looks_at_content())
ASKS(int, lstat, (const char* path, struct stat* to), (KernelPath(path), to), to, sizeof *to,
     looks_at_names(CALLER()).looks_at(AT_FDCWD, path).looks_at_content())
ASKS(int, fstatat, (int directory, const char* path, struct stat* to, int flags),
     (directory, KernelPath(path), to, flags), to, sizeof *to,
     looks_at_names(CALLER()).looks_at(directory, path).looks_at_content())
ASKS(int, statx, (int directory, const char* path, int flags, unsigned mask, struct statx* to),
     (directory, KernelPath(path), flags, mask, to), to, sizeof *to,
     looks_at_names(CALLER()).looks_at(directory, path).looks_at_content())
ASKS(int, fstat, (int fd, struct stat* to), (fd, to), to, sizeof *to, looks_at_open_file(CALLER()))
// The same on 64-bit machines.
JOSTLE_ALIAS(stat64, stat);
JOSTLE_ALIAS(lstat64, lstat);
JOSTLE_ALIAS(fstat64, fstat);
JOSTLE_ALIAS(fstatat64, fstatat);

// ---- content, and where in it the next read or write of a descriptor is
#define CHANGES_BYTES(result, function, parameters, arguments) \
  JOSTLE_HOOK result function parameters noexcept {            \
    changes_open_file(CALLER());                               \
    return REAL(function) arguments;                           \
  }
CHANGES_BYTES(int, ftruncate, (int fd, off_t size), (fd, size))
CHANGES_BYTES(int, fchmod, (int fd, mode_t mode), (fd, mode))
CHANGES_BYTES(off_t, lseek, (int fd, off_t offset, int from), (fd, offset, from))
JOSTLE_ALIAS(ftruncate64, ftruncate);
JOSTLE_ALIAS(lseek64, lseek);
JOSTLE_HOOK int fallocate(int fd, int mode, off_t begin, off_t size) {
  changes_open_file(CALLER());
  return REAL(fallocate)(fd, mode, begin, size);
}
JOSTLE_HOOK int posix_fallocate(int fd, off_t begin, off_t size) {
  changes_open_file(CALLER());
  return REAL(posix_fallocate)(fd, begin, size);
}
JOSTLE_ALIAS(fallocate64, fallocate);
JOSTLE_ALIAS(posix_fallocate64, posix_fallocate);

// ---- terminals
ASKS(int, tcgetattr, (int fd, termios* to), (fd, to), to, sizeof *to, looks_at_open_file(CALLER()))
CHANGES_BYTES(int, tcsetattr, (int fd, int when, const termios* settings), (fd, when, settings))

// ---- folders: each entry is read at a turn of its own, the rest of libc's buffer with the first
JOSTLE_HOOK DIR* opendir(const char* path) {
  looks_at_names(CALLER()).looks_at(AT_FDCWD, path);
  return REAL(opendir)(KernelPath(path));
}
JOSTLE_HOOK dirent* readdir(DIR* folder) {
  looks_at_names(CALLER()).lists();
  return REAL(readdir)(folder);
}
JOSTLE_ALIAS(readdir64, readdir);
JOSTLE_HOOK int scandir(const char* path, dirent*** list, int (*wants)(const dirent*),
                        int (*compare)(const dirent**, const dirent**)) {
  looks_at_names(CALLER()).looks_at(AT_FDCWD, path).lists();
  return REAL(scandir)(path, list, wants, compare);
}
JOSTLE_ALIAS(scandir64, scandir);
JOSTLE_HOOK int glob(const char* pattern, int flags, int (*failed)(const char*, int), glob_t* to) {
  looks_at_names(CALLER()).lists();
  return REAL(glob)(pattern, flags, failed, to);
}
JOSTLE_ALIAS(glob64, glob);
JOSTLE_HOOK int nftw(const char* path, __nftw_func_t each, int descriptors, int flags) {
  looks_at_names(CALLER()).looks_at(AT_FDCWD, path).lists();
  return REAL(nftw)(path, each, descriptors, flags);
}
JOSTLE_ALIAS(nftw64, nftw);
