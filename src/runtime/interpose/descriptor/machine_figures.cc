// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/descriptor/machine_figures.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "src/runtime/hook/deadline.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/process/random_numbers.h"
#include "src/runtime/memory/access.h"

namespace jostle::rt {
namespace {

// As the kernel counts in these files: hundredths of a second.
constexpr Nanoseconds kTick = kSecond / 100;

Nanoseconds up_since() { return clock_start(CLOCK_BOOTTIME) + g_scheduler.now(); }

__attribute__((format(printf, 2, 3))) void add(int file, const char* format, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  const int size = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  (void)!REAL(write)(file, line, static_cast<size_t>(size));
}

void add_processor(int file, const char* name, Nanoseconds busy, Nanoseconds all) {
  add(file, "%s %ld 0 0 %ld 0 0 0 0 0 0\n", name, busy / kTick, (all - busy) / kTick);
}

// The program has the first processor, as sched_getcpu says, and the others have nothing to do.
void write_stat(int file) {
  const Nanoseconds up = up_since(), busy = g_scheduler.processor_time();
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  add_processor(file, "cpu ", busy, up * processors);
  for (long i = 0; i < processors; ++i) {
    char name[32];
    snprintf(name, sizeof name, "cpu%ld", i);
    add_processor(file, name, i == 0 ? busy : 0, up);
  }
  const Nanoseconds start = clock_start(CLOCK_REALTIME) - clock_start(CLOCK_BOOTTIME);
  add(file, "intr 0\nctxt 0\nbtime %ld\nprocesses 1\nprocs_running 1\nprocs_blocked 0\nsoftirq 0\n",
      start / kSecond);
}

void write_uptime(int file) {
  const Nanoseconds up = up_since() / kTick;
  const Nanoseconds idle =
      up * sysconf(_SC_NPROCESSORS_ONLN) - g_scheduler.processor_time() / kTick;
  add(file, "%ld.%02ld %ld.%02ld\n", up / 100, up % 100, idle / 100, idle % 100);
}

void write_load(int file) { add(file, "0.00 0.00 0.00 1/1 1\n"); }

// A name that nobody else has: the same in every run, as all that is random.
void write_unique_name(int file) {
  uint8_t b[16];
  fill_with_random(b, sizeof b);
  b[6] = static_cast<uint8_t>((b[6] & 0x0f) | 0x40);  // version 4 of RFC 4122
  b[8] = static_cast<uint8_t>((b[8] & 0x3f) | 0x80);
  add(file, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x\n", b[0], b[1],
      b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

struct Figures {
  const char* path;
  void (*write)(int file);
};
constexpr Figures kFigures[] = {
    {"/proc/stat", write_stat},
    {"/proc/uptime", write_uptime},
    {"/proc/loadavg", write_load},
    {"/proc/sys/kernel/random/uuid", write_unique_name},
};

}  // namespace

int open_machine_figures(const char* path, int flags) {
  if ((flags & O_ACCMODE) != O_RDONLY || strncmp(path, "/proc/", 6) != 0) return -1;
  for (const Figures& figures : kFigures) {
    if (strcmp(path, figures.path) != 0) continue;
    const unsigned closes = flags & O_CLOEXEC ? MFD_CLOEXEC : 0;
    const int file = memfd_create(path + 1, closes | MFD_ALLOW_SEALING);
    if (file < 0) return -1;
    figures.write(file);
    lseek(file, 0, SEEK_SET);
    REAL(fcntl)(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    return file;
  }
  return -1;
}

}  // namespace jostle::rt

using namespace jostle::rt;

JOSTLE_HOOK int getloadavg(double* to, int count) noexcept {
  if (!controlled()) return REAL(getloadavg)(to, count);
  constexpr int kMost = 3;
  if (count > kMost) count = kMost;
  for (int i = 0; i < count; ++i) to[i] = 0;
  return count;
}

JOSTLE_HOOK int sysinfo(struct sysinfo* to) noexcept {
  if (!controlled()) return REAL(sysinfo)(to);
  image_open(to, sizeof *to);
  kernel_access(true, to, sizeof *to, CALLER());
  const int outcome = REAL(sysinfo)(to);
  if (outcome != 0) return outcome;
  to->uptime = up_since() / kSecond;
  for (auto& load : to->loads) load = 0;
  to->freeram = to->totalram / 2;
  to->sharedram = to->bufferram = 0;
  to->freeswap = to->totalswap;
  to->freehigh = to->totalhigh;
  to->procs = 1;
  return 0;
}
