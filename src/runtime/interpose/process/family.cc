// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/process/family.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <atomic>

#include "src/base/engine_memory.h"
#include "src/runtime/hook/hook.h"

namespace jostle::rt {
namespace {

// Owners have 30 bits: 10 of them for the process. A family of more has members of one number.
constexpr uint32_t kMostProcesses = 1024;
constexpr uint32_t kThreads = 1 << 19;

struct Family {
  std::atomic<pid_t> busy;  // who changes a shared object; 0: nobody
  std::atomic<uint32_t> members;
  std::atomic<pid_t> processes[kMostProcesses];  // by number
};

Family* g_family = nullptr;
uint32_t g_number = 0;

// Ended, waited for by its parent or not.
bool has_ended(pid_t process) {
  if (process == 0) return false;
  const int saved = errno;
  char text[128];
  snprintf(text, sizeof text, "/proc/%d/stat", static_cast<int>(process));
  const int fd = REAL(open)(text, O_RDONLY | O_CLOEXEC);
  ssize_t length = 0;
  if (fd >= 0) {
    length = REAL(read)(fd, text, sizeof text - 1);
    REAL(close)(fd);
  }
  errno = saved;
  if (fd < 0 || length <= 0) return true;
  text[length] = '\0';
  const char* state = strrchr(text, ')');  // 1234 (name) Z …
  return state && state[1] == ' ' && (state[2] == 'Z' || state[2] == 'X');
}

}  // namespace

void found_family() {
  if (!g_family) g_family = static_cast<Family*>(map_shared_engine_memory(sizeof(Family)));
  if (g_family) g_family->processes[g_number] = getpid();
}

void join_family() {
  if (!g_family) return;
  g_number = (g_family->members.fetch_add(1) + 1) % kMostProcesses;
  g_family->processes[g_number] = getpid();
}

bool has_family() { return g_family != nullptr; }

sync::Owner among_processes(uint32_t thread_index) {
  return sync::owner_with_index(g_number * kThreads + thread_index % kThreads);
}

sync::Owner me_among_processes() { return among_processes(g_current->index); }

bool is_bereft_of(sync::Owner owner) {
  if (!g_family || owner == sync::Owner::nobody) return false;
  const uint32_t number = sync::index_of(owner) / kThreads;
  return number != g_number && number < kMostProcesses && has_ended(g_family->processes[number]);
}

AmongProcesses::AmongProcesses(bool is_shared) : held_(is_shared && g_family) {
  if (!held_) return;
  const pid_t self = getpid();
  for (uint32_t tries = 1;; ++tries) {
    pid_t busy = 0;
    if (g_family->busy.compare_exchange_strong(busy, self)) return;
    REAL(sched_yield)();
    // Killed in the middle of it.
    if (tries % 1024 == 0 && has_ended(busy)) g_family->busy.compare_exchange_strong(busy, 0);
  }
}

AmongProcesses::~AmongProcesses() {
  if (held_) g_family->busy.store(0);
}

}  // namespace jostle::rt
