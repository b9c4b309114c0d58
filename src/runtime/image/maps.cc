// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/image/maps.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>

#include "src/base/engine_memory.h"
#include "src/base/kept.h"
#include "src/base/raw_syscall.h"

namespace jostle::rt {
namespace {

// Read whole before anything is looked at: what a visitor changes does not disturb the reading.
JOSTLE_KEPT constinit EngineVector<char> g_text;

bool read_text() {
  const long fd = raw_syscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/self/maps"),
                              O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  size_t used = 0;
  for (;;) {
    if (g_text.size() < used + 4096) g_text.resize(used + 65536);
    const long n = raw_syscall(SYS_read, fd, reinterpret_cast<long>(g_text.begin() + used),
                               static_cast<long>(g_text.size() - used - 1));
    if (n <= 0) break;
    used += static_cast<size_t>(n);
  }
  raw_syscall(SYS_close, fd);
  g_text[used] = '\0';
  return true;
}

uintptr_t hexadecimal(const char*& at) {
  uintptr_t value = 0;
  for (;; ++at) {
    if (*at >= '0' && *at <= '9') {
      value = value * 16 + static_cast<uintptr_t>(*at - '0');
    } else if (*at >= 'a' && *at <= 'f') {
      value = value * 16 + static_cast<uintptr_t>(*at - 'a' + 10);
    } else {
      return value;
    }
  }
}

}  // namespace

void read_mappings(void (*visit)(void* context, const Mapping&), void* context) {
  if (!read_text()) return;
  for (char* line = g_text.begin(); *line;) {
    char* end = strchr(line, '\n');
    char* next = end ? end + 1 : line + strlen(line);
    if (end) *end = '\0';
    const char* at = line;
    Mapping mapping{};
    mapping.begin = hexadecimal(at);
    ++at;  // '-'
    mapping.end = hexadecimal(at);
    ++at;  // ' '
    mapping.readable = at[0] == 'r';
    mapping.writable = at[1] == 'w';
    mapping.shared = at[3] == 's';
    // perms offset device inode, then the name
    for (int fields = 0; *at && fields < 4; ++fields) {
      while (*at && *at != ' ') ++at;
      while (*at == ' ') ++at;
    }
    mapping.name = at;
    visit(context, mapping);
    line = next;
  }
}

}  // namespace jostle::rt
