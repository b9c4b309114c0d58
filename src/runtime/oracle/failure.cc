// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/oracle/failure.h"

#include <cxxabi.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string_view>
#include <typeinfo>

#include "include/jostle/jostle.h"
#include "src/runtime/heap/heap.h"
#include "src/runtime/heap/heap_check.h"
#include "src/runtime/heap/heap_failure.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/oracle/deadlock.h"
#include "src/runtime/oracle/embedded_end.h"
#include "src/runtime/oracle/end_without_ready.h"
#include "src/runtime/oracle/fatal_signals.h"
#include "src/runtime/oracle/history_end.h"
#include "src/runtime/oracle/result_end.h"
#include "src/runtime/scheduler/backtrace.h"
#include "src/runtime/scheduler/end_of_run.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/snapshot/leave.h"
#include "src/schedule/starvation.h"

// A place for debuggers to stop when a run fails in a way that raises no signal.
extern "C" __attribute__((visibility("default"), noinline)) void jostle_failure_hook(
    const char* message) {
  asm volatile("" : : "r"(message) : "memory");
}

namespace jostle::rt {
namespace {

using channel::Failure;
using channel::Outcome;

constexpr int kExitFailure = 77;

void copy_text(char* to, size_t room, const char* from) {
  snprintf(to, room, "%s", from ? from : "");
}

// Runs of a campaign fail too often for the unwinder: the calls that the hooks have counted tell
// failures apart as well.
void copy_calls(const Thread& thread, uintptr_t pc, channel::Stack& stack) {
  constexpr uint32_t kMostCalls = 16;
  if (pc) stack.pc[stack.depth++] = pc;
  for (uint32_t i = 0; i < thread.calls.depth() && stack.depth < kMostCalls; ++i) {
    const uintptr_t caller = thread.calls.caller(i);
    if (is_instrumented_code(caller)) stack.pc[stack.depth++] = caller;
  }
}

// Everything but the outcome, which is stored last: a record with an outcome is complete.
Failure& begin_record(uintptr_t pc) {
  Failure& end = g_scheduler.record().end;
  end = {};
  if (g_current) {
    end.thread = g_current->index;
    end.steps = g_scheduler.steps();
    if (g_scheduler.recording()) {
      g_scheduler.note_value();
      describe_threads(g_scheduler);
      capture_own_stack(end.stack, pc);
    } else {
      copy_calls(*g_current, pc, end.stack);
    }
  }
  return end;
}

void finish_record(Outcome outcome) {
  note_end_without_ready();
  g_scheduler.close_log();
  std::atomic_thread_fence(std::memory_order_release);
  g_scheduler.record().end.outcome = outcome;
  jostle_failure_hook(g_scheduler.record().end.message);
}

// The access that fails is not made: what it would have written is not there.
void forget_unwritten_value() {
  if (!g_current || !g_current->unread_value) return;
  if (may_change(g_current->unread_value->kind)) g_current->unread_value = nullptr;
}

// The same where there is no memory to read from, either: what lies there is the heap's.
void forget_value_at(uintptr_t address) {
  if (!g_current || !g_current->unread_value) return;
  const channel::TraceEvent& event = *g_current->unread_value;
  if (address - event.object < event.size) g_current->unread_value = nullptr;
}

bool already_recorded() {
  const Outcome outcome = g_scheduler.record().end.outcome;
  return outcome != Outcome::running && outcome != Outcome::exited;
}

// The name of the exception in flight, and what() if it is a std::exception. Asking for what()
// calls the program's code: nothing may be scheduled meanwhile.
bool describe_exception(char* to, size_t room) {
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (!type) return false;
  Thread* current = g_current;
  g_current = nullptr;
  int status = 0;
  char* demangled = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
  const char* name = demangled ? demangled : type->name();
  try {
    throw;
  } catch (const std::exception& e) {
    snprintf(to, room, "%s: %s", name, e.what());
  } catch (...) {
    copy_text(to, room, name);
  }
  if (demangled) free(demangled);
  g_current = current;
  return true;
}

// The block that the failure is about, beside those of the threads.
void describe_heap_failure() {
  if (!g_scheduler.recording()) return;
  channel::RunRecord& run = g_scheduler.record();
  channel::ObjectRecord object{};
  object.address = run.end.address;
  if (!describe_heap_address(object.address, object)) return;
  for (uint32_t i = 0; i < run.object_count; ++i) {
    if (run.objects[i].address != object.address) continue;
    run.objects[i] = object;
    return;
  }
  if (run.object_count < channel::kMaxObjectRecords) run.objects[run.object_count++] = object;
}

[[noreturn]] void leave() {
  // What the program has printed so far helps the reader of the report.
  if (g_scheduler.channel().config.mode != channel::Mode::fuzz) {
    g_current = nullptr;
    fflush(nullptr);
    if (g_results_wanted) pass_on_output();
  }
  if (g_embedded) fail_embedded_run(SIGABRT);
  end_process_or_run(kExitFailure);
}

}  // namespace

void end_failed_run() { leave(); }

namespace {

// Some operations wait for ever, and are right to.
[[noreturn]] void end_waiting_well() {
  record_exit(0);
  g_scheduler.close_log();
  g_current = nullptr;
  end_process_or_run(0);
}

// They are not: what each thread waits for is part of what is said.
[[noreturn]] void fail_waiting_history(Outcome how) {
  Failure& end = begin_record(g_current ? g_current->pending.pc : 0);
  copy_text(end.message, sizeof end.message,
            how == Outcome::deadlock
                ? "operations wait for ever, and in no possible order with these results they do"
                : "operations spin for ever, and in no possible order with these results they do");
  describe_deadlock(g_scheduler);
  finish_record(Outcome::history);
  leave();
}

}  // namespace

namespace {

std::string_view broken_promise(Outcome how, const Standstill& test) {
  const bool has_partner = test.partner != 0;
  if (how == Outcome::deadlock && !has_partner) {
    return "an operation waits for others, which have been stopped";
  }
  if (how == Outcome::deadlock) return "operations wait for others, which have been stopped";
  if (how == Outcome::livelock && !has_partner) {
    return "an operation spins for ever while others are stopped";
  }
  if (how == Outcome::livelock) return "operations spin for ever while others are stopped";
  if (test.promise == Promise::wait_free) {
    return has_partner ? "an operation takes more steps than its bound while another thread goes on"
                       : "an operation takes more steps than its bound while others are stopped";
  }
  return has_partner ? "two operations take turns, and neither returns"
                     : "an operation does not return while others are stopped";
}

// An operation gets nowhere because others have been stopped: what each was at is part of what is
// said.
[[noreturn]] void fail_progress(Outcome how) {
  const Standstill& test = g_scheduler.record().history.standstill;
  Failure& end = begin_record(g_current ? g_current->pending.pc : 0);
  end.code = static_cast<int32_t>(test.promise);
  copy_text(end.message, sizeof end.message, broken_promise(how, test).data());
  describe_deadlock(g_scheduler);
  finish_record(Outcome::history);
  leave();
}

}  // namespace

void fail_history(const char* file, unsigned line, uintptr_t pc) {
  Failure& end = begin_record(pc);
  copy_text(end.message, sizeof end.message,
            "no possible order of these operations gives these results");
  copy_text(end.file, sizeof end.file, file);
  end.line = line;
  finish_record(Outcome::history);
  leave();
}

void fail_result() {
  const int32_t status = g_scheduler.record().end.code;
  Failure& end = begin_record(0);
  end.code = status;
  end.stack.depth = 0;  // it belongs to no place
  char functions[channel::kMaxAtomicText];
  copy_text(functions, sizeof functions, g_scheduler.channel().config.atomic);
  for (char* c = functions; *c; ++c) {
    if (*c == '\n') *c = ' ';
  }
  snprintf(end.message, sizeof end.message,
           "no schedule that changes threads only outside of %.200s ends like this", functions);
  finish_record(Outcome::not_atomic);
  leave();
}

void end_run(Outcome outcome, const char* message) {
  if (outcome == Outcome::deadlock || outcome == Outcome::livelock || outcome == Outcome::history) {
    const ProgressEnd progress = end_of_progress(outcome == Outcome::history);
    if (progress == ProgressEnd::wrong) fail_progress(outcome);
    if (progress == ProgressEnd::not_known) outcome = Outcome::cut_off;
  }
  if (outcome == Outcome::deadlock || outcome == Outcome::livelock) {
    const WaitingEnd waiting = end_of_waiting();
    if (waiting == WaitingEnd::wrong) fail_waiting_history(outcome);
    if (waiting == WaitingEnd::right) end_waiting_well();
  }
  Failure& end = begin_record(g_current ? g_current->pending.pc : 0);
  copy_text(end.message, sizeof end.message, message);
  if (outcome == Outcome::deadlock) describe_deadlock(g_scheduler);
  finish_record(outcome);
  leave();
}

void end_endless_run(uintptr_t pc) {
  Failure& end = begin_record(pc);
  // Others are return addresses: what is meant is the instruction before them.
  if (end.stack.depth != 0 && end.stack.pc[0] == pc) ++end.stack.pc[0];
  copy_text(end.message, sizeof end.message, kEndlessLoop);
  finish_record(Outcome::timed_out);
  leave();
}

void fail_starved(const Thread& waiter) {
  Failure& end = begin_record(waiter.pending.pc);
  end.thread = waiter.index;
  end.address = waiter.pending.object;
  end.code =
      channel::starvation_limit(g_scheduler.channel().config);  // tells it from other livelocks
  if (waiter.stopped_at && waiter.stopped_at->depth != 0) {
    end.stack = *waiter.stopped_at;
  } else {
    end.stack.depth = 1;
    end.stack.pc[0] = waiter.pending.pc;
  }
  copy_text(end.message, sizeof end.message, "a thread waits while others get what it waits for");
  finish_record(Outcome::livelock);
  leave();
}

void misuse(const volatile void* object, const char* format, ...) {
  Failure& end = begin_record(g_current ? g_current->pending.pc : 0);
  end.address = reinterpret_cast<uintptr_t>(object);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(end.message, sizeof end.message, format, arguments);
  va_end(arguments);
  finish_record(Outcome::misuse);
  leave();
}

void fail_race(const channel::RaceRecord& race) {
  forget_unwritten_value();
  Failure& end = begin_record(race.later.pc);
  end.address = race.address;
  end.race[0] = race.places[0];
  end.race[1] = race.places[1];
  copy_text(end.message, sizeof end.message, "data race");
  finish_record(Outcome::race);
  leave();
}

void unsupported(const char* format, ...) {
  Failure& end = begin_record(g_current ? g_current->pending.pc : 0);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(end.message, sizeof end.message, format, arguments);
  va_end(arguments);
  finish_record(Outcome::unsupported);
  leave();
}

void note_uncontrolled(channel::Uncontrolled what) {
  g_scheduler.channel().status.uncontrolled.fetch_or(what, std::memory_order_relaxed);
}

void fail_heap(const char* what, const void* block, uintptr_t pc) {
  if (!g_current) {  // outside a run: say it as glibc would
    fprintf(stderr, "%s (%p)\n", what, block);
    REAL(abort)();
  }
  Failure& end = begin_record(pc);
  end.address = reinterpret_cast<uintptr_t>(block);
  copy_text(end.message, sizeof end.message, what);
  if (g_heap_checked) {
    describe_heap_failure();
    finish_record(Outcome::heap_error);
    leave();
  }
  end.code = SIGABRT;
  finish_record(Outcome::aborted);
  die_of_signal(SIGABRT);
}

void fail_heap_access(const char* what, OpKind kind, uintptr_t address, uintptr_t size,
                      uintptr_t pc) {
  forget_value_at(address);
  Failure& end = begin_record(pc);
  end.address = address;
  if (!is_memory(kind)) {
    const std::string_view operation = name(kind);
    snprintf(end.message, sizeof end.message, "%s: %.*s", what, static_cast<int>(operation.size()),
             operation.data());
  } else {
    const char* atomic = kind >= OpKind::atomic_load ? "atomic " : "";
    const char* how = observes(kind) && !may_change(kind) ? "read" : "write";
    snprintf(end.message, sizeof end.message, "%s: %s%s of %zu byte%s", what, atomic, how,
             static_cast<size_t>(size), size == 1 ? "" : "s");
  }
  describe_heap_failure();
  finish_record(Outcome::heap_error);
  leave();
}

void fail_leak() {
  channel::RunRecord& run = g_scheduler.record();
  Failure& end = begin_record(0);
  end.thread = run.leaks[0].thread;
  end.stack = run.leaks[0].allocated_at;
  copy_text(end.message, sizeof end.message, "memory leak");
  finish_record(Outcome::heap_error);
  leave();
}

void record_abort(const char* expression, const char* file, unsigned line, const char* function,
                  uintptr_t pc) {
  if (already_recorded()) return;
  Failure& end = begin_record(pc);
  end.code = SIGABRT;
  if (expression) {
    copy_text(end.message, sizeof end.message, expression);
    copy_text(end.file, sizeof end.file, file);
    copy_text(end.function, sizeof end.function, function);
    end.line = line;
    finish_record(Outcome::assertion);
  } else if (describe_exception(end.message, sizeof end.message)) {
    finish_record(Outcome::exception);
  } else {
    finish_record(Outcome::aborted);
  }
}

void record_signal(int signal, uintptr_t address, uintptr_t pc) {
  if (already_recorded()) return;
  Failure& end = begin_record(pc);
  end.code = signal;
  end.address = address;
  finish_record(Outcome::signalled);
}

void record_exit(int status) {
  note_end_without_ready();
  if (already_recorded()) return;
  if (g_scheduler.recording()) {
    g_scheduler.note_value();
    describe_threads(g_scheduler);
  }
  Failure& end = g_scheduler.record().end;
  end.code = status & 0xFF;
  end.thread = g_current->index;
  end.outcome = Outcome::exited;
}

}  // namespace jostle::rt
