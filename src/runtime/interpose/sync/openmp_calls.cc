// SPDX-License-Identifier: Apache-2.0
// What libgomp orders, as OpenMP says: for the detector of races.
//
// libgomp is scheduled like everything else, by its threads and futexes. But it is not
// instrumented, so nobody sees how its atomics order what threads do: without this, code before and
// after a barrier would race. Parallel regions, barriers, locks and tasks are seen here where the
// program calls them. Loops that hand out iterations (GOMP_loop_…_next) order nothing.
//
// A region is named by an object in the frame of the thread that begins it; every thread of the
// team begins after what was before the region, and ends before what comes behind it.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/sync/sync_calls.h"
#include "src/runtime/libc/real.h"

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
using CopyTask = void (*)(void*, void*);

struct Region {
  void* first_word;  // of the data, which GOMP_parallel_reductions looks at
  Body body;
  void* data;
};

// Of one thread: it works for `team`, which may be null.
class AtWork {
 public:
  explicit AtWork(void* team) : team_(team), before_(g_current->team) {
    g_current->team = team;
    if (team) g_races.acquire(team);
  }
  ~AtWork() {
    if (team_) g_races.release(team_);
    g_current->team = before_;
  }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

 private:
  void* team_;
  void* before_;
};

void work(void* argument) {
  auto* region = static_cast<Region*>(argument);
  const AtWork at_work(region);
  region->body(region->data);
}

// `run` is to begin the region with `work`.
template <typename Run>
auto in_region(Body body, void* data, Run&& run) {
  struct Around {
    Region region;
    Around(Body body, void* data) : region{nullptr, body, data} { g_races.release(&region); }
    ~Around() { g_races.acquire(&region); }
  } around(body, data);
  return run(&around.region);
}

// The whole team waits for each other, or a thread for what it has given to others.
template <typename Run>
auto together(Run&& run) {
  struct Around {
    void* team = controlled() ? g_current->team : nullptr;
    Around() {
      if (team) g_races.release(team);
    }
    ~Around() {
      if (team) g_races.acquire(team);
    }
  } around;
  return run();
}

void acquired_unseen(const void* lock) {
  if (controlled()) g_races.acquire(lock);
}
void released_unseen(const void* lock) {
  if (controlled()) g_races.release(lock);
}
char g_critical, g_atomic;

// `ordered` of the team.
const void* order_of_team() {
  return controlled() && g_current->team ? static_cast<char*>(g_current->team) + 1 : &g_critical;
}

// What a task gets is ours in front and the program's data behind it.
struct Task {
  long bounds[2];    // of a taskloop: libgomp writes them there
  void* third_word;  // of the data, which a taskloop with a reduction looks at
  Body body;
  void* team;
  size_t offset;  // of the data
};
struct NewTask {
  Task task;
  void* data;
  CopyTask copy;
  size_t size;
};

void copy_task(void* to, void* from) {
  auto* made = static_cast<NewTask*>(from);
  memcpy(to, &made->task, sizeof made->task);
  void* data = static_cast<char*>(to) + made->task.offset;
  if (made->copy) {
    made->copy(data, made->data);
  } else if (made->size) {
    memcpy(data, made->data, made->size);
  }
  if (made->task.team) g_races.release(made->task.team);
}

template <bool kIsLoop>
void run_task(void* argument) {
  const Task task = *static_cast<Task*>(argument);
  void* data = static_cast<char*>(argument) + task.offset;
  if (kIsLoop) memcpy(data, task.bounds, sizeof task.bounds);
  const AtWork at_work(task.team);
  task.body(data);
}

NewTask new_task(Body body, void* data, CopyTask copy, long size, long& alignment) {
  if (alignment < 16) alignment = 16;
  NewTask made = {.task = {{}, nullptr, body, g_current->team, 0},
                  .data = data,
                  .copy = copy,
                  .size = static_cast<size_t>(size)};
  const auto unit = static_cast<size_t>(alignment);
  made.task.offset = (sizeof(Task) + unit - 1) / unit * unit;
  if (made.size >= 3 * sizeof(void*)) made.task.third_word = static_cast<void**>(data)[2];
  return made;
}

}  // namespace

// ---- parallel regions -------------------------------------------------------------------------

#define REGION(function, parameters, arguments, real_arguments)                      \
  JOSTLE_HOOK void function parameters {                                             \
    if (!controlled()) return OPENMP(function) arguments;                            \
    in_region(body, data, [&](Region* region) { OPENMP(function) real_arguments; }); \
  }

REGION(GOMP_parallel, (Body body, void* data, unsigned threads, unsigned flags),
       (body, data, threads, flags), (work, region, threads, flags))
REGION(GOMP_parallel_sections,
       (Body body, void* data, unsigned threads, unsigned count, unsigned flags),
       (body, data, threads, count, flags), (work, region, threads, count, flags))
REGION(GOMP_teams_reg, (Body body, void* data, unsigned teams, unsigned threads, unsigned flags),
       (body, data, teams, threads, flags), (work, region, teams, threads, flags))

#define LOOP_REGION(function)                                                                   \
  REGION(function,                                                                              \
         (Body body, void* data, unsigned threads, long start, long end, long step, long chunk, \
          unsigned flags),                                                                      \
         (body, data, threads, start, end, step, chunk, flags),                                 \
         (work, region, threads, start, end, step, chunk, flags))
LOOP_REGION(GOMP_parallel_loop_static)
LOOP_REGION(GOMP_parallel_loop_dynamic)
LOOP_REGION(GOMP_parallel_loop_guided)
LOOP_REGION(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP_REGION(GOMP_parallel_loop_nonmonotonic_guided)

#define RUNTIME_LOOP_REGION(function)                                                             \
  REGION(                                                                                         \
      function,                                                                                   \
      (Body body, void* data, unsigned threads, long start, long end, long step, unsigned flags), \
      (body, data, threads, start, end, step, flags),                                             \
      (work, region, threads, start, end, step, flags))
RUNTIME_LOOP_REGION(GOMP_parallel_loop_runtime)
RUNTIME_LOOP_REGION(GOMP_parallel_loop_nonmonotonic_runtime)
RUNTIME_LOOP_REGION(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

JOSTLE_HOOK unsigned GOMP_parallel_reductions(Body body, void* data, unsigned threads,
                                              unsigned flags) {
  if (!controlled()) return OPENMP(GOMP_parallel_reductions)(body, data, threads, flags);
  return in_region(body, data, [&](Region* region) {
    region->first_word = *static_cast<void**>(data);
    return OPENMP(GOMP_parallel_reductions)(work, region, threads, flags);
  });
}

// ---- barriers ---------------------------------------------------------------------------------

#define TOGETHER(type, function)                        \
  JOSTLE_HOOK type function() {                         \
    return together([] { return OPENMP(function)(); }); \
  }
TOGETHER(void, GOMP_barrier)
TOGETHER(bool, GOMP_barrier_cancel)
TOGETHER(void, GOMP_loop_end)
TOGETHER(bool, GOMP_loop_end_cancel)
TOGETHER(void, GOMP_sections_end)
TOGETHER(bool, GOMP_sections_end_cancel)
TOGETHER(void*, GOMP_single_copy_start)
TOGETHER(void, GOMP_taskwait)
TOGETHER(void, GOMP_taskgroup_end)
JOSTLE_HOOK void GOMP_single_copy_end(void* data) {
  together([&] { OPENMP(GOMP_single_copy_end)(data); });
}
JOSTLE_HOOK void GOMP_taskwait_depend(void** depend) {
  together([&] { OPENMP(GOMP_taskwait_depend)(depend); });
}
JOSTLE_HOOK void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  together([&] { OPENMP(GOMP_workshare_task_reduction_unregister)(cancelled); });
}

// ---- one after the other ----------------------------------------------------------------------

#define ACQUIRES(function, parameters, arguments, lock) \
  JOSTLE_HOOK void function parameters {                \
    OPENMP(function) arguments;                         \
    acquired_unseen(lock);                              \
  }
#define RELEASES(function, parameters, arguments, lock) \
  JOSTLE_HOOK void function parameters {                \
    released_unseen(lock);                              \
    OPENMP(function) arguments;                         \
  }
ACQUIRES(GOMP_critical_start, (), (), &g_critical)
RELEASES(GOMP_critical_end, (), (), &g_critical)
ACQUIRES(GOMP_critical_name_start, (void** name), (name), name)
RELEASES(GOMP_critical_name_end, (void** name), (name), name)
ACQUIRES(GOMP_atomic_start, (), (), &g_atomic)
RELEASES(GOMP_atomic_end, (), (), &g_atomic)
ACQUIRES(GOMP_ordered_start, (), (), order_of_team())
RELEASES(GOMP_ordered_end, (), (), order_of_team())
// `ordered depend(sink: i - 1)`: numbers of the iteration, as many as there are loops, which are in
// the same places as the arguments of `...`.
RELEASES(GOMP_doacross_post, (long* iteration), (iteration), order_of_team())
RELEASES(GOMP_doacross_ull_post, (unsigned long long* iteration), (iteration), order_of_team())
ACQUIRES(GOMP_doacross_wait, (long a, long b, long c, long d, long e, long f), (a, b, c, d, e, f),
         order_of_team())
ACQUIRES(GOMP_doacross_ull_wait,
         (unsigned long long a, unsigned long long b, unsigned long long c, unsigned long long d,
          unsigned long long e, unsigned long long f),
         (a, b, c, d, e, f), order_of_team())
ACQUIRES(omp_set_lock, (void* lock), (lock), lock)
RELEASES(omp_unset_lock, (void* lock), (lock), lock)
ACQUIRES(omp_set_nest_lock, (void* lock), (lock), lock)
RELEASES(omp_unset_nest_lock, (void* lock), (lock), lock)
JOSTLE_HOOK int omp_test_lock(void* lock) {
  const int got = OPENMP(omp_test_lock)(lock);
  if (got) acquired_unseen(lock);
  return got;
}
JOSTLE_HOOK int omp_test_nest_lock(void* lock) {
  const int got = OPENMP(omp_test_nest_lock)(lock);
  if (got) acquired_unseen(lock);
  return got;
}

// ---- tasks ------------------------------------------------------------------------------------

JOSTLE_HOOK void GOMP_task(Body body, void* data, CopyTask copy, long size, long alignment,
                           bool at_once, unsigned flags, void** depend, int priority,
                           void* detach) {
  constexpr unsigned kDetach = 1 << 13;  // its event is written to the data
  if (!controlled() || flags & kDetach) {
    return OPENMP(GOMP_task)(body, data, copy, size, alignment, at_once, flags, depend, priority,
                             detach);
  }
  NewTask made = new_task(body, data, copy, size, alignment);
  OPENMP(GOMP_task)
  (run_task<false>, &made, copy_task, static_cast<long>(made.task.offset) + size, alignment,
   at_once, flags, depend, priority, detach);
}

#define TASK_LOOP(function, Number)                                                             \
  JOSTLE_HOOK void function(Body body, void* data, CopyTask copy, long size, long alignment,    \
                            unsigned flags, unsigned long tasks, int priority, Number start,    \
                            Number end, Number step) {                                          \
    if (!controlled()) {                                                                        \
      return OPENMP(function)(body, data, copy, size, alignment, flags, tasks, priority, start, \
                              end, step);                                                       \
    }                                                                                           \
    NewTask made = new_task(body, data, copy, size, alignment);                                 \
    together([&] {                                                                              \
      OPENMP(function)                                                                          \
      (run_task<true>, &made, copy_task, static_cast<long>(made.task.offset) + size, alignment, \
       flags, tasks, priority, start, end, step);                                               \
    });                                                                                         \
  }
TASK_LOOP(GOMP_taskloop, long)
TASK_LOOP(GOMP_taskloop_ull, unsigned long long)
