// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/heap/shared_mappings.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "src/base/raw_syscall.h"

namespace jostle::rt {
namespace {

struct SharedMapping {
  uintptr_t address;
  size_t size;
  bool writable;
  uint64_t device, file;
  uint64_t offset;
};

// Put back with the memory of the program, whose mappings they are.
constexpr uint32_t kMost = 64;
SharedMapping g_mappings[kMost];
uint32_t g_count = 0;

constexpr uint64_t kSystemV = UINT64_MAX;  // in place of a device

bool overlap(const SharedMapping& a, const SharedMapping& b) {
  return a.device == b.device && a.file == b.file && a.offset < b.offset + b.size &&
         b.offset < a.offset + a.size;
}

bool add(const SharedMapping& added) {
  note_unmapped(added.address, added.size);  // what was there before
  bool again = false;
  for (uint32_t i = 0; i < g_count; ++i) {
    again |= overlap(g_mappings[i], added) && (g_mappings[i].writable || added.writable);
  }
  if (g_count < kMost) g_mappings[g_count++] = added;
  return again;
}

}  // namespace

bool maps_again(uintptr_t address, size_t size, int protection, int fd, off_t offset) {
  struct stat info {};
  if (raw_syscall(SYS_fstat, fd, reinterpret_cast<long>(&info)) != 0) return false;
  return add({address, size, (protection & PROT_WRITE) != 0, info.st_dev, info.st_ino,
              static_cast<uint64_t>(offset)});
}

bool attaches_again(uintptr_t address, size_t size, int segment) {
  return add({address, size, true, kSystemV, static_cast<uint64_t>(segment), 0});
}

// What lost a part is forgotten: the rest may lie elsewhere unseen.
void note_unmapped(uintptr_t address, size_t size) {
  for (uint32_t i = g_count; i-- > 0;) {
    const SharedMapping& mapping = g_mappings[i];
    if (mapping.address < address + size && address < mapping.address + mapping.size) {
      g_mappings[i] = g_mappings[--g_count];
    }
  }
}

}  // namespace jostle::rt
