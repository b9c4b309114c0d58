// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/history/run_history.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "src/runtime/hook/hook.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/weak_atomics.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/oracle/history_end.h"

namespace jostle::rt {

JOSTLE_KEPT ReferenceExchange* g_reference = nullptr;

namespace {

// Of the run.
jostle_consistency g_order = JOSTLE_LINEARIZABLE_ORDER;
uint64_t g_settled = 0;  // operations that had returned when last nobody was in one

History& history() { return g_scheduler.record().history; }

Operation boundary(OpKind kind, uint32_t number, uintptr_t pc) {
  Operation op;
  op.kind = kind;
  op.size = number;
  op.pc = pc;
  return op;
}

uint64_t open_operations(const History& now) {
  uint64_t open = 0;
  for (uint32_t i = 0; i < now.count; ++i) {
    const HistoryOperation& one = now.operations[i];
    open |= uint64_t{one.call_at != 0 && one.return_at == 0} << i;
  }
  return open;
}

// What comes before an operation that is called now.
uint64_t before(const History& now, uint32_t number) {
  // With weak memory a thread need not have seen what returned elsewhere, unless something orders
  // the two: what counts is the order within threads.
  if (g_order == JOSTLE_LINEARIZABLE_ORDER && !g_weak.active()) return now.returned();
  if (g_order == JOSTLE_QUIESCENT_ORDER && !g_weak.active()) return g_settled;
  // Main is before or after all others.
  uint64_t bits = 0;
  const uint32_t slot = now.operations[number].slot;
  for (uint32_t i = 0; i < now.count; ++i) {
    const HistoryOperation& one = now.operations[i];
    if (one.return_at != 0 && (one.slot == slot || one.slot == 0 || slot == 0)) {
      bits |= uint64_t{1} << i;
    }
  }
  return bits;
}

void futex(std::atomic<uint32_t>* word, int what, uint32_t value, const timespec* time) {
  REAL(syscall)(SYS_futex, word, what, value, time, nullptr, 0);
}

// False: who should answer is gone.
bool await_answer() {
  ReferenceExchange& reference = *g_reference;
  constexpr int kSpins = 2000;
  for (int i = 0; i < kSpins && reference.state.load() != ReferenceExchange::answered; ++i) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    asm volatile("yield");
#endif
  }
  while (reference.state.load() != ReferenceExchange::answered) {
    const timespec second = {1, 0};
    futex(&reference.state, FUTEX_WAIT, ReferenceExchange::asked, &second);
    if (REAL(kill)(reference.pid, 0) != 0 && errno == ESRCH) return false;
  }
  reference.state.store(ReferenceExchange::idle);
  return true;
}

// Asks the process that knows, and waits.
Judgement ask(const History& now, bool explain) {
  ReferenceExchange& reference = *g_reference;
  if (reference.state.load() != ReferenceExchange::idle) await_answer();  // to one who is gone
  reference.history = now;
  reference.explain = explain;
  const channel::Draws& draws = g_scheduler.record().draws;
  reference.draws.count = now.draws;
  reference.draws.overflow = 0;
  memcpy(reference.draws.list, draws.list, now.draws * sizeof(channel::Draw));
  reference.state.store(ReferenceExchange::asked);
  futex(&reference.state, FUTEX_WAKE, 1, nullptr);
  if (!await_answer()) return Judgement::unknown;
  return reference.judgement;
}

// Nobody can say: no failure, and no proof either.
Judgement not_judged() {
  g_scheduler.channel().status.not_judged.fetch_add(1, std::memory_order_relaxed);
  if (g_actions.active()) g_actions.gap(TrailGap::not_judged);
  return Judgement::unknown;
}

// Whether some order explains it.
Judgement judge(bool explain) {
  History& now = history();
  if (!g_reference) return not_judged();
  now.number_addresses();
  const uint64_t key = now.key();
  if (g_reference->known.contains(key)) return Judgement::right;
  const Judgement judgement = ask(now, explain);
  channel::Status& status = g_scheduler.channel().status;
  status.scenarios.store(g_reference->scenarios.load(), std::memory_order_relaxed);
  if (judgement == Judgement::unknown) return not_judged();
  if (judgement == Judgement::right) g_reference->known.insert(key);
  if (judgement == Judgement::wrong) g_scheduler.record().history_verdict = g_reference->verdict;
  return judgement;
}

}  // namespace

void begin_history(uint32_t count, const unsigned char* slots, uintptr_t pc) {
  if (count == 0 || count > kMostOperations) {
    misuse(nullptr, "a history of %u operations: there may be 1 to %u", count, kMostOperations);
  }
  g_scheduler.reach(boundary(OpKind::operation_begin, UINT32_MAX, pc));
  History& now = history();
  if (now.count != 0) misuse(nullptr, "two histories in one run");
  const channel::Draws& draws = g_scheduler.record().draws;
  now.clear();
  now.caller = g_current->id;
  now.draws = draws.count;
  uint64_t scenario = 1;
  for (uint32_t i = 0; i < draws.count; ++i) scenario = combine(scenario, draws.list[i].value);
  now.scenario = combine(scenario, draws.count);
  for (uint32_t i = 0; i < count; ++i) {
    now.operations[i] = {};
    now.operations[i].slot = slots[i];
    if (g_scheduler.recording()) g_scheduler.record().operation_texts[i] = {};
  }
  g_settled = 0;
  now.count = count;
}

void begin_operation(uint32_t number, uintptr_t pc) {
  if (number >= history().count) return;
  g_scheduler.reach(boundary(OpKind::operation_begin, number, pc));
  History& now = history();
  HistoryOperation& one = now.operations[number];
  if (one.call_at != 0) misuse(nullptr, "operation %u of a history begins twice", number);
  if (open_operations(now) == 0) g_settled = now.returned();
  one.before = before(now, number);
  one.call_at = ++now.position;
  one.thread = g_current->index;
  one.thread_id = g_current->id;
}

void end_operation(uint32_t number, uint64_t result, bool is_address, uintptr_t pc) {
  if (number >= history().count) return;
  g_scheduler.pass(boundary(OpKind::operation_end, number, pc));
  HistoryOperation& one = history().operations[number];
  if (one.call_at == 0 || one.return_at != 0) {
    misuse(nullptr, "operation %u of a history ends, but is not there", number);
  }
  one.result = result;
  one.is_address = is_address;
  one.return_at = ++history().position;
}

void end_history(const char* file, unsigned line, uintptr_t pc) {
  History& now = history();
  if (now.count == 0 || now.is_over) return;
  now.is_over = 1;
  if (is_reference()) return;
  if (judge(g_scheduler.recording()) == Judgement::wrong) fail_history(file, line, pc);
}

WaitingEnd end_of_waiting() {
  History& now = history();
  if (now.count == 0 || now.is_over || is_reference()) return WaitingEnd::not_asked;
  if (open_operations(now) == 0) return WaitingEnd::not_asked;
  now.is_over = 1;
  // One of which it is not known is no failure: a correct program is never called wrong.
  return judge(g_scheduler.recording()) == Judgement::wrong ? WaitingEnd::wrong : WaitingEnd::right;
}

extern "C" __attribute__((weak)) const char jostle_has_histories;

namespace {
JOSTLE_KEPT int g_has_histories = -1;
JOSTLE_KEPT bool g_is_reference = false;
}  // namespace

void become_reference() { g_is_reference = true; }
bool is_reference() { return g_is_reference; }

void say_histories(bool has) { g_has_histories = has; }

bool has_histories() {
  return g_has_histories >= 0 ? g_has_histories != 0 : &jostle_has_histories != nullptr;
}

void set_history_order(jostle_consistency order) { g_order = order; }

}  // namespace jostle::rt
