// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/history/atomic_calls.h"

#include <string.h>

#include "src/base/engine_memory.h"
#include "src/base/kept.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/points.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {
namespace {

constexpr ThreadId kMostThreads = 64;

// Of a thread's outermost call: it lasts as long as so many frames are on the stack, and no other
// function is entered from as few.
struct Call {
  uint32_t frames;
  uint32_t number;
};
JOSTLE_KEPT Call g_calls[kMostThreads];
JOSTLE_KEPT uint32_t g_last_number = 0;
JOSTLE_KEPT channel::StopRange* g_functions = nullptr;
JOSTLE_KEPT uint32_t g_function_count = 0;

bool is_atomic(uintptr_t pc) {
  // A return address: the call of the hook may be the last instruction.
  const channel::CodeLocation location = code_location(pc - 1);
  for (uint32_t i = 0; i < g_function_count; ++i) {
    if (location >= g_functions[i].begin && location < g_functions[i].end) return true;
  }
  return false;
}

void function_entered(Thread& thread, uintptr_t pc) {
  if (thread.id >= kMostThreads) return;
  Call& call = g_calls[thread.id];
  if (call.frames != 0 && thread.calls.frames() > call.frames) return;
  call.frames = 0;
  if (is_atomic(pc)) call = {thread.calls.frames(), ++g_last_number};
}

}  // namespace

void watch_atomic_calls(const channel::Channel& channel) {
  g_function_count = channel.config.atomic_count;
  const size_t size = g_function_count * sizeof(channel::StopRange);
  g_functions = static_cast<channel::StopRange*>(engine_allocate(size));
  memcpy(g_functions, channel.atomic_functions, size);
  g_watch_entry = function_entered;
}

void begin_atomic_calls() {
  g_last_number = 0;
  for (Call& call : g_calls) call = {};
}

uint32_t atomic_call_of(ThreadId id) {
  if (id >= kMostThreads) return 0;
  const Call& call = g_calls[id];
  const bool lasts = call.frames != 0 && g_scheduler.thread_at(id)->calls.frames() >= call.frames;
  return lasts ? call.number : 0;
}

}  // namespace jostle::rt
