// SPDX-License-Identifier: Apache-2.0
// Random numbers from the system: the same in every run, so that the schedule alone decides.
#include "src/runtime/interpose/process/random_numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/engine_memory.h"
#include "src/base/rng.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/state/no_steps.h"
#include "src/runtime/memory/access.h"

extern "C" unsigned _ZNSt13random_device9_M_getvalEv(void* device);

namespace jostle::rt {
namespace {

constexpr uint64_t kSeed = 0x6A6F73746C65;  // any constant does

uint64_t g_state = kSeed;

void fill(void* buffer, size_t size) {
  auto* next = static_cast<unsigned char*>(buffer);
  while (size > 0) {
    const uint64_t word = splitmix64(g_state);
    const size_t part = size < sizeof word ? size : sizeof word;
    memcpy(next, &word, part);
    next += part;
    size -= part;
  }
}

uint32_t next_word() { return static_cast<uint32_t>(splitmix64(g_state) >> 32); }

enum Kind : uint8_t { kNone, kDevice, kFile };

// Descriptors of /dev/urandom, or of what stands for it, by number.
RunVector<uint8_t> g_random_descriptors;

void note(int fd, Kind kind) {
  const auto i = static_cast<size_t>(fd);
  if (i >= g_random_descriptors.size()) g_random_descriptors.resize(i + 1);
  g_random_descriptors[i] = kind;
}

}  // namespace

void note_random_descriptor(int fd) { note(fd, kDevice); }
void random_closed(int fd) {
  const auto i = static_cast<size_t>(fd);
  if (i < g_random_descriptors.size()) g_random_descriptors[i] = 0;
}
bool is_random_descriptor(int fd) {
  const auto i = static_cast<size_t>(fd);
  return i < g_random_descriptors.size() && g_random_descriptors[i];
}
void fill_with_random(void* buffer, size_t size) { fill(buffer, size); }

int open_random_file() {
  const int file = memfd_create("random", 0);
  if (file >= 0) note(file, kFile);
  return file;
}

void keep_random_ahead(int fd, size_t wanted) {
  const auto i = static_cast<size_t>(fd);
  if (fd < 0 || i >= g_random_descriptors.size() || g_random_descriptors[i] != kFile) return;
  constexpr size_t kMost = 16 << 20, kBuffered = 64 << 10;  // of libc, more than it takes
  struct stat status;
  const off_t at = lseek(fd, 0, SEEK_CUR);
  if (at < 0 || REAL(fstat)(fd, &status) != 0) return;
  const off_t needed = at + static_cast<off_t>(wanted < kMost ? wanted : kMost) + kBuffered;
  while (status.st_size < needed) {
    char block[4096];
    fill(block, sizeof block);
    const ssize_t done = REAL(pwrite)(fd, block, sizeof block, status.st_size);
    if (done <= 0) return;
    status.st_size += done;
  }
}

void fix_kernel_random() {
  // Libc has taken its own from it already.
  if (void* bytes = reinterpret_cast<void*>(getauxval(AT_RANDOM))) {
    uint64_t state = kSeed;
    for (int i = 0; i < 2; ++i) {
      const uint64_t word = splitmix64(state);
      memcpy(static_cast<char*>(bytes) + 8 * i, &word, sizeof word);
    }
  }
}

}  // namespace jostle::rt

using namespace jostle::rt;

JOSTLE_HOOK ssize_t getrandom(void* buffer, size_t size, unsigned flags) {
  if (!controlled() || flags & ~(GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE)) {
    return REAL(getrandom)(buffer, size, flags);
  }
  is_no_step();  // who is first has the first numbers
  fill(buffer, size);
  kernel_access(true, buffer, size, CALLER());
  return static_cast<ssize_t>(size);
}

JOSTLE_HOOK int getentropy(void* buffer, size_t size) {
  if (!controlled() || size > 256) return REAL(getentropy)(buffer, size);
  is_no_step();  // who is first has the first numbers
  fill(buffer, size);
  kernel_access(true, buffer, size, CALLER());
  return 0;
}

JOSTLE_HOOK uint32_t arc4random() noexcept {
  return controlled() ? next_word() : REAL(arc4random)();
}

JOSTLE_HOOK void arc4random_buf(void* buffer, size_t size) noexcept {
  if (!controlled()) return REAL(arc4random_buf)(buffer, size);
  is_no_step();  // who is first has the first numbers
  fill(buffer, size);
  kernel_access(true, buffer, size, CALLER());
}

JOSTLE_HOOK uint32_t arc4random_uniform(uint32_t bound) noexcept {
  if (!controlled()) return REAL(arc4random_uniform)(bound);
  return static_cast<uint32_t>(uint64_t{next_word()} * bound >> 32);
}

// std::random_device::operator()
JOSTLE_HOOK unsigned _ZNSt13random_device9_M_getvalEv(void* device) {
  return controlled() ? next_word() : REAL(_ZNSt13random_device9_M_getvalEv)(device);
}
