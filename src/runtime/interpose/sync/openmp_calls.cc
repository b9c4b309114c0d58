// SPDX-License-Identifier: Apache-2.0
// What libgomp orders. The library is the distribution's, and was not instrumented: its threads and
// futexes are under control, but how it orders them by atomics of its own is not seen. What OpenMP
// promises is told to the detector of races here, around the real calls: the beginning and the end
// of a parallel region and of a task, barriers, critical sections, ordered parts, locks.
//
// Wherever it is not known who exactly is ordered behind whom, too many are: races may be missed
// by that, none is invented. The parts of a taskloop are not told.
#include <dlfcn.h>
#include <stdio.h>

#include <cstring>

#include "src/runtime/hook/hook.h"
#include "src/runtime/memory/races.h"

using namespace jostle;
using namespace jostle::rt;

// As REAL, of libgomp: which may be loaded by a library that was itself loaded while the program
// runs, and is then not among those behind us.
#define OPENMP(function)                                                              \
  (*[] {                                                                              \
    static decltype(&::function) next JOSTLE_KEPT;                                    \
    if (!next) next = reinterpret_cast<decltype(&::function)>(definition(#function)); \
    return next;                                                                      \
  }())

namespace {

void* definition(const char* name) {
  if (void* next = dlsym(RTLD_NEXT, name)) return next;
  void* library = REAL(dlopen)("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (void* found = library ? dlsym(library, name) : nullptr) return found;
  fprintf(stderr, "jostle: libgomp has no %s\n", name);
  __builtin_trap();
}

using Body = void (*)(void*);

// Only their addresses count.
char g_region_begins, g_region_ends, g_barrier, g_task_begins, g_task_ends, g_critical, g_ordered;

bool is_told() { return controlled() && g_races.active(); }
void release(const void* object) {
  if (is_told()) g_races.release(object);
}
void acquire(const void* object) {
  if (is_told()) g_races.acquire(object);
}

// ---- parallel regions

struct Region {
  void* reductions;  // libgomp looks for them in the first word
  Body body;
  void* data;
};

void run_region(void* argument) {
  const Region region = *static_cast<const Region*>(argument);
  acquire(&g_region_begins);
  region.body(region.data);
  release(&g_region_ends);
}

void region_ended() {
  acquire(&g_region_ends);
  acquire(&g_task_ends);
}

void* first_word(void* data) { return data ? *static_cast<void**>(data) : nullptr; }

// ---- tasks

struct Task {
  Body body;
  void (*copy)(void*, void*);
  void* data;     // of its creator, for `copy`
  size_t offset;  // of the task's own data behind this
  bool waits;     // for other tasks, by its dependences
};

char* data_of(void* argument) {
  return static_cast<char*>(argument) + static_cast<const Task*>(argument)->offset;
}

void run_task(void* argument) {
  const auto* task = static_cast<const Task*>(argument);
  acquire(&g_task_begins);
  if (task->waits) acquire(&g_task_ends);
  task->body(data_of(argument));
  release(&g_task_ends);
}

void copy_task(void* to, void* from) {
  memcpy(to, from, sizeof(Task));
  static_cast<const Task*>(from)->copy(data_of(to), static_cast<const Task*>(from)->data);
  release(&g_task_begins);
}

void tasks_ended() { acquire(&g_task_ends); }

void barrier_begins() { release(&g_barrier); }
void barrier_ended() {
  acquire(&g_barrier);
  tasks_ended();
}

}  // namespace

// A region's body and data come first; what follows is libgomp's business.
#define JOSTLE_EACH(...) __VA_ARGS__
#define JOSTLE_PARALLEL(name, types, ...)                            \
  extern "C" void name(Body, void*, JOSTLE_EACH types);              \
  JOSTLE_HOOK void name(Body body, void* data, JOSTLE_EACH types) {  \
    if (!controlled()) return OPENMP(name)(body, data, __VA_ARGS__); \
    Region region = {nullptr, body, data};                           \
    release(&g_region_begins);                                       \
    OPENMP(name)(run_region, &region, __VA_ARGS__);                  \
    region_ended();                                                  \
  }
#define JOSTLE_LOOP(name)                                                                        \
  JOSTLE_PARALLEL(name,                                                                          \
                  (unsigned threads, long from, long to, long step, long chunk, unsigned flags), \
                  threads, from, to, step, chunk, flags)
#define JOSTLE_RUNTIME_LOOP(name)                                                          \
  JOSTLE_PARALLEL(name, (unsigned threads, long from, long to, long step, unsigned flags), \
                  threads, from, to, step, flags)
JOSTLE_PARALLEL(GOMP_parallel, (unsigned threads, unsigned flags), threads, flags)
JOSTLE_PARALLEL(GOMP_parallel_sections, (unsigned threads, unsigned count, unsigned flags), threads,
                count, flags)
JOSTLE_LOOP(GOMP_parallel_loop_static)
JOSTLE_LOOP(GOMP_parallel_loop_dynamic)
JOSTLE_LOOP(GOMP_parallel_loop_guided)
JOSTLE_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
JOSTLE_LOOP(GOMP_parallel_loop_nonmonotonic_guided)
JOSTLE_RUNTIME_LOOP(GOMP_parallel_loop_runtime)
JOSTLE_RUNTIME_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
JOSTLE_RUNTIME_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

extern "C" unsigned GOMP_parallel_reductions(Body, void*, unsigned, unsigned);
JOSTLE_HOOK unsigned GOMP_parallel_reductions(Body body, void* data, unsigned threads,
                                              unsigned flags) {
  if (!controlled()) return OPENMP(GOMP_parallel_reductions)(body, data, threads, flags);
  Region region = {first_word(data), body, data};
  release(&g_region_begins);
  const unsigned result = OPENMP(GOMP_parallel_reductions)(run_region, &region, threads, flags);
  region_ended();
  return result;
}

// The last argument came with gcc 11; an older libgomp does not look at it.
extern "C" void GOMP_task(Body, void*, void (*)(void*, void*), long, long, bool, unsigned, void**,
                          int, void*);
JOSTLE_HOOK void GOMP_task(Body body, void* data, void (*copy)(void*, void*), long size, long align,
                           bool may_wait, unsigned flags, void** depend, int priority,
                           void* detach) {
  constexpr unsigned kDepends = 1 << 3, kDetached = 1 << 13;
  release(&g_task_begins);
  // A detached one is told by libgomp through its data.
  if (!is_told() || (flags & kDetached)) {
    return OPENMP(GOMP_task)(body, data, copy, size, align, may_wait, flags, depend, priority,
                             detach);
  }
  const auto alignment = static_cast<size_t>(align < 16 ? 16 : align);
  const size_t offset = (sizeof(Task) + alignment - 1) / alignment * alignment;
  const size_t bytes = offset + static_cast<size_t>(size);
  auto* room = static_cast<char*>(__builtin_alloca(bytes + alignment));
  room += alignment - reinterpret_cast<uintptr_t>(room) % alignment;
  const Task task = {body, copy, data, offset, (flags & kDepends) != 0};
  memcpy(room, &task, sizeof task);
  if (!copy && size > 0) memcpy(room + offset, data, static_cast<size_t>(size));
  OPENMP(GOMP_task)
  (run_task, room, copy ? copy_task : nullptr, static_cast<long>(bytes),
   static_cast<long>(alignment), may_wait, flags, depend, priority, detach);
  // It may have been executed at once.
  if (!may_wait) tasks_ended();
}

#define JOSTLE_AROUND(result, name, parameters, arguments, before, after) \
  extern "C" result name parameters;                                      \
  JOSTLE_HOOK result name parameters {                                    \
    before;                                                               \
    struct After {                                                        \
      ~After() { after; }                                                 \
    } at_end;                                                             \
    return OPENMP(name) arguments;                                        \
  }

JOSTLE_AROUND(void, GOMP_taskwait, (), (), , tasks_ended())
JOSTLE_AROUND(void, GOMP_taskwait_depend, (void** depend), (depend), , tasks_ended())
JOSTLE_AROUND(void, GOMP_taskgroup_end, (), (), , tasks_ended())
JOSTLE_AROUND(void, GOMP_barrier, (), (), barrier_begins(), barrier_ended())
JOSTLE_AROUND(bool, GOMP_barrier_cancel, (), (), barrier_begins(), barrier_ended())
JOSTLE_AROUND(void, GOMP_loop_end, (), (), barrier_begins(), barrier_ended())
JOSTLE_AROUND(bool, GOMP_loop_end_cancel, (), (), barrier_begins(), barrier_ended())
JOSTLE_AROUND(void, GOMP_sections_end, (), (), barrier_begins(), barrier_ended())
JOSTLE_AROUND(bool, GOMP_sections_end_cancel, (), (), barrier_begins(), barrier_ended())
JOSTLE_AROUND(void*, GOMP_single_copy_start, (), (), , barrier_ended())
JOSTLE_AROUND(void, GOMP_single_copy_end, (void* data), (data), barrier_begins(), barrier_ended())
JOSTLE_AROUND(void, GOMP_critical_start, (), (), , acquire(&g_critical))
JOSTLE_AROUND(void, GOMP_critical_end, (), (), release(&g_critical), )
JOSTLE_AROUND(void, GOMP_atomic_start, (), (), , acquire(&g_critical))
JOSTLE_AROUND(void, GOMP_atomic_end, (), (), release(&g_critical), )
JOSTLE_AROUND(void, GOMP_ordered_start, (), (), , acquire(&g_ordered))
JOSTLE_AROUND(void, GOMP_ordered_end, (), (), release(&g_ordered), )

#define JOSTLE_TAKES(result, name)      \
  extern "C" result name(void*);        \
  JOSTLE_HOOK result name(void* lock) { \
    struct After {                      \
      void* lock;                       \
      ~After() { acquire(lock); }       \
    } at_end{lock};                     \
    return OPENMP(name)(lock);          \
  }
#define JOSTLE_GIVES(name)            \
  extern "C" void name(void*);        \
  JOSTLE_HOOK void name(void* lock) { \
    release(lock);                    \
    OPENMP(name)(lock);               \
  }
JOSTLE_TAKES(void, GOMP_critical_name_start)
JOSTLE_GIVES(GOMP_critical_name_end)
JOSTLE_TAKES(void, omp_set_lock)
JOSTLE_TAKES(int, omp_test_lock)
JOSTLE_GIVES(omp_unset_lock)
JOSTLE_TAKES(void, omp_set_nest_lock)
JOSTLE_TAKES(int, omp_test_nest_lock)
JOSTLE_GIVES(omp_unset_nest_lock)
