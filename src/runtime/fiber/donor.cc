// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/fiber/donor.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <new>

#include "src/base/check.h"
#include "src/base/engine_memory.h"
#include "src/base/kept.h"
#include "src/base/raw_syscall.h"
#include "src/runtime/fiber/context.h"
#include "src/runtime/libc/real.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace jostle::rt {
namespace {

struct TlsRange {
  ptrdiff_t offset;  // from the thread pointer
  size_t size;
};

constexpr int kMaxTlsModules = 256;
JOSTLE_KEPT TlsRange g_tls[kMaxTlsModules];
JOSTLE_KEPT int g_tls_count = 0;
JOSTLE_KEPT size_t g_tls_bytes = 0;
JOSTLE_KEPT constinit EngineVector<Donor*> g_all;  // in the order of creation
JOSTLE_KEPT uint32_t g_fresh = 0;                  // the first of them that no thread has had yet
JOSTLE_KEPT uint32_t g_kept_at_start = 0;
JOSTLE_KEPT uint32_t g_fresh_at_start = 0;
JOSTLE_KEPT constinit EngineVector<Donor*> g_free_at_start;
JOSTLE_KEPT Donor* g_free = nullptr;  // given back, last first
JOSTLE_KEPT MemoryUse g_memory = {};
JOSTLE_KEPT size_t g_stack_size = 0;
JOSTLE_KEPT constinit EngineVector<Donor*> g_by_place;  // in g_memory
JOSTLE_KEPT bool g_creating = false;
JOSTLE_KEPT int g_kernel_tid = 0;
JOSTLE_KEPT ptrdiff_t g_tid_offset = 0;  // of the id in glibc's descriptor; 0: not found

int collect_tls(dl_phdr_info* info, size_t, void*) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_TLS || !info->dlpi_tls_data || g_tls_count == kMaxTlsModules) continue;
    const ptrdiff_t offset =
        static_cast<char*>(info->dlpi_tls_data) - static_cast<char*>(thread_pointer());
    // Blocks far away were allocated for a dlopen'ed module: not static, see reset_dynamic_tls.
    if (offset < -(ptrdiff_t{1} << 24) || offset > (ptrdiff_t{1} << 24)) continue;
    g_tls[g_tls_count++] = {offset, header.p_memsz};
    g_tls_bytes += header.p_memsz;
  }
  return 0;
}

void copy(void* to, const void* from, size_t n) { __builtin_memcpy(to, from, n); }

void save_tls(Donor& donor) {
  donor.fresh_tls = static_cast<char*>(engine_allocate(g_tls_bytes ? g_tls_bytes : 1));
  char* to = donor.fresh_tls;
  for (int i = 0; i < g_tls_count; ++i) {
    copy(to, static_cast<char*>(donor.tp) + g_tls[i].offset, g_tls[i].size);
    to += g_tls[i].size;
  }
}

// Thread-locals of dlopen'ed modules are allocated at first use and found through the DTV (dynamic
// thread vector), a stable part of the TLS ABI: slot n = {block, what to free}. A new thread has
// none of them.
void reset_dynamic_tls(void* tp) {
  struct Slot {
    void* block;
    void* to_free;
  };
#if defined(__aarch64__)
  Slot* dtv = *static_cast<Slot**>(tp);
#else
  Slot* dtv = static_cast<Slot**>(tp)[1];
#endif
  const auto slots = reinterpret_cast<uintptr_t>(dtv[-1].block);
  for (uintptr_t i = 1; i <= slots && i < 4096; ++i) {
    if (!dtv[i].to_free) continue;
    dtv[i].block = reinterpret_cast<void*>(-1l);  // TLS_DTV_UNALLOCATED
    dtv[i].to_free = nullptr;  // the block itself is in the target's heap and ends with the run
  }
}

void reset_tls(Donor& donor) {
  const char* from = donor.fresh_tls;
  for (int i = 0; i < g_tls_count; ++i) {
    copy(static_cast<char*>(donor.tp) + g_tls[i].offset, from, g_tls[i].size);
    from += g_tls[i].size;
  }
  reset_dynamic_tls(donor.tp);
}

// Not through libc: looking up its functions takes a lock of the loader's, and a donor must hold
// none when its thread id is overwritten (acquire_donor): it could not release it any more.
void futex(int* word, int operation, int value) {
  raw_syscall(SYS_futex, reinterpret_cast<long>(word), operation, value);
}

void* donor_main(void* argument) {
  auto* donor = static_cast<Donor*>(argument);
  donor->tp = thread_pointer();
  __atomic_store_n(&donor->ready, 1, __ATOMIC_RELEASE);
  int* const dismissed = &donor->dismissed;
  futex(&donor->ready, FUTEX_WAKE_PRIVATE, 1);
  while (!__atomic_load_n(dismissed, __ATOMIC_ACQUIRE)) futex(dismissed, FUTEX_WAIT_PRIVATE, 0);
  for (;;) raw_syscall(SYS_exit, 0);  // libc has forgotten it, and must not hear of it again
}

// Ends a donor that libc's lists no longer hold; its memory is free again. The kernel clears the
// thread id when it is really gone.
bool dismiss(Donor& donor) {
  auto* tid = static_cast<int*>(cached_tid_address(donor.handle));
  if (!tid) return false;
  __atomic_store_n(&donor.dismissed, 1, __ATOMIC_RELEASE);
  futex(&donor.dismissed, FUTEX_WAKE_PRIVATE, 1);
  for (int now; (now = __atomic_load_n(tid, __ATOMIC_ACQUIRE)) != 0;) futex(tid, FUTEX_WAIT, now);
  engine_release(donor.fresh_tls, g_tls_bytes ? g_tls_bytes : 1);
  engine_release(&donor, sizeof(Donor));
  JOSTLE_CHECK_LE(g_memory.begin + g_stack_size, g_memory.next);
  g_memory.next -= g_stack_size;
  g_by_place.pop_back();
  return true;
}

// Stacks of our own for donors, at fixed addresses: thread-local variables then have the same
// addresses in every process, and their memory is known to be ours.
constexpr uintptr_t kBase = 0x6c00'0000'0000;
constexpr size_t kReserve = size_t{32} << 30;
constexpr size_t kPage = 65536;

bool reserve_memory() {
  g_stack_size = static_cast<size_t>(sysconf(_SC_THREAD_STACK_MIN)) + g_tls_bytes + kPage;
  g_stack_size = (g_stack_size + kPage - 1) & ~(kPage - 1);
  const size_t size = kReserve / g_reserve_divisor;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* p = REAL(mmap)(reinterpret_cast<void*>(kBase), size, PROT_READ | PROT_WRITE,
                       flags | MAP_FIXED_NOREPLACE, -1, 0);
  if (p == MAP_FAILED) p = REAL(mmap)(nullptr, size, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (p == MAP_FAILED) return false;
  g_memory = {static_cast<char*>(p), static_cast<char*>(p), static_cast<char*>(p) + size};
  return true;
}

char* take_memory() {
  if (!g_memory.begin && !reserve_memory()) return nullptr;
  if (static_cast<size_t>(g_memory.end - g_memory.next) < g_stack_size) return nullptr;
  char* stack = g_memory.next;
  g_memory.next += g_stack_size;
  return stack;
}

// Its thread is there, but its thread pointer is not known yet: see await.
Donor* start_donor() {
  char* stack = take_memory();
  if (!stack) {
    errno = EAGAIN;
    return nullptr;
  }
  auto* donor = new (engine_allocate(sizeof(Donor))) Donor;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, g_stack_size);
  // No signal may ever run on a donor.
  sigset_t all, before;
  sigfillset(&all);
  REAL(pthread_sigmask)(SIG_SETMASK, &all, &before);
  g_creating = true;
  const int error = REAL(pthread_create)(&donor->handle, &attributes, donor_main, donor);
  g_creating = false;
  REAL(pthread_sigmask)(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (error) {
    errno = error;
    engine_release(donor, sizeof(Donor));
    return nullptr;
  }
  const auto place = static_cast<size_t>(stack - g_memory.begin) / g_stack_size;
  if (place >= g_by_place.size()) g_by_place.resize(place + 1);
  g_by_place[place] = donor;
  g_all.push_back(donor);
  return donor;
}

void await(Donor& donor) {
  while (!__atomic_load_n(&donor.ready, __ATOMIC_ACQUIRE)) {
    futex(&donor.ready, FUTEX_WAIT_PRIVATE, 0);
  }
  save_tls(donor);
}

Donor* create_donor() {
  Donor* donor = start_donor();
  if (donor) await(*donor);
  return donor;
}

[[maybe_unused]] bool donor_memory_has(pthread_t handle) {
  const auto address = reinterpret_cast<char*>(handle);
  return address >= g_memory.begin && address < g_memory.next;
}

}  // namespace

void init_donors() {
  dl_iterate_phdr(collect_tls, nullptr);
  // glibc caches the kernel's thread id in its descriptor, at an offset it does not tell.
  note_new_kernel_thread();
  const int tid = g_kernel_tid;
  const char* descriptor = reinterpret_cast<const char*>(pthread_self());
  for (ptrdiff_t offset = 64; offset < 1024; offset += 4) {
    int value;
    copy(&value, descriptor + offset, sizeof value);
    if (value == tid) {
      g_tid_offset = offset;
      break;
    }
  }
}

Donor* acquire_donor() {
  Donor* donor;
  if (g_free) {
    donor = g_free;
    g_free = donor->next_free;
  } else if (g_fresh < g_all.size()) {
    donor = g_all[g_fresh++];
  } else {
    donor = create_donor();
    if (!donor) return nullptr;
    ++g_fresh;
  }
  JOSTLE_CHECK(donor->tp != nullptr && donor->ready && !donor->dismissed);
  JOSTLE_CHECK_EQ(donor->slot, UINT32_MAX);
  JOSTLE_CHECK_LE(g_fresh, g_all.size());
  if (donor->used) reset_tls(*donor);
  donor->used = true;
  // To libc the fiber is a thread of its own, to the kernel it is the one that runs everything:
  // raise() and abort() inside libc must reach that one.
  if (void* cached = cached_tid_address(donor->handle)) {
    copy(cached, &g_kernel_tid, sizeof g_kernel_tid);
  }
  return donor;
}

void release_donor(Donor* donor) {
  JOSTLE_CHECK_NE(donor->slot, UINT32_MAX);  // given back once
  JOSTLE_CHECK_NE(donor, g_free);
  donor->slot = UINT32_MAX;
  donor->next_free = g_free;
  g_free = donor;
}

void prepare_donors(uint32_t count) {
  // All at once: on a busy machine each would take its time to begin.
  const size_t before = g_all.size();
  while (g_all.size() < count && start_donor()) {
  }
  for (size_t i = before; i < g_all.size(); ++i) await(*g_all[i]);
}

bool donor_available() { return g_free || g_fresh < g_all.size(); }
uint32_t donor_count() { return static_cast<uint32_t>(g_all.size()); }

void keep_donors_as_start() {
  g_kept_at_start = donor_count();
  g_fresh_at_start = g_fresh;
  g_free_at_start.clear();
  for (Donor* donor = g_free; donor; donor = donor->next_free) g_free_at_start.push_back(donor);
}

void rewind_donors() {
  // Last made, first to go: so the memory of all that go is one stretch at the end.
  while (g_all.size() > g_kept_at_start && dismiss(*g_all.back())) g_all.pop_back();
  g_all.resize(g_kept_at_start);
  for (uint32_t i = 0; i < g_fresh && i < g_all.size(); ++i) g_all[i]->slot = UINT32_MAX;
  // In the same order for every run: a thread's variables have the same addresses then.
  JOSTLE_CHECK_LE(g_fresh_at_start, g_all.size());
  g_fresh = g_fresh_at_start;
  g_free = nullptr;
  for (size_t i = g_free_at_start.size(); i-- > 0;) {
    g_free_at_start[i]->next_free = g_free;
    g_free = g_free_at_start[i];
  }
}

void recycle_donors() {
  for (Donor* donor : g_all) donor->slot = UINT32_MAX;
  g_fresh = 0;
  g_free = nullptr;
}

uint32_t donors_missing() { return donor_count() - g_kept_at_start; }
MemoryUse donor_memory() {
  if (!g_memory.begin) reserve_memory();
  return g_memory;
}

void note_new_kernel_thread() { g_kernel_tid = static_cast<int>(REAL(syscall)(SYS_gettid)); }

void forget_donors_except(Donor* mine) {
  note_new_kernel_thread();
  for (Donor* donor : g_all) {
    if (donor == mine) continue;
    donor->slot = UINT32_MAX;
    donor->tp = nullptr;  // what lay there is the child's to read
  }
  g_free = nullptr;
  g_all.clear();
  if (mine) g_all.push_back(mine);
  g_fresh = donor_count();
}

static Donor* donor_at(uintptr_t where) {
  const auto address = reinterpret_cast<char*>(where);
  if (address < g_memory.begin || address >= g_memory.next) return nullptr;
  const auto place = static_cast<size_t>(address - g_memory.begin) / g_stack_size;
  return place < g_by_place.size() ? g_by_place[place] : nullptr;
}

uint32_t donor_user_at(uintptr_t address) {
  const Donor* donor = donor_at(address);
  return donor ? donor->slot : UINT32_MAX;
}

Donor* donor_of(pthread_t handle) {
  Donor* donor = donor_at(handle);
  JOSTLE_CHECK(!donor || donor_memory_has(donor->handle));
  return donor && donor->handle == handle ? donor : nullptr;
}

bool creating_donor() { return g_creating; }

void for_each_tls_range(const void* tp, void (*visit)(uintptr_t begin, size_t size)) {
  for (int i = 0; i < g_tls_count; ++i) {
    visit(reinterpret_cast<uintptr_t>(tp) + static_cast<uintptr_t>(g_tls[i].offset), g_tls[i].size);
  }
}

bool in_static_tls(const void* tp, uintptr_t address) {
  const auto offset = static_cast<ptrdiff_t>(address - reinterpret_cast<uintptr_t>(tp));
  for (int i = 0; i < g_tls_count; ++i) {
    if (offset >= g_tls[i].offset &&
        offset < g_tls[i].offset + static_cast<ptrdiff_t>(g_tls[i].size)) {
      return true;
    }
  }
  return false;
}

bool in_donor_tls(uintptr_t address, uint32_t& user) {
  const Donor* donor = donor_at(address);
  if (!donor || !in_static_tls(donor->tp, address)) return false;
  user = donor->slot;
  return true;
}

void* cached_tid_address(pthread_t thread) {
  return g_tid_offset ? reinterpret_cast<char*>(thread) + g_tid_offset : nullptr;
}

}  // namespace jostle::rt
