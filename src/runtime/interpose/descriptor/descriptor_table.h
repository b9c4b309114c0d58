// SPDX-License-Identifier: Apache-2.0
// What we know about the process's descriptors: can a call on it block, who is at the other end.
//
// The kernel is asked (fstat and fcntl): descriptors are opened, duplicated, passed over sockets
// and closed behind our back inside libc, and a table of descriptor numbers would be wrong sooner
// or later. Its answer is kept only for descriptors that our hooks have made and that libc was not
// given (fdopen): those are closed by hooks, too. What the kernel cannot tell is kept here by
// device and inode, which are the same for all duplicates and for both ends of a pipe: was it made
// by this process, and is what makes it ready a thread of this process, too? Only then
// "everybody waits" is a deadlock. Descriptors without an inode of their own (eventfd, epoll) are
// the one exception, and kept by number.
//
// Nothing here changes errno.
#pragma once

#include <sys/stat.h>

#include <cstdint>

namespace jostle::rt {

// What all descriptors of one file, pipe or socket have in common.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;  // 0: none

  FileId() = default;
  explicit FileId(const struct stat& status) : device(status.st_dev), inode(status.st_ino) {}
  bool operator==(const FileId&) const = default;
};

enum class DescriptorKind : uint8_t {
  bad,     // not open
  file,    // never blocks: regular files, directories, disks, /dev/null
  device,  // terminals and other character devices
  pipe,    // also named ones
  socket,
  anonymous,  // eventfd, timerfd, epoll, signalfd, pidfd, inotify, …
};

struct Descriptor {
  int number = -1;
  DescriptorKind kind = DescriptorKind::bad;
  bool nonblocking = false;  // O_NONBLOCK is set
  bool readable = false;     // opened for reading
  bool writable = false;     // opened for writing
  FileId file;
  uintptr_t object = 0;  // names what is behind it in operations; the same in every run
  uintptr_t peer = 0;    // the same for whom its datagrams go to, where that is another object

  bool is_open() const { return kind != DescriptorKind::bad; }
  // A call on it may have to wait.
  bool blocks() const { return is_open() && !nonblocking && kind != DescriptorKind::file; }
  // Others may wait for what a call on it does.
  bool is_channel() const { return is_open() && kind != DescriptorKind::file; }
};

Descriptor look_at(int fd);
// False: it is one of the standard descriptors, and what the program was started with.
bool is_opened_by_program(int fd);
// Its flags have changed, or it may be closed without a hook that sees it (fdopen).
void note_flags_changed(int fd);
void note_given_to_libc(int fd);

// Can somebody outside the process make it ready? (Then waiting for it is no deadlock.)
bool is_external(const Descriptor& descriptor);
// Did this process make it, rather than inherit it from its parent?
bool is_made_here(const Descriptor& descriptor);

// A pipe or a connection: bytes, not datagrams.
bool is_stream(const Descriptor& descriptor);
// SOCK_STREAM, …; 0: it is no socket.
int socket_type(int fd);
// Asks the kernel.
bool is_signal_descriptor(int fd);

// What hooks report about descriptors that the program has just made or given up.
void note_pipe(int either_end);
void note_socket_pair(int a, int b);
void note_socket(int fd);
void note_made(int fd);  // any end of a pipe
void note_anonymous(int fd);
void note_named_pipe(int directory, const char* path);
void note_closed(int fd);
void note_duplicated(int from, int to);
// The program has a child from now on: what was made before may be open there, too.
void note_fork();

// Changes whenever something external may have turned out to be inside.
uint64_t classification_epoch();

// ---- for the files that know more about one kind ----------------------------------------------

// A pipe or a socket.
struct KernelObject {
  FileId file;           // none: empty place in the table
  uint32_t id = 0;       // n-th of this run; both ends of a connection have the same
  uint32_t forks = 0;    // how often the program had forked when it was made
  uint32_t writers = 0;  // how often this process has opened a named pipe for writing
  bool made_here = false;
  bool inside = false;         // the other end is in this process, too
  bool awaits_accept = false;  // a connection that nobody has accepted yet
  uint32_t listener = 0;       // … on the socket with this id
  uint32_t order = 0;          // … the n-th such
  uint64_t address = 0;        // hash of its local address; 0: none
  uintptr_t peer = 0;          // see Descriptor
};
// What it is called in operations.
uintptr_t name_of(const KernelObject& object);

// Null when it is unknown. Valid until the next object is noted.
KernelObject* object_of(int fd);
KernelObject* object_with(const FileId& file);
// The first for which `matches(object, context)`.
KernelObject* find_object(bool (*matches)(const KernelObject&, void* context), void* context);
void classification_changed();
// Is the object known to no other process?
bool is_private(const KernelObject& object);

}  // namespace jostle::rt
