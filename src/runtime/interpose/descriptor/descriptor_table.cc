// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/descriptor/descriptor_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "src/base/probe.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/descriptor/descriptor_epoll.h"
#include "src/runtime/interpose/descriptor/early_descriptors.h"
#include "src/runtime/interpose/descriptor/event_loop.h"
#include "src/runtime/interpose/descriptor/timer_descriptor.h"
#include "src/runtime/interpose/process/random_numbers.h"
#include "src/runtime/snapshot/kernel_state.h"

namespace jostle::rt {
namespace {

constexpr unsigned kMemoryDevices = 1;  // major number of /dev/null, /dev/zero, /dev/urandom, …

uint32_t g_forks = 0;
uint64_t g_classification_epoch = 0;

class KeepErrno {
 public:
  KeepErrno() : saved_(errno) {}
  ~KeepErrno() { errno = saved_; }

 private:
  int saved_;
};

// ---- pipes and sockets, by device and inode -----------------------------------------------------

// Open addressing; the size is a power of two. Inode numbers of pipes and sockets come from one
// counter of the kernel and are not reused, so that entries may stay after the last close; they are
// swept out when the table would have to grow. A named pipe has its number from the file system,
// which may give it again, or not, as other processes have it: each one made is a new entry.
RunVector<KernelObject> g_objects;
size_t g_object_count = 0;
uint32_t g_next_id = 0;
int g_highest_fd = 0;

size_t place_of(const FileId& file) {
  return probe(file.inode * 0x9E3779B97F4A7C15 >> 32, g_objects.size(),
               [&](size_t i) { return !g_objects[i].file.inode || g_objects[i].file == file; });
}

KernelObject* find(const FileId& file) {
  if (g_objects.empty()) return nullptr;
  KernelObject& object = g_objects[place_of(file)];
  return object.file.inode ? &object : nullptr;
}

bool is_open_somewhere(const FileId& file, const RunVector<FileId>& open) {
  for (const FileId& other : open) {
    if (other == file) return true;
  }
  return false;
}

void make_room() {
  static RunVector<KernelObject> old;
  static RunVector<FileId> open;
  old.clear();
  open.clear();
  for (const KernelObject& object : g_objects) {
    if (object.file.inode) old.push_back(object);
  }
  for (int fd = 0; fd <= g_highest_fd; ++fd) {
    struct stat status;
    if (REAL(fstat)(fd, &status) == 0) open.push_back(FileId(status));
  }
  size_t live = 0;
  for (KernelObject& object : old) {
    if (is_open_somewhere(object.file, open)) {
      ++live;
    } else {
      object.file = {};
    }
  }
  size_t size = g_objects.empty() ? 64 : g_objects.size();
  while (size < 4 * live) size *= 2;
  g_objects.clear();
  g_objects.resize(size);
  for (const KernelObject& object : old) {
    if (object.file.inode) g_objects[place_of(object.file)] = object;
  }
  g_object_count = live;
}

KernelObject& add(const FileId& file) {
  if (2 * (g_object_count + 1) > g_objects.size()) make_room();
  KernelObject& object = g_objects[place_of(file)];
  if (!object.file.inode) ++g_object_count;
  object = KernelObject{};
  object.file = file;
  object.id = g_next_id++;
  object.forks = g_forks;
  return object;
}

KernelObject* add_made_here(int fd) {
  const KeepErrno keep;
  struct stat status;
  if (REAL(fstat)(fd, &status) != 0) return nullptr;
  if (fd > g_highest_fd) g_highest_fd = fd;
  KernelObject& object = add(FileId(status));
  object.made_here = true;
  return &object;
}

// ---- the rest, by number ------------------------------------------------------------------------

RunVector<uint32_t> g_forks_when_made;

// What the kernel says that it is, like "anon_inode:[eventfd]"; empty when it does not say.
struct KernelsName {
  char text[64];
  explicit KernelsName(int fd) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const ssize_t length = REAL(readlink)(path, text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
  }
  bool has(const char* kind) const { return strstr(text, kind) != nullptr; }
};

// Is it one of the kinds that only this process makes ready?
bool is_inward(int fd) {
  const KernelsName name(fd);
  if (!name.text[0]) return true;
  for (const char* kind : {"[eventfd]", "[eventpoll]", "[timerfd]", "[signalfd]"}) {
    if (name.has(kind)) return true;
  }
  return false;
}

DescriptorKind kind_of(const struct stat& status) {
  switch (status.st_mode & S_IFMT) {
    case S_IFIFO:
      return DescriptorKind::pipe;
    case S_IFSOCK:
      return DescriptorKind::socket;
    case S_IFCHR:
      return major(status.st_rdev) == kMemoryDevices ? DescriptorKind::file
                                                     : DescriptorKind::device;
    case 0:
      return DescriptorKind::anonymous;
    default:
      return DescriptorKind::file;
  }
}

// Small numbers, where no program has memory: odd multiples of 4 for descriptor numbers, multiples
// of 8 for pipes and sockets (both below 4 MiB, the lowest address a program is linked to).
uintptr_t named_by_number(int fd) { return static_cast<uintptr_t>(fd) % 0x7ffff * 8 + 4; }
uintptr_t named_by_id(uint32_t id) { return (id % 0x7ffff + 1) * 8; }

}  // namespace

bool is_signal_descriptor(int fd) {
  const KeepErrno keep;
  return KernelsName(fd).has("[signalfd]");
}

uintptr_t name_of(const KernelObject& object) { return named_by_id(object.id); }

namespace {

Descriptor ask_about(int fd) {
  const KeepErrno keep;
  Descriptor result;
  result.number = fd;
  struct stat status;
  if (REAL(fstat)(fd, &status) != 0) return result;
  result.kind = kind_of(status);
  result.file = FileId(status);
  result.object = named_by_number(fd);
  if (result.kind == DescriptorKind::pipe || result.kind == DescriptorKind::socket) {
    if (fd > g_highest_fd) g_highest_fd = fd;
    const KernelObject* object = find(FileId(status));
    if (!object) object = &add(FileId(status));
    result.object = named_by_id(object->id);
    result.peer = object->peer;
  }
  if (result.kind != DescriptorKind::file) {
    const int flags = REAL(fcntl)(fd, F_GETFL);
    result.nonblocking = flags >= 0 && (flags & O_NONBLOCK);
    result.readable = flags >= 0 && (flags & O_ACCMODE) != O_WRONLY;
    result.writable = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
  }
  return result;
}

// The kernel's answers, by number.
struct Answer {
  bool trusted = false;  // made by a hook: what closes it is a hook, too
  bool known = false;
  uintptr_t original = 0;  // of a duplicate that the kernel has no inode for: what it is called
  Descriptor descriptor;
};
RunVector<Answer> g_answers;

uint32_t g_replaced = 0;  // standard descriptors, by their numbers

void trust(int fd) {
  if (fd <= STDERR_FILENO) return;  // libc's streams have them
  const auto i = static_cast<size_t>(fd);
  if (i >= g_answers.size()) g_answers.resize(i + 1);
  g_answers[i].trusted = true;
  g_answers[i].known = false;
}

}  // namespace

Descriptor look_at(int fd) {
  const auto i = static_cast<size_t>(fd);
  if (i >= g_answers.size() || !g_answers[i].trusted) return ask_about(fd);
  if (!g_answers[i].known) {
    g_answers[i].descriptor = ask_about(fd);
    if (g_answers[i].original) g_answers[i].descriptor.object = g_answers[i].original;
    g_answers[i].known = true;
  }
  return g_answers[i].descriptor;
}

bool is_opened_by_program(int fd) {
  if (fd < 0) return false;
  return fd > STDERR_FILENO || (g_replaced >> fd & 1) != 0;
}

void note_flags_changed(int fd) {
  const auto i = static_cast<size_t>(fd);
  if (i < g_answers.size()) g_answers[i].known = false;
}

void note_given_to_libc(int fd) {
  const auto i = static_cast<size_t>(fd);
  if (i < g_answers.size()) g_answers[i] = {};
}

bool is_private(const KernelObject& object) { return object.made_here && object.forks == g_forks; }

bool is_external(const Descriptor& descriptor) {
  const KeepErrno keep;
  switch (descriptor.kind) {
    case DescriptorKind::bad:
    case DescriptorKind::file:
      return false;
    case DescriptorKind::device:
      return true;
    case DescriptorKind::pipe:
    case DescriptorKind::socket: {
      const KernelObject* object = find(descriptor.file);
      return !object || !object->inside || !is_private(*object);
    }
    case DescriptorKind::anonymous: {
      const auto fd = static_cast<size_t>(descriptor.number);
      if (g_forks && (fd >= g_forks_when_made.size() || g_forks_when_made[fd] != g_forks)) {
        return true;
      }
      if (is_epoll(descriptor.number)) return has_external_member(descriptor.number);
      if (is_event_descriptor(descriptor.number)) return false;
      return !is_inward(descriptor.number);
    }
  }
  return true;
}

bool is_made_here(const Descriptor& descriptor) {
  if (descriptor.kind == DescriptorKind::device) return false;
  if (descriptor.kind == DescriptorKind::anonymous) return true;
  const KernelObject* object = find(descriptor.file);
  return object && object->made_here;
}

bool is_stream(const Descriptor& descriptor) {
  if (descriptor.kind == DescriptorKind::pipe) return true;
  return descriptor.kind == DescriptorKind::socket && socket_type(descriptor.number) == SOCK_STREAM;
}

int socket_type(int fd) {
  const KeepErrno keep;
  int type = 0;
  socklen_t size = sizeof type;
  REAL(getsockopt)(fd, SOL_SOCKET, SO_TYPE, &type, &size);
  return type;
}

KernelObject* object_of(int fd) {
  const KeepErrno keep;
  struct stat status;
  return REAL(fstat)(fd, &status) == 0 ? find(FileId(status)) : nullptr;
}

KernelObject* object_with(const FileId& file) { return find(file); }

KernelObject* find_object(bool (*matches)(const KernelObject&, void* context), void* context) {
  for (KernelObject& object : g_objects) {
    if (object.file.inode && matches(object, context)) return &object;
  }
  return nullptr;
}

void note_pipe(int either_end) {
  if (KernelObject* object = add_made_here(either_end)) object->inside = true;
}

void note_made(int fd) { trust(fd); }

void note_socket(int fd) {
  trust(fd);
  add_made_here(fd);
}

void note_socket_pair(int a, int b) {
  trust(a);
  trust(b);
  KernelObject* first = add_made_here(a);
  if (!first) return;
  first->inside = true;
  const uint32_t id = first->id;
  if (KernelObject* second = add_made_here(b)) {
    second->inside = true;
    second->id = id;
  }
}

void note_anonymous(int fd) {
  trust(fd);
  const auto i = static_cast<size_t>(fd);
  if (i >= g_forks_when_made.size()) g_forks_when_made.resize(i + 1);
  g_forks_when_made[i] = g_forks;
}

void note_named_pipe(int directory, const char* path) {
  const KeepErrno keep;
  struct stat status;
  if (REAL(fstatat)(directory, path, &status, AT_SYMLINK_NOFOLLOW) == 0) add(FileId(status));
}

void note_closed(int fd) {
  kernel_changes(kOpensDescriptors);  // hooks that open call it, too: the number starts anew
  timer_closed(fd);
  epoll_closed(fd);
  note_given_to_libc(fd);  // the number may be given out again
  forget_passed_over(fd);
  event_descriptor_closed(fd);
  random_closed(fd);
  if (fd >= 0 && fd <= STDERR_FILENO) g_replaced |= 1U << fd;
}

void note_duplicated(int from, int to) {
  timer_duplicated(from, to);
  epoll_duplicated(from, to);
  const auto i = static_cast<size_t>(from);
  const Descriptor original = look_at(from);
  note_anonymous(to);
  const auto number = static_cast<size_t>(to);
  if (original.kind == DescriptorKind::anonymous && number < g_answers.size()) {
    g_answers[number].original = original.object;
  }
  if (g_forks)
    g_forks_when_made[static_cast<size_t>(to)] =
        i < g_forks_when_made.size() ? g_forks_when_made[i] : 0;
}

void note_fork() {
  ++g_forks;
  classification_changed();
}

uint64_t classification_epoch() { return g_classification_epoch; }
void classification_changed() { ++g_classification_epoch; }

}  // namespace jostle::rt
