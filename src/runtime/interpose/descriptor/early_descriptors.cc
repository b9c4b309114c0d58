// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/descriptor/early_descriptors.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "src/base/engine_memory.h"
#include "src/base/kept.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/descriptor/descriptor_epoll.h"

namespace jostle::rt {
namespace {

struct EventDescriptor {
  int fd;
  int flags;
};
RunVector<EventDescriptor> g_made;

struct Kept {
  int fd;
  int flags;
  uint64_t count;
};
JOSTLE_KEPT constinit EngineVector<Kept> g_kept;

// What a read would give, without reading: "eventfd-count:" is in hexadecimal.
uint64_t count_of(int fd) {
  char path[40], text[256];
  snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
  const int info = REAL(open)(path, O_RDONLY | O_CLOEXEC);
  if (info < 0) return 0;
  const ssize_t size = REAL(read)(info, text, sizeof text - 1);
  REAL(close)(info);
  if (size <= 0) return 0;
  text[size] = '\0';
  const char* const found = strstr(text, "eventfd-count:");
  return found ? strtoull(found + strlen("eventfd-count:"), nullptr, 16) : 0;
}

void renew(const Kept& kept) {
  const int fresh = REAL(eventfd)(0, kept.flags);
  if (fresh < 0) return;
  if (kept.count) (void)!REAL(write)(fresh, &kept.count, sizeof kept.count);
  REAL(dup3)(fresh, kept.fd, kept.flags & EFD_CLOEXEC ? O_CLOEXEC : 0);
  REAL(close)(fresh);
}

}  // namespace

void note_event_descriptor(int fd, int flags) { g_made.push_back({fd, flags}); }

void event_descriptor_closed(int fd) {
  for (size_t i = g_made.size(); i-- > 0;) {
    if (g_made[i].fd != fd) continue;
    g_made[i] = g_made.back();
    g_made.pop_back();
  }
}

bool is_event_descriptor(int fd) {
  for (const EventDescriptor& made : g_made) {
    if (made.fd == fd) return true;
  }
  return false;
}

void keep_early_descriptors() {
  g_kept.clear();
  for (const EventDescriptor& made : g_made) {
    g_kept.push_back({made.fd, made.flags, count_of(made.fd)});
  }
}

void renew_early_descriptors() {
  for (const Kept& kept : g_kept) renew(kept);
  renew_epoll_sets();
}

}  // namespace jostle::rt
