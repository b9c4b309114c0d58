// SPDX-License-Identifier: Apache-2.0
#include "src/files/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "src/base/hash.h"
#include "src/base/raw_syscall.h"
#include "src/files/kernel_objects.h"

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

namespace jostle::files {
namespace {

using channel::FileJournal;
using channel::FileKind;
using channel::FileRecord;
using channel::FileState;

// Only raw system calls: the program's threads come here from hooks, and errno is theirs.
template <typename T>
long address(T* p) {
  return reinterpret_cast<long>(p);
}
int open_at(int directory, const char* path, int flags, unsigned mode = 0) {
  return static_cast<int>(
      raw_syscall(SYS_openat, directory, address(path), flags | O_CLOEXEC, mode));
}
void close(int fd) { raw_syscall(SYS_close, fd); }
bool status_at(int directory, const char* path, struct stat& status, bool follow = false) {
  return raw_syscall(SYS_newfstatat, directory, address(path), address(&status),
                     follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0;
}

// ---- which file is meant ------------------------------------------------------------------------

using Path = char[channel::kLongestPath];

// The name of what is open, from the root and without links.
bool name_of_descriptor(int fd, Path& to) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const long n = raw_syscall(SYS_readlinkat, AT_FDCWD, address(link), address(to), sizeof to);
  if (n <= 0 || n >= static_cast<long>(sizeof to)) return false;
  to[n] = '\0';
  constexpr char kDeleted[] = " (deleted)";
  const size_t length = strlen(to);
  return to[0] == '/' &&
         (length < sizeof kDeleted || strcmp(to + length - (sizeof kDeleted - 1), kDeleted) != 0);
}

bool name_of_open(int directory, const char* path, int flags, Path& to) {
  const int fd = open_at(directory, path, O_PATH | flags);
  if (fd < 0) return false;
  const bool known = name_of_descriptor(fd, to);
  close(fd);
  return known;
}

// Absolute and without links on the way. The file itself need not be there; its folder must.
bool canonical(int directory, const char* path, bool follows, Path& to) {
  struct stat status;
  if (follows && status_at(directory, path, status) && S_ISLNK(status.st_mode)) {
    return name_of_open(directory, path, 0, to);  // not when it leads nowhere
  }
  Path folder;
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') --length;
  size_t last = length;
  while (last > 0 && path[last - 1] != '/') --last;
  const size_t name = length - last;
  if (name == 0 || last >= sizeof folder) return false;
  if (path[last] == '.' && (name == 1 || (name == 2 && path[last + 1] == '.'))) return false;
  memcpy(folder, path, last);
  folder[last] = '\0';
  if (!name_of_open(directory, last ? folder : ".", O_DIRECTORY, to)) return false;
  size_t end = strlen(to);
  if (end + 1 + name + 1 > sizeof to) return false;
  if (end > 1) to[end++] = '/';
  memcpy(to + end, path + last, name);
  to[end + name] = '\0';
  return true;
}

bool begins(const char* text, const char* prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}
bool ends(const char* text, const char* suffix) {
  const size_t length = strlen(text), tail = strlen(suffix);
  return length >= tail && strcmp(text + length - tail, suffix) == 0;
}

// The kernel's own, and what the compiler's coverage adds up over all runs.
bool is_nobodys_business(const char* path) {
  if (begins(path, "/dev/")) return !begins(path, "/dev/shm/");
  return begins(path, "/proc/") || begins(path, "/sys/") || ends(path, ".gcda") ||
         ends(path, ".profraw");
}

// ---- what was there -----------------------------------------------------------------------------

FileState state_of(const struct stat& status) {
  return {status.st_dev,         status.st_ino,          static_cast<uint64_t>(status.st_size),
          status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
          status.st_ctim.tv_nsec};
}

FileState state_at(const char* path) {
  struct stat status;
  return status_at(AT_FDCWD, path, status) ? state_of(status) : FileState{};
}

void leave_alone(FileRecord& record, const char* why) {
  if (!record.left_alone[0]) snprintf(record.left_alone, sizeof record.left_alone, "%s", why);
}

char* take_room(FileJournal& journal, FileRecord& record, uint64_t size) {
  const uint64_t at = journal.used.fetch_add((size + 15) & ~uint64_t{15});
  if (at + size > channel::kFileBytes) return nullptr;
  record.content = at;
  record.content_size = size;
  return journal.content + at;
}

void keep_content(FileJournal& journal, FileRecord& record) {
  const uint64_t size = record.before.size;
  if (size > channel::kLargestFile) return leave_alone(record, "it is larger than 4 MiB");
  char* to = take_room(journal, record, size);
  if (!to) return leave_alone(record, "the files that runs change are larger than 64 MiB");
  const int fd = open_at(AT_FDCWD, record.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return leave_alone(record, "it cannot be read");
  uint64_t done = 0;
  for (long n = 1; done < size && n > 0; done += n > 0 ? static_cast<uint64_t>(n) : 0) {
    n = raw_syscall(SYS_pread64, fd, address(to + done), static_cast<long>(size - done),
                    static_cast<long>(done));
  }
  struct stat now;
  const bool same = raw_syscall(SYS_fstat, fd, address(&now)) == 0 &&
                    state_of(now) == record.before && done == size;
  close(fd);
  if (!same) leave_alone(record, "somebody else changes it, too");
}

void keep_link(FileJournal& journal, FileRecord& record) {
  Path target;
  const long n =
      raw_syscall(SYS_readlinkat, AT_FDCWD, address(record.path), address(target), sizeof target);
  char* to = n > 0 && n < static_cast<long>(sizeof target)
                 ? take_room(journal, record, static_cast<uint64_t>(n) + 1)
                 : nullptr;
  if (!to) return leave_alone(record, "it cannot be read");
  memcpy(to, target, static_cast<size_t>(n));
  to[n] = '\0';
}

void fill(FileJournal& journal, FileRecord& record) {
  record.left_alone[0] = '\0';
  record.touched = record.removed = record.changed = 0;
  record.content_size = 0;
  record.before = record.left = {};
  struct stat status;
  if (!status_at(AT_FDCWD, record.path, status)) {
    record.kind = FileKind::absent;
  } else {
    record.kind = S_ISREG(status.st_mode)   ? FileKind::file
                  : S_ISDIR(status.st_mode) ? FileKind::directory
                  : S_ISLNK(status.st_mode) ? FileKind::link
                                            : FileKind::other;
    record.mode = status.st_mode & 07777;
    record.user = status.st_uid;
    record.group = status.st_gid;
    record.links = static_cast<uint32_t>(status.st_nlink);
    record.before = record.left = state_of(status);
  }
  if (journal.care == channel::FileCare::name) return leave_alone(record, "several workers use it");
  if (record.kind == FileKind::file) keep_content(journal, record);
  if (record.kind == FileKind::link) keep_link(journal, record);
}

FileRecord* find(FileJournal& journal, const char* path, uint64_t hash) {
  const uint32_t count = journal.count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count && i < channel::kMaxFiles; ++i) {
    FileRecord& record = journal.records[i];
    if (record.path_hash == hash && strcmp(record.path, path) == 0) return &record;
  }
  return nullptr;
}

// A directory's own times change with what is in it.
bool is_as_left(const FileRecord& record, const FileState& now) {
  if (record.kind == FileKind::directory) {
    return now.device == record.left.device && now.inode == record.left.inode;
  }
  return now == record.left;
}

// ---- the way back -------------------------------------------------------------------------------

bool write_all(int fd, const char* from, uint64_t size) {
  for (uint64_t done = 0; done < size;) {
    const long n = raw_syscall(SYS_pwrite64, fd, address(from + done),
                               static_cast<long>(size - done), static_cast<long>(done));
    if (n <= 0) return false;
    done += static_cast<uint64_t>(n);
  }
  return true;
}

void put_times_back(const FileRecord& record) {
  const timespec times[2] = {{0, UTIME_OMIT},
                             {record.before.modified_seconds, record.before.modified_nanoseconds}};
  raw_syscall(SYS_utimensat, AT_FDCWD, address(record.path), address(times), AT_SYMLINK_NOFOLLOW);
}

// Times are not enough: a file may be written twice within the kernel's idea of a moment.
bool has_content(const FileJournal& journal, const FileRecord& record, const char* path) {
  const int fd = open_at(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return false;
  char piece[1024];
  uint64_t done = 0;
  for (;;) {
    const long n = raw_syscall(SYS_read, fd, address(piece), sizeof piece);
    if (n <= 0 || done + static_cast<uint64_t>(n) > record.content_size ||
        memcmp(piece, journal.content + record.content + done, static_cast<size_t>(n)) != 0) {
      close(fd);
      return n == 0 && done == record.content_size;
    }
    done += static_cast<uint64_t>(n);
  }
}

bool is_as_before(const FileJournal& journal, const FileRecord& record) {
  struct stat now;
  if (!status_at(AT_FDCWD, record.path, now)) return record.kind == FileKind::absent;
  switch (record.kind) {
    case FileKind::file:
      return S_ISREG(now.st_mode) && (now.st_mode & 07777) == record.mode &&
             has_content(journal, record, record.path);
    case FileKind::directory:
      return S_ISDIR(now.st_mode);
    case FileKind::link:
      return S_ISLNK(now.st_mode);
    default:
      return false;
  }
}

// Content first, then the length: what was there before and was only added to is never gone.
bool rewrite(const FileJournal& journal, const FileRecord& record) {
  constexpr int kFlags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK;
  int fd = open_at(AT_FDCWD, record.path, kFlags);
  if (fd == -EACCES) {  // the run has made it read-only, or it always was
    raw_syscall(SYS_fchmodat, AT_FDCWD, address(record.path), record.mode | 0200);
    fd = open_at(AT_FDCWD, record.path, kFlags);
  }
  if (fd < 0) return false;
  const bool done = write_all(fd, journal.content + record.content, record.content_size) &&
                    raw_syscall(SYS_ftruncate, fd, static_cast<long>(record.content_size)) == 0 &&
                    raw_syscall(SYS_fchmod, fd, record.mode) == 0;
  close(fd);
  put_times_back(record);
  return done;
}

// It is gone, or another file has its name.
bool make_again(const FileJournal& journal, const FileRecord& record) {
  Path draft;
  const char* name = strrchr(record.path, '/') + 1;
  const int n =
      snprintf(draft, sizeof draft, "%.*s.jostle-%ld", static_cast<int>(name - record.path),
               record.path, raw_syscall(SYS_getpid));
  if (n <= 0 || n >= static_cast<int>(sizeof draft)) return false;
  const int fd = open_at(AT_FDCWD, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (fd < 0) return false;
  bool done = write_all(fd, journal.content + record.content, record.content_size);
  struct stat status;
  done = done && raw_syscall(SYS_fstat, fd, address(&status)) == 0 &&
         ((status.st_uid == record.user && status.st_gid == record.group) ||
          raw_syscall(SYS_fchown, fd, record.user, record.group) == 0) &&
         raw_syscall(SYS_fchmod, fd, record.mode) == 0;
  close(fd);
  done = done && raw_syscall(SYS_renameat2, AT_FDCWD, address(draft), AT_FDCWD,
                             address(record.path), 0) == 0;
  if (!done) raw_syscall(SYS_unlinkat, AT_FDCWD, address(draft), 0);
  if (done) put_times_back(record);
  return done;
}

// Is it the file or folder of the record, under another name? Numbers of files that are gone are
// given to new ones at once, so that a number alone says nothing.
bool is_what_was(const FileJournal& journal, const FileRecord& record, const char* path) {
  struct stat status;
  if (!status_at(AT_FDCWD, path, status)) return false;
  const FileState now = state_of(status);
  if (now.inode != record.left.inode || now.device != record.left.device ||
      now.modified_seconds != record.left.modified_seconds ||
      now.modified_nanoseconds != record.left.modified_nanoseconds) {
    return false;
  }
  if (record.kind == FileKind::directory) return S_ISDIR(status.st_mode);
  return record.kind == FileKind::file && S_ISREG(status.st_mode) && now.size == record.left.size &&
         (record.left_alone[0] || has_content(journal, record, path));
}

// The run gave it another name: it is looked for under those that the run used.
void rename_back(const FileJournal& journal, const FileRecord& record) {
  const uint32_t count = journal.touched_count;
  for (uint32_t i = 0; i < count && i < channel::kMaxFiles; ++i) {
    const FileRecord& other = journal.records[journal.order[i]];
    if (&other == &record || !is_what_was(journal, record, other.path)) continue;
    if (other.left.inode == record.left.inode) continue;  // a link
    raw_syscall(SYS_renameat2, AT_FDCWD, address(other.path), AT_FDCWD, address(record.path),
                RENAME_NOREPLACE);
    return;
  }
}

bool remove_made(const FileRecord& record, const struct stat& now) {
  return raw_syscall(SYS_unlinkat, AT_FDCWD, address(record.path),
                     S_ISDIR(now.st_mode) ? AT_REMOVEDIR : 0) == 0;
}

bool put_file_back(const FileJournal& journal, FileRecord& record, bool is_there,
                   const struct stat& now) {
  if (is_there && state_of(now) == record.left && has_content(journal, record, record.path)) {
    return true;
  }
  if (is_there && S_ISDIR(now.st_mode)) return false;
  const bool same = is_there && now.st_ino == record.left.inode && now.st_dev == record.left.device;
  if (same) return rewrite(journal, record);
  if (record.links > 1) {
    leave_alone(record, "it had other names (hard links), and this one is gone");
    return false;
  }
  return make_again(journal, record);
}

void put_back(FileJournal& journal, FileRecord& record) {
  if (record.left_alone[0]) {
    if (!is_as_left(record, state_at(record.path)) && !record.changed) {
      record.changed = 1;
      ++journal.some_changed;
    }
    return;
  }
  struct stat now;
  const bool is_there = status_at(AT_FDCWD, record.path, now);
  bool done = true;
  switch (record.kind) {
    case FileKind::absent:
      if (is_there && !record.removed) done = remove_made(record, now);
      break;
    case FileKind::file:
      done = put_file_back(journal, record, is_there, now);
      break;
    case FileKind::directory:
      if (!is_there) {
        done = raw_syscall(SYS_mkdirat, AT_FDCWD, address(record.path), record.mode) == 0;
      }
      break;
    case FileKind::link:
      if (!is_there) {
        done = raw_syscall(SYS_symlinkat, address(journal.content + record.content), AT_FDCWD,
                           address(record.path)) == 0;
      }
      break;
    case FileKind::other:
      done = is_there;
      break;
  }
  record.left = record.removed ? FileState{} : state_at(record.path);
  if (done) return;
  leave_alone(record, "it cannot be put back");
  record.changed = 1;
  ++journal.some_changed;
}

}  // namespace

Change::Change(FileJournal* journal, int directory, const char* path, bool follows)
    : journal_(journal) {
  if (!journal || journal->care == channel::FileCare::none || !path || !*path) return;
  Path name;
  if (!canonical(directory, path, follows, name) || is_nobodys_business(name)) return;
  const uint64_t hash = fnv1a(name, strlen(name));
  FileRecord* record = find(*journal, name, hash);
  if (!record) {
    const uint32_t index = journal->count.load();
    if (index >= channel::kMaxFiles) return;
    record = &journal->records[index];
    memcpy(record->path, name, sizeof name);
    record->path_hash = hash;
    fill(*journal, *record);
    journal->count.store(index + 1, std::memory_order_release);
  } else if (!record->touched && !record->left_alone[0] && !is_as_left(*record, state_at(name))) {
    // The command runs the program, too, and puts back what that changes: then only times differ.
    if (is_as_before(*journal, *record)) {
      record->left = state_at(name);
    } else {
      leave_alone(*record, "somebody else changes it, too");
      doubted_ = true;
    }
  }
  record_ = record;
  was_removed_ = record->removed;
  record->removed = 0;
  if (record->touched) return;
  touched_first_ = true;
  record->touched = 1;
  const uint32_t at = journal->touched_count.fetch_add(1);
  if (at < channel::kMaxFiles)
    journal->order[at] = static_cast<uint32_t>(record - journal->records);
}

void Change::failed() {
  if (!record_) return;
  // A name that another process has for a moment, and that the run did not get: nothing is known
  // yet.
  if (doubted_) record_->left_alone[0] = '\0';
  record_->removed = was_removed_;
  if (!touched_first_) return;
  // The last one, unless a child of the program was at it as well: then it stays, and is compared.
  const uint32_t last = journal_->touched_count.load();
  const auto index = static_cast<uint32_t>(record_ - journal_->records);
  if (last == 0 || last > channel::kMaxFiles || journal_->order[last - 1] != index) return;
  journal_->touched_count.store(last - 1);
  record_->touched = 0;
}

void Change::removed() {
  if (record_) record_->removed = 1;
}

void put_back(FileJournal& journal) {
  uint32_t count = journal.touched_count.load();
  if (count > channel::kMaxFiles) count = channel::kMaxFiles;
  // First what has another name now: it would be taken for something that the run made.
  for (uint32_t i = count; i-- > 0;) {
    const FileRecord& record = journal.records[journal.order[i]];
    struct stat now;
    if (record.kind != FileKind::absent && !status_at(AT_FDCWD, record.path, now)) {
      rename_back(journal, record);
    }
  }
  for (uint32_t i = count; i-- > 0;) put_back(journal, journal.records[journal.order[i]]);
  for (uint32_t i = 0; i < count; ++i) {
    FileRecord& record = journal.records[journal.order[i]];
    record.touched = record.removed = 0;
  }
  journal.touched_count.store(0);
  remove_left_objects(journal);
}

const FileRecord* written_before(const FileJournal& journal, int directory, const char* path) {
  Path name;
  if (journal.some_changed.load() == 0 || !path || !canonical(directory, path, true, name)) {
    return nullptr;
  }
  const FileRecord* record =
      find(const_cast<FileJournal&>(journal), name, fnv1a(name, strlen(name)));
  return record && record->changed ? record : nullptr;
}

}  // namespace jostle::files
