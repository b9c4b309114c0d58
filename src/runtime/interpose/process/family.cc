// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/process/family.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/base/engine_memory.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/identity/process_id.h"
#include "src/runtime/interpose/process/family_state.h"
#include "src/runtime/sync/mutex.h"

namespace jostle::rt {
namespace {

constexpr uint32_t kThreads = 1 << 19;

uint32_t g_parent_number = 0;
uint64_t g_events_at_look = 0;

// The family as the program itself has seen it some looks ago.
struct Sight {
  uint64_t runs = 0;
  uint32_t members = 0;
  bool ended[kMostProcesses] = {};
  uint32_t looks[kMostProcesses] = {};
};
Sight g_sight;

}  // namespace

Family* g_family = nullptr;
uint32_t g_family_number = 0;

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

void found_family() {
  if (!g_family) {
    g_family = static_cast<Family*>(map_shared_engine_memory(sizeof(Family)));
    if (g_family) g_family->actions = 1;
  }
  if (!g_family) return;
  g_family->processes[g_family_number] = kernel_process_id();
  ++g_family->forks;
}

void expect_member() {
  if (g_family) ++g_family->expected;
}

void expect_no_member() {
  if (g_family) --g_family->expected;
}

void join_family() {
  if (!g_family) return;
  g_parent_number = g_family_number;
  g_family_number = (g_family->members.fetch_add(1) + 1) % kMostProcesses;
  g_family->processes[g_family_number] = kernel_process_id();
}

bool has_family() { return g_family != nullptr; }

// ---- nobody can go on in any of them ------------------------------------------------------------

namespace {

bool lives_here(uint32_t index) {
  for (ThreadId id = 0; id < g_scheduler.table_size(); ++id) {
    const Thread* thread = g_scheduler.thread_at(id);
    if (thread && thread->live && thread->index == index) return true;
  }
  return false;
}

// Who holds the lock that the thread wants, by the lock's own account.
FamilyWaits waits_of(const Thread& thread) {
  FamilyWaits waits = {thread.index, thread.pending, channel::FamilyHolder::unknown, 0};
  if (waits.pending.kind != OpKind::mutex_lock) return waits;
  auto* mutex = reinterpret_cast<pthread_mutex_t*>(waits.pending.object);
  const sync::Mutex& state = sync::state_of(mutex);
  // Asked once: another process may let go of it at any time.
  const sync::Owner holder = sync::holder(state);
  if (!sync::is_initialised(state) || holder == sync::Owner::nobody) return waits;
  waits.holder = sync::index_of(holder);
  if (sync::is_shared(state)) {
    waits.held = channel::FamilyHolder::holds;
  } else if (g_family_number != 0 && !lives_here(waits.holder)) {
    waits.held = channel::FamilyHolder::held_at_fork;
    waits.holder = g_parent_number * kThreads + waits.holder % kThreads;
  }
  return waits;
}

// One that waits for another process, if there is one; of the others rather not one that only waits
// for another thread's end.
const Thread* one_that_waits() {
  const Thread* found = nullptr;
  for (ThreadId id = 0; id < g_scheduler.table_size(); ++id) {
    const Thread* thread = g_scheduler.thread_at(id);
    if (!thread || !thread->live) continue;
    if (thread->external_wait) return thread;
    if (!found || found->pending.kind == OpKind::thread_join) found = thread;
  }
  return found;
}

void note_look() {
  if (g_events_at_look != g_scheduler.total_events()) ++g_family->runs;
  g_events_at_look = g_scheduler.total_events();
  if (const Thread* thread = one_that_waits()) {
    g_family->waits[g_family_number] = waits_of(*thread);
  }
  ++g_family->looks[g_family_number];
}

void look_at_family(uint32_t members) {
  g_sight.runs = g_family->runs;
  g_sight.members = members;
  for (uint32_t i = 0; i < members; ++i) {
    g_sight.ended[i] = has_ended(g_family->processes[i]);
    g_sight.looks[i] = g_family->looks[i];
  }
}

void describe_family(uint32_t members) {
  channel::RunRecord& run = g_scheduler.record();
  run.family_wait_count = 0;
  for (uint32_t i = 0; i < members && run.family_wait_count < channel::kMaxFamilyWaits; ++i) {
    if (g_sight.ended[i]) continue;
    const FamilyWaits& waits = g_family->waits[i];
    run.family_waits[run.family_wait_count++] = {i,
                                                 waits.thread,
                                                 waits.pending,
                                                 waits.held,
                                                 waits.holder / kThreads,
                                                 waits.holder % kThreads};
  }
}

}  // namespace

// Everybody has looked twice since a time after which nobody has run. Who runs all the same has
// become able to between its last look and now, by somebody who ran before: and so on, to somebody
// who had run already then, and has noted that since.
bool is_family_stuck() {
  if (!g_family) return false;
  note_look();
  if (g_family_number != 0) return false;
  // A child that has not come to its first instruction, or another program, does not look.
  const uint32_t members = g_family->members + 1;
  if (members != g_family->forks + 1 || members > kMostProcesses) return false;
  constexpr uint32_t kLooks = 2;
  bool is_same = g_sight.runs == g_family->runs && g_sight.members == members;
  bool have_looked = true, any = false;
  for (uint32_t i = 1; i < members && is_same; ++i) {
    const bool ended = has_ended(g_family->processes[i]);
    is_same = ended == g_sight.ended[i];
    any |= !ended;
    have_looked &= ended || g_family->looks[i] - g_sight.looks[i] >= kLooks;
  }
  if (!is_same) look_at_family(members);
  const bool is_stuck = is_same && have_looked && any &&
                        g_family->looks[0] - g_sight.looks[0] >= kLooks &&
                        g_sight.runs == g_family->runs;
  if (is_stuck) describe_family(members);
  return is_stuck;
}

sync::Owner among_processes(uint32_t thread_index) {
  return sync::owner_with_index(g_family_number * kThreads + thread_index % kThreads);
}

sync::Owner me_among_processes() { return among_processes(g_current->index); }

bool is_bereft_of(sync::Owner owner) {
  if (!g_family || owner == sync::Owner::nobody) return false;
  const uint32_t number = sync::index_of(owner) / kThreads;
  return number != g_family_number && number < kMostProcesses &&
         has_ended(g_family->processes[number]);
}

AmongProcesses::AmongProcesses(bool is_shared) : held_(is_shared && g_family) {
  if (!held_) return;
  const pid_t self = kernel_process_id();
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
