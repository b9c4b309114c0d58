// SPDX-License-Identifier: Apache-2.0
// Start-up: the library is initialised before all others, even libc (-z initfirst), finds the
// channel that the command left for it, and takes control; without one it stays out of the way for
// good. main() is wrapped so that the engine can run it as often as it likes.
#include "src/runtime/start/start.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include "src/base/check.h"
#include "src/base/engine_memory.h"
#include "src/runtime/api/check_calls.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/buffers/strings.h"
#include "src/runtime/interpose/heap/heap_choice.h"
#include "src/runtime/interpose/identity/process_id.h"
#include "src/runtime/interpose/process/process.h"
#include "src/runtime/interpose/process/processor_sites.h"
#include "src/runtime/interpose/process/random_numbers.h"
#include "src/runtime/interpose/thread/thread_end.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/memory/target_hub.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/oracle/fatal_signals.h"
#include "src/runtime/oracle/leaks.h"
#include "src/runtime/oracle/result_end.h"
#include "src/runtime/scheduler/backtrace.h"
#include "src/runtime/snapshot/leave.h"
#include "src/schedule/channel.h"
#include "src/schedule/input_pool.h"
#include "src/strategy/run_roles.h"

using namespace jostle;
using namespace jostle::rt;

namespace {

using Main = int (*)(int, char**, char**);
Main g_main = nullptr;

[[noreturn]] void give_up(const char* why) {
  fprintf(stderr, "jostle: %s\n", why);
  REAL(_exit)(70);
  __builtin_unreachable();
}

}  // namespace

channel::Channel* jostle::rt::open_channel(int descriptor, int hub) {
  void* p = REAL(mmap)(nullptr, sizeof(channel::Channel), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  if (p == MAP_FAILED) give_up("the channel to the jostle command is gone");
  note_shared_engine_memory(p, sizeof(channel::Channel));
  auto* c = static_cast<channel::Channel*>(p);
  if (c->magic != channel::kMagic || c->version != channel::kVersion ||
      c->size != sizeof(channel::Channel)) {
    give_up("the jostle command and libjostle.so are of different versions");
  }
  JOSTLE_CHECKED(report_checks_to(c->status.broken_check, sizeof c->status.broken_check));
  REAL(close)(descriptor);
  open_hub(hub >= 0 ? hub : c->config.hub_descriptor);
  return c;
}

namespace {

// The environment is edited in place: libc has not looked at it yet, and will take this very array.
char** find_variable(char** environment, const char* name) {
  const size_t n = strlen(name);
  for (char** entry = environment; *entry; ++entry) {
    if (strncmp(*entry, name, n) == 0 && (*entry)[n] == '=') return entry;
  }
  return nullptr;
}

const char* value_of(char** environment, const char* name) {
  char** entry = find_variable(environment, name);
  return entry ? *entry + strlen(name) + 1 : nullptr;
}

void remove_variable(char** environment, const char* name) {
  char** entry = find_variable(environment, name);
  if (!entry) return;
  do {
    entry[0] = entry[1];
  } while (*entry++);
}

int take_descriptor(char** environment, const char* name) {
  const char* number = value_of(environment, name);
  if (!number) return -1;
  const int descriptor = atoi(number);
  remove_variable(environment, name);
  return descriptor;
}

// The program and its children see the environment they would have without us.
void restore_variable(char** environment, const char* name, const char* saved) {
  const char* before = value_of(environment, saved);
  if (!before) return remove_variable(environment, name);
  if (char** entry = find_variable(environment, name)) {
    const size_t room = strlen(name) + strlen(before) + 2;
    *entry = static_cast<char*>(engine_allocate(room));
    snprintf(*entry, room, "%s=%s", name, before);
  }
  remove_variable(environment, saved);
}

// Threads that are left may go on until the very end, behind all that handlers and destructors have
// done.
void let_others_go_first() {
  const Operation end = {.kind = OpKind::process_exit,
                         .pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0))};
  if (g_scheduler.live_threads() > 1) return g_scheduler.reach(end);
  // In other runs somebody is left here: so that it is the same step in all of them.
  if (!g_actions.active()) return;
  Thread& self = g_scheduler.self();
  self.pending = end;
  g_actions.step(self);
}

// Registered first, runs last.
void after_all_exit_handlers() {
  if (!controlled()) return;
  let_others_go_first();
  check_leaks();
  if (g_results_wanted) judge_result();
  g_scheduler.close_log();
  // What shared libraries do after this (libuv ends its threads) is no part of a campaign's runs.
  if (g_scheduler.channel().config.mode != channel::Mode::fuzz) return;
  const int status = g_scheduler.record().end.code;
  g_current = nullptr;
  fflush(nullptr);  // what exit() would do next
  end_process_or_run(status);
}

void after_all_quick_exit_handlers() {
  if (!controlled()) return;
  let_others_go_first();
  g_scheduler.close_log();
  if (in_process_run()) leave_run(Leaving::ended);
}

}  // namespace

void jostle::rt::take_control_with(channel::Channel* c) {
  // libstdc++ leaves atomics out as long as libc knows of one thread only. Donors made ahead count
  // as threads, so a campaign would do other accesses than the replay of its findings: let every
  // run see many threads from the start.
  __libc_single_threaded = 0;
  init_switch();
  init_donors();
  init_sharing();
  if (!g_sharing) give_up("no memory for the sharing table");
  refresh_modules(*c);
  init_backtrace();
  fix_kernel_random();
  g_scheduler.init(c);
  note_stack(g_scheduler.self());
  install_fatal_signal_handlers();
  take_over_processor_sites();
  c->status.target_pid.store(kernel_process_id());
  c->status.attached.store(1);
  g_scheduler.begin_run({}, 0);
  atexit(after_all_exit_handlers);
  at_quick_exit(after_all_quick_exit_handlers);
  g_current = &g_scheduler.self();
}

void jostle::rt::run_main(void (*entry)(void*), void* argument) {
  Thread& t = *g_current;
  t.base_frame = reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa());
  if (_setjmp(t.exit_point) == 0) entry(argument);
  end_of_thread(*g_current);  // it called pthread_exit
}

namespace {

__attribute__((constructor)) void find_channel(int, char**, char** environment) {
  init_strings();
  be_first_in_children();
  environ = environment;
  if (value_of(environment, "JOSTLE_SMALL_RESERVE")) g_reserve_divisor = 32;
  const char* number = value_of(environment, channel::kDescriptorVariable);
  const char* check = value_of(environment, channel::kCheckVariable);
  choose_heap(number && !check ? Heap::ours : Heap::libcs);
  if (!number) return;
  channel::Channel* c = open_channel(atoi(number));
  remove_variable(environment, channel::kDescriptorVariable);
  g_inputs_descriptor = take_descriptor(environment, kInputsVariable);
  g_cover_descriptor = take_descriptor(environment, kCoverVariable);
  restore_variable(environment, "LD_PRELOAD", channel::kSavedPreloadVariable);
  restore_variable(environment, "LD_LIBRARY_PATH", channel::kSavedLibraryPathVariable);
  restore_variable(environment, "LD_BIND_NOW", channel::kSavedBindNowVariable);
  if (!check) return take_control_with(c);
  await_check(check, c);
  remove_variable(environment, channel::kCheckVariable);
}

struct MainCall {
  int argc;
  char** argv;
  char** environment;
};

// libgomp looks at it in its constructor, which comes behind ours and before the program's.
void forget_spin_count(char** environment) {
  if (!value_of(environment, channel::kNoSpinCountVariable)) return;
  remove_variable(environment, channel::kNoSpinCountVariable);
  remove_variable(environment, channel::kSpinCountVariable);
}

int controlled_main(int argc, char** argv, char** environment) {
  if (!program_says_when_ready()) run_program();
  MainCall call{argc, argv, environment};
  run_main(
      [](void* argument) {
        const auto& main = *static_cast<MainCall*>(argument);
        exit(g_main(main.argc, main.argv, main.environment));
      },
      &call);
}

}  // namespace

namespace jostle::rt {

int g_inputs_descriptor = -1;
int g_cover_descriptor = -1;

void note_stack(Thread& thread) {
  pthread_attr_t attributes;
  if (REAL(pthread_getattr_np)(pthread_self(), &attributes) != 0) return;
  void* lowest;
  size_t size;
  pthread_attr_getstack(&attributes, &lowest, &size);
  thread.stack_begin = reinterpret_cast<uintptr_t>(lowest);
  thread.stack_end = thread.stack_begin + size;
  pthread_attr_destroy(&attributes);
}

}  // namespace jostle::rt

extern "C" int __libc_start_main(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);

JOSTLE_HOOK int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(),
                                  void (*rtld_fini)(), void* stack_end) {
  auto next = REAL(__libc_start_main);
  // A library's constructor may have made a longer one by setenv.
  char** const inherited = argv + argc + 1;
  forget_spin_count(inherited);
  if (environ && environ != inherited) forget_spin_count(environ);
  if (!controlled()) {
    return next(main, argc, argv, init, fini, rtld_fini, stack_end);
  }
  g_main = main;
  return next(controlled_main, argc, argv, init, fini, rtld_fini, stack_end);
}
