#include "src/report/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "src/report/callbacks.h"
#include "src/report/record_view.h"
#include "src/report/text.h"

namespace jostle::report {
namespace {

using channel::TraceEvent;

constexpr uint32_t kNoStep = UINT32_MAX;

// A step by what is the same in another run.
struct StepName {
  uint64_t path = 0;
  uint32_t of_thread = 0;
  bool operator==(const StepName&) const = default;
};

std::optional<StepName> name_of_source(const RunTrace& trace, const Step& step) {
  if (step.source == kInitially) return std::nullopt;
  const Step& source = trace.steps()[step.source];
  return StepName{trace.path(source.event->thread), source.of_thread};
}

// A read of the failing run and the same one of the passing run.
struct Difference {
  uint32_t failing, passing;  // steps
};

bool same_operation(const NamedRun& a, const Step& x, const NamedRun& b, const Step& y) {
  return x.event->kind == y.event->kind && x.event->size == y.event->size &&
         a.symbols.location_of(x.event->pc) == b.symbols.location_of(y.event->pc);
}

uint32_t thread_of_path(const RunTrace& trace, uint64_t path) {
  const auto table = threads(trace.record().schedule);
  for (uint32_t i = 0; i < table.size(); ++i) {
    if (table[i].path == path) return i;
  }
  return kNoThread;
}

// Every thread's first read that saw another write.
std::vector<Difference> differences(const NamedRun& failing, const NamedRun& passing, bool memory) {
  std::vector<Difference> found;
  const auto threads_there = static_cast<uint32_t>(threads(failing.trace.record().schedule).size());
  for (uint32_t thread = 0; thread < threads_there; ++thread) {
    const uint32_t other = thread_of_path(passing.trace, failing.trace.path(thread));
    if (other == kNoThread) continue;
    const auto mine = failing.trace.of_thread(thread), theirs = passing.trace.of_thread(other);
    for (size_t i = 0; i < std::min(mine.size(), theirs.size()); ++i) {
      const Step& x = failing.trace.steps()[mine[i]];
      const Step& y = passing.trace.steps()[theirs[i]];
      if (!same_operation(failing, x, passing, y)) break;
      if (!step_observes(x) || is_memory(x.event->kind) != memory) continue;
      if (name_of_source(failing.trace, x) == name_of_source(passing.trace, y)) continue;
      const bool same_value = memory && x.event->value_known && y.event->value_known &&
                              x.event->kind != OpKind::atomic_rmw &&
                              x.event->value == y.event->value;
      if (same_value) continue;
      found.push_back({mine[i], theirs[i]});
      break;
    }
  }
  std::ranges::sort(found, {}, &Difference::failing);
  return found;
}

// The step of `trace` that has this name, if it got that far.
uint32_t find_step(const RunTrace& trace, const StepName& name) {
  const uint32_t thread = thread_of_path(trace, name.path);
  const auto steps = trace.of_thread(thread);
  return name.of_thread < steps.size() ? steps[name.of_thread] : kNoStep;
}

class Sentence {
 public:
  explicit Sentence(const NamedRun& run) : run_(run) {}

  std::string who(uint32_t thread) { return run_.names.title(thread); }
  std::string who(const Step& step) { return who(step.event->thread); }
  std::string place(const Step& step) {
    return fmt::format("({})", source(run_.symbols.line_that_matters(step.event->pc)));
  }
  std::string object(const Step& step) { return run_.names.object(step.event->object); }
  static std::string value(const Step& step) {
    return step.event->value_known != 0 ? value_text(step.event->value, step.event->size) : "";
  }
  // "read x = 50", "locked m"
  std::string did(const Step& step) {
    const std::string what = object(step);
    const std::string is = value(step).empty() ? "" : " = " + value(step);
    switch (step.event->kind) {
      case OpKind::read:
      case OpKind::atomic_load:
        return fmt::format("read {}{}", what, is);
      case OpKind::write:
      case OpKind::atomic_store:
        return fmt::format("wrote {}{}", what, is);
      case OpKind::atomic_rmw:
        return fmt::format("updated {}{}", what, value(step).empty() ? "" : " to " + value(step));
      case OpKind::mutex_lock:
      case OpKind::mutex_trylock:
      case OpKind::spin_lock:
      case OpKind::rwlock_read:
      case OpKind::rwlock_write:
        return fmt::format("locked {}", what);
      case OpKind::mutex_unlock:
      case OpKind::spin_unlock:
      case OpKind::rwlock_unlock:
        return fmt::format("unlocked {}", what);
      case OpKind::sem_wait:
        return fmt::format("took from semaphore {}", what);
      case OpKind::sem_post:
        return fmt::format("posted semaphore {}", what);
      case OpKind::cond_signal:
      case OpKind::cond_broadcast:
        return fmt::format("signalled {}", what);
      case OpKind::cond_wait:
        return fmt::format("waited for {}", what);
      default:
        return fmt::format("did {} on {}", op_name(step.event->kind), what);
    }
  }

  // The same, of what has just been named.
  std::string did_to_it(const Step& step, const Step& named) {
    if (!is_memory(step.event->kind) || step.event->object != named.event->object) return did(step);
    const bool is_rmw = step.event->kind == OpKind::atomic_rmw;
    if (value(step).empty() || value(step) == value(named))
      return is_rmw ? "updated it" : "wrote it";
    return fmt::format("{} {}", is_rmw ? "updated it to" : "wrote", value(step));
  }

 private:
  const NamedRun& run_;
};

// The last step of `thread` before `before` that touches the same place as `step`.
uint32_t earlier_access(const RunTrace& trace, const Step& step, uint32_t thread, uint32_t before) {
  for (uint32_t i = before; i-- > 0;) {
    const Step& other = trace.steps()[i];
    if (other.event->thread == thread && other.event->object == step.event->object) return i;
  }
  return kNoStep;
}

std::string verb_of(const Step& step) {
  switch (step.event->kind) {
    case OpKind::read:
    case OpKind::atomic_load:
      return "read";
    case OpKind::write:
    case OpKind::atomic_store:
      return "write";
    case OpKind::atomic_rmw:
      return "update";
    default:
      return std::string(op_name(step.event->kind));
  }
}

void describe(const Difference& difference, const NamedRun& failing, const NamedRun& passing,
              Explanation& into) {
  const RunTrace& trace = failing.trace;
  const Step& read = trace.steps()[difference.failing];
  const Step& read_there = passing.trace.steps()[difference.passing];
  const auto wanted = name_of_source(passing.trace, read_there);
  const uint32_t wanted_here = wanted ? find_step(trace, *wanted) : kNoStep;
  Sentence say(failing);
  into.steps.push_back(difference.failing);
  if (wanted && (wanted_here == kNoStep || wanted_here > difference.failing)) {
    // Too early: the write comes later here, or would have come.
    const Step& write = passing.trace.steps()[read_there.source];
    Sentence there(passing);
    const uint32_t writer = thread_of_path(trace, wanted->path);
    if (wanted_here != kNoStep) into.steps.push_back(wanted_here);
    const uint32_t before = earlier_access(trace, read, writer, difference.failing);
    std::string text = fmt::format("{} {} {}", say.who(read), say.did(read), say.place(read));
    if (before != kNoStep && writer != read.event->thread && is_memory(write.event->kind)) {
      into.steps.push_back(before);
      const Step& first = trace.steps()[before];
      text += fmt::format(" between {}'s {} {} and {} {}", say.who(writer), verb_of(first),
                          say.place(first), verb_of(write), there.place(write));
    } else {
      text += fmt::format(" before {} {} {}", there.who(write), there.did_to_it(write, read),
                          there.place(write));
    }
    into.sentences.push_back(
        fmt::format("{}. When that {} comes first, it passes.", text, verb_of(write)));
    return;
  }
  if (read.source == kInitially) return;
  const Step& write = trace.steps()[read.source];
  into.steps.push_back(read.source);
  if (write.event->thread == read.event->thread) {
    // It would have seen another's write in between.
    std::string text = fmt::format("{} {} {}, its own {} {}", say.who(read), say.did(read),
                                   say.place(read), verb_of(write), say.place(write));
    if (wanted) {
      const Step& there = passing.trace.steps()[read_there.source];
      Sentence other(passing);
      text += fmt::format("; when {} {} {} in between, it passes", other.who(there),
                          other.did(there), other.place(there));
    }
    into.sentences.push_back(text + ".");
    return;
  }
  // Too late.
  const uint32_t before = earlier_access(trace, read, read.event->thread, read.source);
  if (before != kNoStep && is_memory(read.event->kind)) {
    const Step& first = trace.steps()[before];
    into.steps.push_back(before);
    into.sentences.push_back(
        fmt::format("{} {} {} between {}'s {} {} and {} {}. Without that in between it passes.",
                    say.who(write), say.did(write), say.place(write), say.who(read), verb_of(first),
                    say.place(first), verb_of(read), say.place(read)));
    return;
  }
  into.sentences.push_back(
      fmt::format("{} {} {} after {} {} {}. With the two the other way round it passes.",
                  say.who(read), say.did(read), say.place(read), say.who(write),
                  say.did_to_it(write, read), say.place(write)));
}

// ---- from the end alone -----------------------------------------------------------------------

std::string stack_place(const channel::Stack& stack, Symbolizer& symbols) {
  return fmt::format("({})", source(symbols.line_that_matters(stack)));
}

// The thread's last step on this object.
uint32_t last_step(const RunTrace& trace, uint32_t thread, uintptr_t object) {
  const auto steps = trace.of_thread(thread);
  for (size_t i = steps.size(); i-- > 0;) {
    if (trace.steps()[steps[i]].event->object == object) return steps[i];
  }
  return kNoStep;
}

// Who holds what and wants what, around the cycle.
void explain_cycle(const NamedRun& run, Explanation& into) {
  std::string text;
  uint32_t shown = 0;
  for (const channel::ThreadReport& thread : reports(run.trace.record())) {
    if (thread.in_cycle == 0 || thread.pending.kind == OpKind::thread_join) continue;
    const channel::HeldLock* wanted_by_others = nullptr;
    for (const channel::HeldLock& lock : held(thread)) {
      for (const channel::ThreadReport& other : reports(run.trace.record())) {
        const bool waits = other.in_cycle != 0 && other.pending.object == lock.object;
        if (waits && (!wanted_by_others || &other != &thread)) wanted_by_others = &lock;
      }
    }
    if (!wanted_by_others || ++shown > 4) continue;
    if (const uint32_t took = last_step(run.trace, thread.thread, wanted_by_others->object);
        took != kNoStep) {
      into.steps.push_back(took);
    }
    const std::string place = stack_place(thread.stack, run.symbols);
    if (wanted_by_others->object == thread.pending.object) {
      text += fmt::format("{}{} locks {} {}, which it holds already {}", text.empty() ? "" : "; ",
                          run.names.title(thread.thread), run.names.object(thread.pending.object),
                          place, stack_place(wanted_by_others->acquired_at, run.symbols));
      continue;
    }
    text += fmt::format("{}{} took {} {} and then wants {} {}", text.empty() ? "" : "; ",
                        run.names.title(thread.thread), run.names.object(wanted_by_others->object),
                        stack_place(wanted_by_others->acquired_at, run.symbols),
                        run.names.object(thread.pending.object), place);
  }
  if (!text.empty()) into.sentences.push_back(text + ".");
}

bool is_signal(const Step& step) {
  return step.event->kind == OpKind::cond_signal || step.event->kind == OpKind::cond_broadcast ||
         step.event->kind == OpKind::futex_wake;
}

// A thread waits for a signal that nobody will send: where was it lost?
void explain_lost_signal(const NamedRun& run, const channel::ThreadReport& waiter,
                         Explanation& into) {
  const RunTrace& trace = run.trace;
  Sentence say(run);
  // When it began to wait: its last step on the condition.
  uint32_t began = kNoStep, signal = kNoStep, later = kNoStep;
  for (uint32_t i = 0; i < trace.steps().size(); ++i) {
    const Step& step = trace.steps()[i];
    if (step.event->object != waiter.pending.object) continue;
    if (step.event->thread == waiter.thread && step.event->kind == waiter.pending.kind) began = i;
  }
  for (uint32_t i = 0; i < trace.steps().size(); ++i) {
    const Step& step = trace.steps()[i];
    if (step.event->object != waiter.pending.object || !is_signal(step)) continue;
    if (began == kNoStep || i < began) {
      signal = i;
    } else {
      later = i;
    }
  }
  const std::string object = run.names.object(waiter.pending.object);
  const std::string waits = stack_place(waiter.stack, run.symbols);
  if (later != kNoStep) {
    const Step& step = trace.steps()[later];
    into.steps.push_back(later);
    into.sentences.push_back(
        fmt::format("{} signalled {} {}, but it was another thread that woke up; {} still waits {} "
                    "and nobody signals again.",
                    say.who(step), object, say.place(step), run.names.title(waiter.thread), waits));
  } else if (signal != kNoStep) {
    const Step& step = trace.steps()[signal];
    into.steps.push_back(signal);
    into.sentences.push_back(fmt::format(
        "{} signalled {} {} when {} did not wait yet; it began to wait afterwards {} and nobody "
        "signals again.",
        say.who(step), object, say.place(step), run.names.title(waiter.thread), waits));
  } else {
    into.sentences.push_back(fmt::format("{} waits for {} {}, and nobody ever signals it.",
                                         run.names.title(waiter.thread), object, waits));
  }
  if (began != kNoStep) into.steps.push_back(began);
}

// A thread waits for what nobody will do, and not because others wait for it.
void explain_wait(const NamedRun& run, const channel::ThreadReport& thread, Explanation& into) {
  const std::string who = run.names.title(thread.thread);
  const std::string what = run.names.object(thread.pending.object);
  const std::string place = stack_place(thread.stack, run.symbols);
  switch (thread.pending.kind) {
    case OpKind::cond_wait:
    case OpKind::futex_wait:
      return explain_lost_signal(run, thread, into);
    case OpKind::barrier_wait:
      into.sentences.push_back(fmt::format(
          "{} waits at the barrier {} {}, and nobody else will come.", who, what, place));
      return;
    case OpKind::sem_wait:
      into.sentences.push_back(
          fmt::format("{} waits for semaphore {} {}, and nobody will post it.", who, what, place));
      return;
    case OpKind::thread_join:
      return;
    default:
      break;
  }
  // A lock whose holder has ended.
  for (const channel::ThreadReport& holder : reports(run.trace.record())) {
    const bool is_holder =
        holder.thread == thread.waits_for_thread && holder.state == channel::ThreadState::finished;
    if (!is_holder) continue;
    std::string taken;
    for (const channel::HeldLock& lock : held(holder)) {
      if (lock.object == thread.pending.object) {
        taken = " " + stack_place(lock.acquired_at, run.symbols);
      }
    }
    if (const uint32_t took = last_step(run.trace, holder.thread, thread.pending.object);
        took != kNoStep) {
      into.steps.push_back(took);
    }
    into.sentences.push_back(
        fmt::format("{} waits for {} {}: {} took it{} and ended without giving "
                    "it back.",
                    who, what, place, run.names.title(holder.thread), taken));
    return;
  }
}

}  // namespace

std::string value_text(uint64_t value, uint32_t size) {
  if (size == 0 || size > 8) return fmt::format("{:#x}", value);
  const unsigned unused = 64 - 8 * size;
  const auto is_signed = static_cast<int64_t>(value << unused) >> unused;
  constexpr int64_t kReadable = 10'000'000'000;
  if (is_signed < 0 && is_signed > -100'000) return fmt::format("{}", is_signed);
  if (value < static_cast<uint64_t>(kReadable)) return fmt::format("{}", value);
  return fmt::format("{:#x}", value);
}

std::string Explanation::text() const { return fmt::format("{}", fmt::join(sentences, " ")); }

Explanation explain_end(const NamedRun& failing) {
  Explanation result;
  const channel::RunRecord& record = failing.trace.record();
  if (record.end.outcome == channel::Outcome::livelock) {
    for (const channel::ThreadReport& thread : reports(record)) {
      if (thread.spins == 0 || thread.pending.object == 0) continue;
      result.sentences.push_back(fmt::format(
          "{} goes on looking at {} {}, which nobody changes any more.",
          failing.names.title(thread.thread), failing.names.object(thread.pending.object),
          stack_place(thread.stack, failing.symbols)));
      if (result.sentences.size() == 2) break;
    }
    return result;
  }
  if (record.end.outcome != channel::Outcome::deadlock) return result;
  explain_cycle(failing, result);
  if (!result.empty()) return result;
  for (const channel::ThreadReport& thread : reports(record)) {
    if (thread.state != channel::ThreadState::blocked) continue;
    explain_wait(failing, thread, result);
    if (!result.empty()) break;
  }
  return result;
}

namespace {

// Did the write give the same value in the run that passes?
bool wrote_the_same(const NamedRun& failing, const Step& read, const NamedRun& passing) {
  const auto name = name_of_source(failing.trace, read);
  const uint32_t there = name ? find_step(passing.trace, *name) : kNoStep;
  if (there == kNoStep) return false;
  const channel::TraceEvent& here = *failing.trace.steps()[read.source].event;
  const channel::TraceEvent& other = *passing.trace.steps()[there].event;
  return here.value_known && other.value_known && here.value == other.value;
}

// Which of the differences made the run fail: the one of the thread that failed, or, where that
// one only saw what another thread had got wrong before, the other's. Without either the first.
const Difference& cause(const std::vector<Difference>& found, const NamedRun& failing,
                        const NamedRun& passing) {
  const auto steps = failing.trace.steps();
  const auto of_thread = [&](uint32_t thread, uint32_t before) -> const Difference* {
    for (const Difference& difference : found) {
      if (difference.failing < before && steps[difference.failing].event->thread == thread) {
        return &difference;
      }
    }
    return nullptr;
  };
  const Difference* now = of_thread(failing.trace.record().end.thread, kNoStep);
  if (!now) return found.front();
  for (;;) {
    const Step& read = steps[now->failing];
    if (read.source == kInitially || wrote_the_same(failing, read, passing)) return *now;
    const Difference* before = of_thread(steps[read.source].event->thread, read.source);
    if (!before || before->failing >= now->failing) return *now;
    now = before;
  }
}

}  // namespace

Explanation explain_difference(const NamedRun& failing, const NamedRun& passing) {
  Explanation result;
  if (failing.trace.empty() || passing.trace.empty()) return result;
  std::vector<Difference> found = differences(failing, passing, true);
  if (found.empty()) found = differences(failing, passing, false);
  if (!found.empty()) describe(cause(found, failing, passing), failing, passing, result);
  const std::string order =
      callback_difference(callbacks_of(failing.trace.record(), failing.symbols),
                          callbacks_of(passing.trace.record(), passing.symbols));
  if (!order.empty()) result.sentences.insert(result.sentences.begin(), order);
  return result;
}

}  // namespace jostle::report
