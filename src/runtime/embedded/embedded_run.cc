// SPDX-License-Identifier: Apache-2.0
// jostle_configure and jostle_run.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include "include/jostle/control.h"
#include "src/base/engine_memory.h"
#include "src/base/rng.h"
#include "src/mutation/fuzzer_data.h"
#include "src/mutation/schedule_bytes.h"
#include "src/runtime/coverage/coverage.h"
#include "src/runtime/embedded/embedded.h"
#include "src/runtime/fiber/donor.h"
#include "src/runtime/heap/heap.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/heap/heap_choice.h"
#include "src/runtime/interpose/identity/process_id.h"
#include "src/runtime/memory/access.h"
#include "src/runtime/memory/private_memory.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/oracle/embedded_end.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/scheduler/backtrace.h"
#include "src/runtime/start/start.h"
#include "src/strategy/samplers/given_bytes.h"
#include "src/strategy/strategies.h"

using namespace jostle;
using namespace jostle::rt;

// AFL++'s runtime, if the program has it. Its map is for edges, numbered from what it learns of.
extern "C" {
extern __attribute__((weak)) uint8_t* __afl_area_ptr;
extern __attribute__((weak)) uint32_t __afl_map_size;
__attribute__((weak)) void __sanitizer_cov_trace_pc_guard_init(uint32_t*, uint32_t*);
}

namespace {

constexpr uint32_t kDonorsAtFirst = 8;
constexpr uint64_t kMostSteps = 1'000'000;
constexpr int64_t kClockStart = 1'700'000'000;  // no run sees what time it is

jostle_options g_options = {};
bool g_running = false;
bool g_said_unjoined = false;
size_t g_decisions = 0;

JOSTLE_KEPT channel::Channel* g_own_channel = nullptr;
JOSTLE_KEPT pid_t g_process = 0;
JOSTLE_KEPT uint64_t g_runs = 0;
JOSTLE_KEPT GivenBytes* g_bytes = nullptr;
JOSTLE_KEPT Strategy* g_named = nullptr;
JOSTLE_KEPT char g_name[sizeof(channel::Config::strategy)];
JOSTLE_KEPT Feedback* g_feedback = nullptr;
JOSTLE_KEPT jostle_feedback g_sinks = {};

[[noreturn]] void refuse(const char* why) {
  fprintf(stderr, "jostle: %s\n", why);
  end_embedded_control();
  REAL(abort)();
  __builtin_unreachable();
}

// The process as it is now, for the first run.
void start() {
  void* p = REAL(mmap)(nullptr, sizeof(channel::Channel), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) refuse("no memory for the record of a run");
  g_own_channel = static_cast<channel::Channel*>(p);
  g_own_channel->config.mode = channel::Mode::run;
  g_own_channel->config.clock_start = kClockStart;
  g_own_channel->config.any_exit_code_ok = 1;
  __libc_single_threaded = 0;  // as under the command, see start.cc
  init_switch();
  init_donors();
  init_sharing();
  if (!g_sharing) refuse("no memory for the sharing table");
  keep_sharing_per_run();
  refresh_modules(*g_own_channel);
  init_backtrace();
  g_scheduler.init(g_own_channel);
  choose_heap(Heap::both);
  heap_free(heap_allocate(1, 16, 0), 0);  // so that it is there for the checks of the first run
  chain_fatal_signals();
  prepare_donors(kDonorsAtFirst);
  keep_stacks_as_start();
  g_bytes = make_in_engine_memory<GivenBytes>();
  g_process = kernel_process_id();
  g_embedded = true;
  note_memory_of_others();
}

// The calling thread is the one that a run's main thread is now, in this process.
void adopt_caller() {
  const pid_t process = kernel_process_id();
  if (process != g_process) {
    // Forked since the last run: of the donors only their memory is left.
    forget_donors_except(nullptr);
    prepare_donors(kDonorsAtFirst);
    g_process = process;
  }
  Thread& main = g_scheduler.self();
  if (main.context.tp == thread_pointer() && main.stack_begin) return;
  main.self = pthread_self();
  main.context.tp = thread_pointer();
  note_new_kernel_thread();
  note_stack(main);
}

Strategy* strategy_now() {
  if (!g_options.strategy || !g_options.strategy[0]) {
    constexpr ByteNumbers::AtEnd kAtEnd[] = {ByteNumbers::kZeros, ByteNumbers::kLoop,
                                             ByteNumbers::kRandom, ByteNumbers::kStop};
    if (!g_bytes) g_bytes = make_in_engine_memory<GivenBytes>();
    g_bytes->give(g_options.schedule, g_options.schedule_size, kAtEnd[g_options.at_end & 3]);
    return g_bytes;
  }
  if (!g_named || strncmp(g_name, g_options.strategy, sizeof g_name) != 0) {
    snprintf(g_name, sizeof g_name, "%s", g_options.strategy);
    g_named = make_strategy(g_name);
    if (!g_named) refuse("jostle_configure: there is no such strategy (jostle strategies)");
  }
  return g_named;
}

channel::Points points_now() {
  return g_options.points == JOSTLE_POINTS_SYNC ? channel::Points::synchronisation
                                                : channel::Points::all;
}

// The body is over; threads that it left behind are not.
void await_others(uintptr_t pc) {
  while (g_scheduler.live_threads() > 1) {
    for (ThreadId id = 1; id < g_scheduler.table_size(); ++id) {
      Thread* other = g_scheduler.thread_at(id);
      if (!other->live) continue;
      g_scheduler.wait(operation(OpKind::thread_join, other, pc),
                       [other] { return other->finished; });
      break;
    }
  }
}

void tell_unjoined(uint32_t count) {
  if (count == 0 || g_said_unjoined) return;
  g_said_unjoined = true;
  fprintf(stderr, "jostle: %u thread%s never joined nor detached (said once)\n", count,
          count == 1 ? " was" : "s were");
}

// As under the command, but nobody is asked but the bytes.
void run_commanded(void (*body)(void*), void* argument, uintptr_t pc) {
  const bool follows_bytes = g_scheduler.channel().config.mode == channel::Mode::run;
  if (follows_bytes) {
    if (!g_scheduler.is_alone()) {
      unsupported("jostle_run() has to be called while there is no other thread");
    }
    Thread* self = g_current;
    g_current = nullptr;
    channel::Config& config = g_scheduler.channel().config;
    if (config.points == channel::Points::all) config.points = points_now();
    g_scheduler.follow(begin_run_of(*strategy_now(), {g_options.seed}));
    note_only_thread();
    g_scheduler.presume_sharing(false);
    g_current = self;
  }
  body(argument);
  await_others(pc);
}

void begin_embedded_run() {
  channel::Config& config = g_own_channel->config;
  config.points = points_now();
  config.max_steps = g_options.max_steps ? g_options.max_steps : kMostSteps;
  config.limits_fail = channel::kLimitSteps | channel::kLimitTime;  // as fuzzers have it
  config.checks = channel::kCheckHeap | (g_options.fail_on_race ? channel::kCheckRace : 0u);
  config.fail_on = config.checks;
  adopt_caller();
  begin_sharing_run(++g_runs);
  note_only_thread();
  g_scheduler.begin_run(begin_run_of(*strategy_now(), {g_options.seed}), g_options.seed);
  g_scheduler.touch_memory_anew();
  g_scheduler.presume_sharing(false);
  g_coverage.feed(g_feedback);
}

bool is_afl() { return &__afl_area_ptr && g_sinks.edge_count; }

// Centipede takes every value that is not 0 for a feature of this run, wherever in the array.
void clear_features(size_t from) {
  for (size_t i = from; i < g_sinks.feature_count && g_sinks.features[i] != 0; ++i) {
    g_sinks.features[i] = 0;
  }
}

// The features of the run to where the fuzzer around us looks for them.
void hand_over_features() {
  if (!g_feedback) return;
  g_coverage.feed(nullptr);
  const uint32_t count = g_feedback->set_count;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t feature = g_feedback->set[i];
    if (g_sinks.counter_count) g_sinks.counters[feature % g_sinks.counter_count] = 1;
    if (is_afl()) {
      __afl_area_ptr[g_sinks.edges[feature % g_sinks.edge_count]] = 1;
      continue;
    }
    if (i < g_sinks.feature_count) g_sinks.features[i] = feature + 1;
  }
  clear_features(count);
  g_feedback->clear();
}

void end_embedded_run() {
  g_current = nullptr;
  g_decisions = g_named && g_options.strategy ? 0 : g_bytes->drawn();
  tell_unjoined(g_scheduler.settle());
  recycle_donors();
  rewind_stacks();
  forget_run_sharing();
  hand_over_features();
}

void run_embedded(void (*body)(void*), void* argument, uintptr_t pc) {
  if (!g_own_channel) start();
  begin_embedded_run();
  Thread& main = g_scheduler.self();
  main.base_frame = reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa());
  if (_setjmp(main.exit_point) != 0) {
    misuse(nullptr, "pthread_exit() in the thread that called jostle_run()");
  }
  g_current = &main;
  try {
    body(argument);
  } catch (...) {
    await_others(pc);
    end_embedded_run();
    throw;
  }
  await_others(pc);
  end_embedded_run();
}

}  // namespace

JOSTLE_HOOK void jostle_configure(const jostle_options* options) {
  g_options = options ? *options : jostle_options{};
}

JOSTLE_HOOK void jostle_run(void (*body)(void*), void* argument) {
  if (g_running) refuse("jostle_run() was called from inside jostle_run()");
  struct Running {
    Running() { g_running = true; }
    ~Running() { g_running = false; }
  } running;
  if (controlled()) return run_commanded(body, argument, CALLER());
  run_embedded(body, argument, CALLER());
}

JOSTLE_HOOK size_t jostle_decisions() { return g_decisions; }

JOSTLE_HOOK void jostle_feed(const jostle_feedback* feedback) {
  g_sinks = feedback ? *feedback : jostle_feedback{};
  stop_ignoring_accesses();
  for (const auto& range : g_sinks.ignored) ignore_accesses(range.begin, range.end);
  if (is_afl()) {
    ignore_accesses(__afl_area_ptr, __afl_area_ptr + __afl_map_size);
    ignore_accesses(&__afl_area_ptr, &__afl_area_ptr + 1);
  }
  const bool wanted = g_sinks.counter_count || is_afl() || g_sinks.feature_count;
  if (wanted && !g_feedback) {
    g_feedback = static_cast<Feedback*>(engine_allocate(sizeof(Feedback)));
  }
}

JOSTLE_HOOK void jostle_number_edges(uint32_t* begin, uint32_t* end) {
  if (&__afl_area_ptr && __sanitizer_cov_trace_pc_guard_init) {
    __sanitizer_cov_trace_pc_guard_init(begin, end);
  }
}

JOSTLE_HOOK size_t jostle_mutate(uint8_t* data, size_t size, size_t max_size, uint64_t seed,
                                 size_t (*mutate_input)(uint8_t*, size_t, size_t)) {
  Rng rng(seed);
  return mutate_fuzzer_data(data, size, max_size, g_decisions, mutate_input, rng);
}

JOSTLE_HOOK size_t jostle_mutate_schedule(uint8_t* data, size_t size, size_t max_size,
                                          uint64_t seed) {
  Rng rng(seed);
  return mutate_schedule(data, size, max_size, g_decisions, rng);
}

JOSTLE_HOOK size_t jostle_cross(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size,
                                uint8_t* to, size_t max_size, uint64_t seed) {
  Rng rng(seed);
  return cross_fuzzer_data(a, a_size, b, b_size, to, max_size, rng);
}
