// SPDX-License-Identifier: Apache-2.0
// Thread-local storage for fibers.
//
// Thread-local variables, errno, exception state and pthread_self() all hang off the thread
// pointer, and only glibc knows how to build what it points to. So for every fiber there is a
// *donor*: a real OS thread, created once, that captures its thread pointer and then sleeps for
// ever. The fiber switch installs the donor's thread pointer; to every library the fiber then is
// that thread.
//
// A donor is reused by one thread after another, so its thread-local variables are put back to how
// a fresh thread finds them each time.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "src/base/engine_memory.h"

namespace jostle::rt {

struct Donor {
  void* tp = nullptr;
  pthread_t handle = 0;
  char* fresh_tls = nullptr;  // copy of its static TLS as glibc made it
  Donor* next_free = nullptr;
  bool used = false;
  int ready = 0;               // its thread pointer is known
  int dismissed = 0;           // it may end
  uint32_t slot = UINT32_MAX;  // of the thread that has it; UINT32_MAX: nobody
};

// Once, on the main thread, before any donor: where the modules' TLS blocks lie.
void init_donors();

// A donor with fresh thread-local storage; null when the OS gives us no more threads (errno says).
Donor* acquire_donor();
void release_donor(Donor* donor);

// Makes sure that `count` donors exist, so that forked children need not create their own.
void prepare_donors(uint32_t count);
uint32_t donor_count();
// The next acquire_donor need not create one.
bool donor_available();

// All donors are free again, in the order of their creation. Those that a run had to create itself
// are dismissed: libc's own lists are rewound to before it (see image/image.h).
void keep_donors_as_start();
void rewind_donors();
// How many a run had to create since the start was kept.
uint32_t donors_missing();
// Where their stacks and thread-local storage lie.
MemoryUse donor_memory();

// All donors are free and none is gone: as after rewind_donors, in a process that is not rewound.
void recycle_donors();

// The kernel thread that runs everything has another id now: we are in a forked child.
void note_new_kernel_thread();

// The donor whose handle this is; null: none of ours.
Donor* donor_of(pthread_t handle);

// The thread that has the donor in whose memory this lies; UINT32_MAX: nobody.
uint32_t donor_user_at(uintptr_t address);

// Is it in the static thread-local storage of a donor? Then `user` is the thread that has it, or
// UINT32_MAX.
bool in_donor_tls(uintptr_t address, uint32_t& user);

// In a child of a real fork(), glibc has recycled the other donors' memory: forget them.
void forget_donors_except(Donor* mine);

// True while a donor is being created: what libc allocates then is not the target's.
bool creating_donor();

// Is `address` in the static TLS of `tp`?
bool in_static_tls(const void* tp, uintptr_t address);

// Calls `visit(begin, size)` for every module's part of it.
void for_each_tls_range(const void* tp, void (*visit)(uintptr_t begin, size_t size));

// Where glibc's descriptor of `thread` caches the kernel's thread id; null when not known.
void* cached_tid_address(pthread_t thread);

}  // namespace jostle::rt
