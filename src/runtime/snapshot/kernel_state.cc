// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/snapshot/kernel_state.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>

#include "src/base/engine_memory.h"
#include "src/base/kept.h"
#include "src/base/raw_syscall.h"
#include "src/runtime/heap/heap.h"
#include "src/runtime/image/maps.h"
#include "src/runtime/libc/own_signal.h"
#include "src/runtime/libc/real.h"

namespace jostle::rt {
namespace {

// Rewinds between two looks for mappings that libc made behind the hooks (a locale, a dictionary).
// A look costs as much as ten small runs; who makes them mostly does so early.
constexpr uint64_t kRunsPerLook = 4096;
bool is_time_to_look(uint64_t rewinds) {
  return rewinds % kRunsPerLook == 0 || (rewinds < kRunsPerLook && std::has_single_bit(rewinds));
}

// Rewinds between two times that what is open is closed although nobody seems to have opened it.
constexpr uint64_t kRunsPerClose = 256;

// The first runs after each of which it is asked whether something is open, and between how many
// later ones: the question is a system call, which can take a tenth of a small run.
constexpr uint64_t kRunsToAsk = 64;
constexpr uint64_t kRunsPerQuestion = 16;

// Few programs have so many descriptors open; those that do find a gap in the numbers.
constexpr int kFirstKept = 200;

struct Inherited {
  int fd;
  int backup;
  int flags;        // F_GETFD
  int status;       // F_GETFL
  bool has_offset;  // a regular file
  off_t offset;
};

struct FreeRange {
  unsigned first, last;
};

struct KernelSignal {
  void* handler;
  unsigned long flags;
  void* restorer_or_mask[2];
};

JOSTLE_KEPT constinit EngineVector<Inherited> g_inherited;
JOSTLE_KEPT constinit EngineVector<FreeRange> g_ranges;  // no descriptor was open there
JOSTLE_KEPT constinit EngineVector<MapRange> g_maps;     // what was mapped
JOSTLE_KEPT int g_first_kept = -1;
JOSTLE_KEPT int g_last_kept = -1;
JOSTLE_KEPT int g_directory = -1;
JOSTLE_KEPT mode_t g_umask = 0;
JOSTLE_KEPT KernelSignal g_actions[65];
JOSTLE_KEPT uint64_t g_mask = 0;
JOSTLE_KEPT rlimit g_limits[RLIM_NLIMITS];
JOSTLE_KEPT uint64_t g_affinity[128];  // for 8192 processors
JOSTLE_KEPT long g_affinity_size = 0;
JOSTLE_KEPT long g_break = 0;
JOSTLE_KEPT uintptr_t g_heap_until = 0;
JOSTLE_KEPT uintptr_t g_mapped_until = 0;
JOSTLE_KEPT uint32_t g_changes = 0;
JOSTLE_KEPT uint64_t g_rewinds = 0;
JOSTLE_KEPT bool g_strays = false;        // libc maps memory in runs: look after each
JOSTLE_KEPT bool g_opens_unseen = false;  // libc opens something in runs: ask after each

long call(long number, long a = 0, long b = 0, long c = 0, long d = 0) {
  return raw_syscall(number, a, b, c, d);
}
template <typename T>
long address(T* p) {
  return reinterpret_cast<long>(p);
}

// f(fd) for every open descriptor, without allocating.
template <typename F>
void for_each_descriptor(F&& f) {
  const int directory = static_cast<int>(
      call(SYS_openat, AT_FDCWD, address("/proc/self/fd"), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory < 0) return;
  alignas(8) char buffer[4096];
  for (long n; (n = call(SYS_getdents64, directory, address(buffer), sizeof buffer)) > 0;) {
    for (long at = 0; at < n;) {
      const auto length = *reinterpret_cast<const uint16_t*>(buffer + at + 16);
      const char* name = buffer + at + 19;
      int fd = 0;
      bool number = *name != '.';
      for (; number && *name; ++name) fd = fd * 10 + (*name - '0');
      if (number && fd != directory) f(fd);
      at += length;
    }
  }
  call(SYS_close, directory);
}

// A copy out of the program's way, or -1.
int keep(int fd) {
  // Not higher than need be: closing a range costs what it is long.
  const int highest = g_inherited[g_inherited.size() - 1].fd;
  const int from = highest < kFirstKept ? kFirstKept : highest + 1;
  const int copy = static_cast<int>(call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, from));
  if (copy < 0) return -1;
  if (g_first_kept < 0) g_first_kept = copy;
  if (copy > g_last_kept) g_last_kept = copy;
  return copy;
}

void sort_inherited() {
  for (size_t i = 1; i < g_inherited.size(); ++i) {
    for (size_t j = i; j > 0 && g_inherited[j].fd < g_inherited[j - 1].fd; --j) {
      const Inherited other = g_inherited[j];
      g_inherited[j] = g_inherited[j - 1];
      g_inherited[j - 1] = other;
    }
  }
}

void list_inherited() {
  for (const Inherited& old : g_inherited) {
    if (old.backup >= 0) call(SYS_close, old.backup);
  }
  if (g_directory >= 0) call(SYS_close, g_directory);
  g_directory = g_first_kept = g_last_kept = -1;
  g_inherited.clear();
  for_each_descriptor([](int fd) { g_inherited.push_back({fd, -1, 0, 0, false, 0}); });
  sort_inherited();
  for (Inherited& one : g_inherited) {
    one.flags = static_cast<int>(call(SYS_fcntl, one.fd, F_GETFD));
    one.status = static_cast<int>(call(SYS_fcntl, one.fd, F_GETFL));
    struct stat status;
    one.has_offset = fstat(one.fd, &status) == 0 && S_ISREG(status.st_mode);
    if (one.has_offset) one.offset = call(SYS_lseek, one.fd, 0, SEEK_CUR);
  }
}

const char* keep_descriptors() {
  list_inherited();
  g_ranges.clear();
  for (Inherited& one : g_inherited) {
    one.backup = keep(one.fd);
    if (one.backup < 0) return "has too many descriptors open";
  }
  const int here = static_cast<int>(call(SYS_openat, AT_FDCWD, address("."), O_PATH | O_CLOEXEC));
  g_directory = here >= 0 ? keep(here) : -1;
  if (here >= 0) call(SYS_close, here);
  unsigned free = 0;
  for (const Inherited& one : g_inherited) {
    const auto fd = static_cast<unsigned>(one.fd);
    if (fd > free) g_ranges.push_back({free, fd - 1});
    free = fd + 1;
  }
  if (g_first_kept >= 0) {
    g_ranges.push_back({free, static_cast<unsigned>(g_first_kept) - 1});
    g_ranges.push_back({static_cast<unsigned>(g_last_kept) + 1, ~0u});
  } else {
    g_ranges.push_back({free, ~0u});
  }
  return nullptr;
}

// A descriptor that the hooks do not know of is libc's own, and has the lowest free number.
bool something_is_open() {
  if (g_changes & (kChangesDescriptors | kOpensDescriptors)) return true;
  if (g_rewinds % kRunsPerClose == 0) return true;
  const bool asks = g_opens_unseen || g_rewinds <= kRunsToAsk || g_rewinds % kRunsPerQuestion == 0;
  if (!asks || call(SYS_fcntl, g_ranges[0].first, F_GETFD) < 0) return false;
  g_opens_unseen = true;
  return true;
}

void rewind_descriptors() {
  if (something_is_open()) {
    for (const FreeRange& range : g_ranges) call(SYS_close_range, range.first, range.last, 0);
  }
  for (const Inherited& one : g_inherited) {
    if (g_changes & kChangesDescriptors) {
      call(SYS_dup3, one.backup, one.fd, one.flags & FD_CLOEXEC ? O_CLOEXEC : 0);
      call(SYS_fcntl, one.fd, F_SETFL, one.status);
    }
    if (one.has_offset) call(SYS_lseek, one.fd, one.offset, SEEK_SET);
  }
}

void keep_signals() {
  for (int sig = 1; sig <= 64; ++sig) {
    call(SYS_rt_sigaction, sig, 0, address(&g_actions[sig]), 8);
  }
  call(SYS_rt_sigprocmask, SIG_BLOCK, 0, address(&g_mask), 8);
  g_mask &= ~(uint64_t{1} << (watchdog_signal() - 1));  // it is needed, whatever was inherited
}

// What was sent and never taken would reach the next run. The kernel drops what is ignored.
void drop_pending_signals() {
  uint64_t pending = 0;
  call(SYS_rt_sigpending, address(&pending), 8);
  KernelSignal ignore = {};
  ignore.handler = reinterpret_cast<void*>(SIG_IGN);
  for (int sig = 1; pending && sig <= 64; ++sig) {
    if (pending >> (sig - 1) & 1) call(SYS_rt_sigaction, sig, address(&ignore), 0, 8);
  }
}

void rewind_signals() {
  drop_pending_signals();
  for (int sig = 1; sig <= 64; ++sig) {
    call(SYS_rt_sigaction, sig, address(&g_actions[sig]), 0, 8);
  }
}

void keep_limits() {
  for (int i = 0; i < RLIM_NLIMITS; ++i) call(SYS_prlimit64, 0, i, 0, address(&g_limits[i]));
}

void rewind_limits() {
  for (int i = 0; i < RLIM_NLIMITS; ++i) call(SYS_prlimit64, 0, i, address(&g_limits[i]), 0);
}

// The new part of the heap, which is about to be cleared.
void make_heap_writable() {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = g_heap_until & ~(page - 1);
  const uintptr_t end = (reinterpret_cast<uintptr_t>(heap_use().next) + page - 1) & ~(page - 1);
  call(SYS_mprotect, static_cast<long>(begin), static_cast<long>(end - begin),
       PROT_READ | PROT_WRITE);
}

// Mappings that were not there at the start are libc's own doing, and it has forgotten them.
bool unmap_strays() {
  bool any = false;
  const auto unmap = [&](uintptr_t begin, uintptr_t end) {
    if (begin >= end) return;
    call(SYS_munmap, static_cast<long>(begin), static_cast<long>(end - begin));
    any = true;
  };
  for_each_mapping([&](const Mapping& mapping) {
    // The kernel makes the stack and the break longer by itself.
    if (is_shared_engine_memory(mapping.begin) || mapping.name[0] == '[') return;
    // It joins a new mapping with a neighbour of the same kind: only the difference is new.
    uintptr_t begin = mapping.begin;
    for (const MapRange& known : g_maps) {  // in the order of addresses
      if (known.begin >= mapping.end || known.end <= begin) continue;
      unmap(begin, known.begin);
      begin = known.end;
    }
    unmap(begin, mapping.end);
  });
  return any;
}

void remember_mappings() {
  g_maps.clear();
  for_each_mapping([](const Mapping& mapping) {
    if (!g_maps.empty() && g_maps.back().end == mapping.begin) {
      g_maps.back().end = mapping.end;
    } else {
      g_maps.push_back({mapping.begin, mapping.end});
    }
  });
}

}  // namespace

void kernel_changes(KernelChange what) { g_changes |= what; }

bool is_kept_descriptor(int fd) {
  return g_first_kept >= 0 && fd >= g_first_kept && fd <= g_last_kept;
}
int first_kept_descriptor() { return g_first_kept; }
int last_kept_descriptor() { return g_last_kept; }

void keep_open_files() { list_inherited(); }

void rewind_open_files() {
  for (const Inherited& one : g_inherited) {
    if (call(SYS_fcntl, one.fd, F_GETFL) != one.status)
      call(SYS_fcntl, one.fd, F_SETFL, one.status);
    if (one.has_offset) call(SYS_lseek, one.fd, one.offset, SEEK_SET);
  }
}

void open_files_anew() {
  for (const Inherited& one : g_inherited) {
    if (!one.has_offset || (one.status & O_ACCMODE) == O_WRONLY) continue;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", one.fd);
    const auto own = static_cast<int>(call(SYS_openat, AT_FDCWD, address(path), one.status));
    if (own < 0) continue;
    call(SYS_lseek, own, one.offset, SEEK_SET);
    call(SYS_dup3, own, one.fd, (one.flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
    call(SYS_close, own);
  }
}

const char* keep_kernel_state() {
  if (const char* why = keep_descriptors()) return why;
  g_umask = static_cast<mode_t>(call(SYS_umask, 0));
  call(SYS_umask, g_umask);
  keep_signals();
  keep_limits();
  g_affinity_size = call(SYS_sched_getaffinity, 0, sizeof g_affinity, address(g_affinity));
  g_break = call(SYS_brk, 0);
  g_heap_until = reinterpret_cast<uintptr_t>(heap_use().next);
  g_mapped_until = program_mappings_end();
  g_changes = 0;
  g_rewinds = 0;
  remember_mappings();
  return nullptr;
}

void rewind_kernel_state() {
  ++g_rewinds;
  if (g_changes & kChangesLimits) rewind_limits();  // first: they limit what follows
  rewind_descriptors();
  if (const uintptr_t end = program_mappings_end(); end > g_mapped_until) {
    call(SYS_munmap, static_cast<long>(g_mapped_until), static_cast<long>(end - g_mapped_until));
  }
  if (g_changes & kChangesSignals) rewind_signals();
  if (g_changes & (kChangesSignals | kChangesMask)) {
    call(SYS_rt_sigprocmask, SIG_SETMASK, address(&g_mask), 0, 8);
  }
  if (g_changes) {
    if (g_changes & kChangesDirectory) call(SYS_fchdir, g_directory);
    if (g_changes & kChangesUmask) call(SYS_umask, g_umask);
    if (g_changes & kChangesBreak) call(SYS_brk, g_break);
    if (g_changes & kChangesProtection) make_heap_writable();
    if ((g_changes & kChangesAffinity) && g_affinity_size > 0) {
      call(SYS_sched_setaffinity, 0, g_affinity_size, address(g_affinity));
    }
  }
  const bool look = g_strays || is_time_to_look(g_rewinds) || (g_changes & kChangesMappings);
  if (look && unmap_strays() && !(g_changes & kChangesMappings)) g_strays = true;
  g_changes = 0;
}

}  // namespace jostle::rt
