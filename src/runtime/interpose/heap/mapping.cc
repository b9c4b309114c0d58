// SPDX-License-Identifier: Apache-2.0
// Addresses of the program's own mappings: the same in every process.
//
// The kernel puts a new mapping next to the others, and those of the engine and its donors are
// among them. Where the program leaves the choice open it gets the next address of a region of its
// own. Straight system calls: libc and the loader map memory before anything is initialised.
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/raw_syscall.h"
#include "src/runtime/fiber/stack_pool.h"
#include "src/runtime/heap/heap.h"
#include "src/runtime/heap/mapping_history.h"
#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/heap/memory_limit.h"
#include "src/runtime/interpose/heap/shared_mappings.h"
#include "src/runtime/interpose/state/state_step.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/private_memory.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/memory/weak_atomics.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/snapshot/kernel_state.h"
#include "src/runtime/snapshot/leave.h"

namespace jostle::rt {
namespace {

// Free in the 47 bits of x86-64 and the 48 of aarch64, far from where kernels start by themselves.
constexpr uintptr_t kBegin = 0x7000'0000'0000;
constexpr uintptr_t kEnd = 0x7800'0000'0000;

uintptr_t g_next = kBegin;

// Before the kernel is asked: what the program maps over, unmaps or protects must not belong to the
// image that runs start from.
void spare_image(const void* begin, size_t size) {
  if (controlled() && image_overlaps(begin, size)) {
    needs_own_process("changes mappings that were there before main");
  }
}

// The linker's names for where this library begins, and where its code ends.
extern "C" JOSTLE_HIDDEN const char __ehdr_start[], etext[];

// What we map for ourselves, also before modules are known, is nothing that the program works on.
bool is_ours(uintptr_t pc) {
  return pc >= reinterpret_cast<uintptr_t>(__ehdr_start) && pc < reinterpret_cast<uintptr_t>(etext);
}

// What others have there goes: before the kernel is asked.
void empties(const void* begin, size_t size, uintptr_t pc) {
  if (is_ours(pc)) return;
  StateStep(OpKind::state_write, SharedState::mappings, pc).empties(begin, size);
}

// Stacks and the heap are not the image's but are cleared after a run, and used by the next one.
void protects(const void* begin, size_t size) {
  if (!controlled()) return;
  spare_image(begin, size);
  const auto from = reinterpret_cast<uintptr_t>(begin);
  if (in_heap(from)) kernel_changes(kChangesProtection);
  const Thread& main = *g_scheduler.thread_at(0);
  if (in_fiber_stacks(from) || (from >= main.stack_begin && from < main.stack_end)) {
    needs_own_process("protects pages of a stack");
  }
}

bool failed(long result) { return result < 0 && result > -4096; }

void* as_pointer(long result) {
  if (!failed(result)) return reinterpret_cast<void*>(result);
  errno = static_cast<int>(-result);
  return MAP_FAILED;
}

// Atomics at the one address order what happens at the other, and nobody sees that.
void has_two_addresses() {
  order_gets_unseen();
  if (!controlled()) return;
  g_races.orders_are_unseen();
  g_weak.orders_are_unseen();
}

bool shares_file(int flags, int fd) {
  return (flags & MAP_SHARED) != 0 && (flags & MAP_ANONYMOUS) == 0 && fd >= 0;
}

// The same for a mapping: what happened there before has nothing to do with it.
void* fresh(long result, size_t size, uintptr_t pc) {
  if (controlled() && !failed(result)) {
    note_mapped(static_cast<long>(size));
    note_mapping(static_cast<uintptr_t>(result), size, pc);
    g_races.forget(static_cast<uintptr_t>(result), size);
  }
  return as_pointer(result);
}

long map(uintptr_t address, size_t size, int protection, int flags, int fd, off_t offset) {
  return raw_syscall(SYS_mmap, static_cast<long>(address), static_cast<long>(size), protection,
                     flags, fd, offset);
}

// The next `size` bytes of the region, or 0 when it is used up.
uintptr_t next_address(size_t size) {
  const size_t page = getauxval(AT_PAGESZ);
  if (size == 0 || size > kEnd - g_next) return 0;
  const uintptr_t address = g_next;
  g_next += (size + page - 1) / page * page;
  return address;
}

// Minus an error number when it cannot be had there: somebody else's, or a machine with less room.
long map_at_next(size_t size, int protection, int flags, int fd, off_t offset) {
  const uintptr_t address = next_address(size);
  if (!address) return -ENOMEM;
  const long result = map(address, size, protection, flags | MAP_FIXED_NOREPLACE, fd, offset);
  if (failed(result) || result == static_cast<long>(address)) return result;
  raw_syscall(SYS_munmap, result, static_cast<long>(size));  // an old kernel, that took a hint
  return -EEXIST;
}

long remap(void* old, size_t old_size, size_t size, int flags, void* target) {
  return raw_syscall(SYS_mremap, reinterpret_cast<long>(old), static_cast<long>(old_size),
                     static_cast<long>(size), flags, reinterpret_cast<long>(target));
}

// Minus an error number when it cannot be had there.
long attach_at_next(int id, size_t size, int flags) {
  const uintptr_t address = next_address(size);
  if (!address) return -ENOMEM;
  return raw_syscall(SYS_shmat, id, static_cast<long>(address), flags);
}

}  // namespace

uintptr_t program_mappings_end() { return g_next; }

}  // namespace jostle::rt

using namespace jostle;
using namespace jostle::rt;

JOSTLE_HOOK void* mmap(void* address, size_t size, int protection, int flags, int fd,
                       off_t offset) noexcept {
  if ((flags & MAP_SHARED) && !is_ours(CALLER())) {
    note_memory_of_others();
    if (!(flags & MAP_ANONYMOUS) && g_actions.active()) g_actions.assume(kMappingsAreApart);
  }
  const bool anywhere = !address && !(flags & (MAP_FIXED | MAP_GROWSDOWN | MAP_HUGETLB
#ifdef MAP_32BIT
                                               | MAP_32BIT
#endif
                                               ));
  if (controlled() && !memory_allows(size)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  const auto noted = [&](long result) {
    const bool is_shared = !failed(result) && shares_file(flags, fd) && !is_ours(CALLER());
    if (is_shared && maps_again(static_cast<uintptr_t>(result), size, protection, fd, offset)) {
      has_two_addresses();
    }
    return result;
  };
  if (controlled() && anywhere) {
    const long result = noted(map_at_next(size, protection, flags, fd, offset));
    if (!failed(result)) return fresh(result, size, CALLER());
  }
  if (controlled()) {
    if (flags & MAP_FIXED) {
      empties(address, size, CALLER());
      spare_image(address, size);
    }
    kernel_changes(kChangesMappings);
  }
  const long result =
      noted(map(reinterpret_cast<uintptr_t>(address), size, protection, flags, fd, offset));
  return fresh(result, size, CALLER());
}

JOSTLE_HOOK int munmap(void* address, size_t size) noexcept {
  empties(address, size, CALLER());
  spare_image(address, size);
  const long result =
      raw_syscall(SYS_munmap, reinterpret_cast<long>(address), static_cast<long>(size));
  if (!failed(result)) {
    if (controlled()) note_mapped(-static_cast<long>(size));
    note_unmapped(reinterpret_cast<uintptr_t>(address), size);
    return 0;
  }
  errno = static_cast<int>(-result);
  return -1;
}

JOSTLE_HOOK void* mremap(void* old, size_t old_size, size_t size, int flags, ...) noexcept {
  va_list arguments;
  va_start(arguments, flags);
  void* target = va_arg(arguments, void*);
  va_end(arguments);
  empties(old, old_size, CALLER());
  spare_image(old, old_size);
  if (old_size == 0) has_two_addresses();  // the old one stays
  if (controlled() && flags == MREMAP_MAYMOVE) {
    const long in_place = remap(old, old_size, size, 0, nullptr);
    if (in_place != -ENOMEM) return fresh(in_place, size, CALLER());
    // A place is taken first, so that nothing else can be there.
    const long place = map_at_next(size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!failed(place)) {
      const long moved =
          remap(old, old_size, size, MREMAP_MAYMOVE | MREMAP_FIXED, reinterpret_cast<void*>(place));
      if (!failed(moved)) return fresh(moved, size, CALLER());
      raw_syscall(SYS_munmap, place, static_cast<long>(size));
    }
  }
  return fresh(remap(old, old_size, size, flags, target), size, CALLER());
}

// Memory that processes share by System V: a mapping like others, of which the kernel knows the
// size.
JOSTLE_HOOK void* shmat(int id, const void* address, int flags) noexcept {
  note_memory_of_others();
  if (g_actions.active()) g_actions.assume(kMappingsAreApart);
  shmid_ds segment;
  if (!controlled() ||
      raw_syscall(SYS_shmctl, id, IPC_STAT, reinterpret_cast<long>(&segment)) < 0) {
    return REAL(shmat)(id, address, flags);
  }
  if (!address) {
    const long result = attach_at_next(id, segment.shm_segsz, flags);
    if (!failed(result)) {
      const auto place = static_cast<uintptr_t>(result);
      if (attaches_again(place, segment.shm_segsz, id)) has_two_addresses();
      return fresh(result, segment.shm_segsz, CALLER());
    }
  }
  if (flags & SHM_REMAP) spare_image(address, segment.shm_segsz);
  kernel_changes(kChangesMappings);
  return fresh(raw_syscall(SYS_shmat, id, reinterpret_cast<long>(address), flags),
               segment.shm_segsz, CALLER());
}

JOSTLE_HOOK int mprotect(void* address, size_t size, int protection) noexcept {
  empties(address, size, CALLER());
  protects(address, size);
  return REAL(mprotect)(address, size, protection);
}

JOSTLE_HOOK int pkey_mprotect(void* address, size_t size, int protection, int key) noexcept {
  empties(address, size, CALLER());
  protects(address, size);
  return REAL(pkey_mprotect)(address, size, protection, key);
}

// Some kinds of advice empty pages without writing to them.
JOSTLE_HOOK int madvise(void* address, size_t size, int advice) noexcept {
  if (advice == MADV_DONTNEED || advice == MADV_REMOVE || advice == MADV_FREE) {
    empties(address, size, CALLER());
  }
  if (controlled()) image_open(address, size);
  return REAL(madvise)(address, size, advice);
}

JOSTLE_HOOK int mlockall(int flags) noexcept {
  if (controlled()) needs_own_process("calls mlockall");
  return REAL(mlockall)(flags);
}

// The same functions on 64-bit machines.
JOSTLE_ALIAS(mmap64, mmap);
JOSTLE_ALIAS(__mmap, mmap);
JOSTLE_ALIAS(__munmap, munmap);
