// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/snapshot/leave.h"

#include <unistd.h>

#include "src/base/engine_memory.h"
#include "src/base/kept.h"
#include "src/runtime/fiber/context.h"
#include "src/runtime/libc/real.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {
namespace {

constexpr size_t kEngineStack = 512 * 1024;

JOSTLE_KEPT Context g_engine;
JOSTLE_KEPT Context g_program;
JOSTLE_KEPT bool g_inside = false;
JOSTLE_KEPT Leaving g_how = Leaving::ended;
JOSTLE_KEPT const char* g_why = nullptr;

void engine_entry(void* function) {
  reinterpret_cast<void (*)()>(function)();
  __builtin_unreachable();
}

}  // namespace

bool in_process_run() { return g_inside; }

void leave_run(Leaving how) {
  g_how = how;
  g_inside = false;
  g_current = nullptr;
  void* abandoned;
  jostle_switch(&abandoned, g_engine.sp, g_engine.tp);
  __builtin_unreachable();
}

void end_process_or_run(int exit_status) {
  if (g_inside) leave_run(Leaving::ended);
  REAL(_exit)(exit_status);
  __builtin_unreachable();
}

void needs_own_process(const char* why) {
  if (!g_inside) return;
  g_why = why;
  leave_run(Leaving::needs_process);
}

const char* why_process_needed() { return g_why; }

void start_engine(void (*engine)()) {
  g_engine.tp = g_program.tp = thread_pointer();
  char* stack = static_cast<char*>(engine_allocate(kEngineStack));
  void* start = prepare_stack(stack + kEngineStack, engine_entry, reinterpret_cast<void*>(engine));
  jostle_switch(&g_program.sp, start, g_engine.tp);
}

Leaving enter_run() {
  g_inside = true;
  g_current = &g_scheduler.self();
  jostle_switch(&g_engine.sp, g_program.sp, g_program.tp);
  return g_how;
}

void become_run() {
  g_current = &g_scheduler.self();
  jostle_switch(&g_engine.sp, g_program.sp, g_program.tp);
  __builtin_unreachable();
}

uintptr_t main_stack_pointer() { return reinterpret_cast<uintptr_t>(g_program.sp); }

}  // namespace jostle::rt
