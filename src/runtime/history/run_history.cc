// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/history/run_history.h"

#include <string.h>

#include "src/runtime/history/order_session.h"
#include "src/runtime/history/reference_question.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/weak_atomics.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/oracle/history_end.h"

namespace jostle::rt {

namespace {

// Of the run.
jostle_consistency g_order = JOSTLE_LINEARIZABLE_ORDER;
uint32_t g_slack = 0;
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

// Asks the process that knows, and waits.
Judgement ask(const History& now, ReferenceExchange::Question question) {
  await_reference();
  ReferenceExchange& reference = *g_reference;
  reference.history = now;
  reference.is_exact = g_actions.active();
  const channel::Draws& draws = g_scheduler.record().draws;
  reference.draws.count = now.draws;
  reference.draws.overflow = 0;
  memcpy(reference.draws.list, draws.list, now.draws * sizeof(channel::Draw));
  return ask_reference(question);
}

// Whether some order explains it.
Judgement judge(bool explain) {
  History& now = history();
  if (g_order == JOSTLE_ANY_ORDER) return Judgement::right;
  if (!g_reference) return not_judged();
  now.number_addresses();
  const uint64_t key = now.key();
  if (g_reference->known.contains(key)) return Judgement::right;
  const Judgement judgement =
      ask(now, explain ? ReferenceExchange::and_why : ReferenceExchange::is_right);
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
  now.slack = g_slack;
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
  one.events = static_cast<uint32_t>(g_current->events);
  const Standstill& test = now.standstill;
  if (test.promise != Promise::none && test.operation == number) g_scheduler.plan_standstill();
}

namespace {

// It need not stand still any longer: one of those that should return has.
void look_at_standstill(const History& now, uint32_t number) {
  const Standstill& test = now.standstill;
  const bool is_tested = test.operation == number;
  const bool is_partner = test.promise == Promise::lock_free && test.partner != 0 &&
                          now.operations[number].slot == test.partner && now.stands_still();
  if (is_tested || is_partner) g_scheduler.end_standstill();
}

}  // namespace

void end_operation(uint32_t number, uint64_t result, bool is_address, uintptr_t pc) {
  if (g_order_session) return g_order_session->returned(number, result, is_address);
  if (number >= history().count) return;
  g_scheduler.pass(boundary(OpKind::operation_end, number, pc));
  HistoryOperation& one = history().operations[number];
  if (one.call_at == 0 || one.return_at != 0) {
    misuse(nullptr, "operation %u of a history ends, but is not there", number);
  }
  one.result = result;
  one.is_address = is_address;
  one.return_at = ++history().position;
  one.events = static_cast<uint32_t>(g_current->events) - one.events;
  if (history().standstill.promise != Promise::none) look_at_standstill(history(), number);
}

void plan_standstill(const Standstill& test) {
  History& now = history();
  if (is_reference() || now.count == 0) return;
  if (test.operation >= now.count || now.operations[test.operation].call_at != 0) {
    misuse(nullptr, "a test of the progress of operation %u, which is not to come", test.operation);
  }
  now.standstill = test;
  now.standstill.state = Standstill::planned;
}

bool is_quiescent() { return open_operations(history()) == 0; }

bool stands_still() { return history().stands_still(); }

namespace {

// One that takes long undisturbed looks like one that never returns.
bool may_be_long(const History& now) {
  constexpr uint64_t kTimesLonger = 100;
  if (!g_reference || ask(now, ReferenceExchange::how_long_is) == Judgement::unknown) return true;
  return g_reference->longest * kTimesLonger >= now.standstill.most_events();
}

}  // namespace

ProgressEnd end_of_progress(bool is_at_limit) {
  const History& now = history();
  if (!now.stands_still() || is_reference()) return ProgressEnd::not_asked;
  const bool is_bounded = now.standstill.promise == Promise::wait_free;
  return is_at_limit && !is_bounded && may_be_long(now) ? ProgressEnd::not_known
                                                        : ProgressEnd::wrong;
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

JOSTLE_KEPT OrderSession* g_order_session = nullptr;

void become_reference() { g_is_reference = true; }
bool is_reference() { return g_is_reference; }

void say_histories(bool has) { g_has_histories = has; }

bool has_histories() {
  return g_has_histories >= 0 ? g_has_histories != 0 : &jostle_has_histories != nullptr;
}

void set_history_order(jostle_consistency order) { g_order = order; }
void set_history_slack(uint32_t places) { g_slack = places; }

}  // namespace jostle::rt
