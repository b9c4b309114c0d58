// SPDX-License-Identifier: Apache-2.0
#include "src/report/explain/run_difference.h"

#include <algorithm>

#include "src/report/words/record_view.h"

namespace jostle::report {
namespace {

using channel::TraceEvent;

// A long way back is as good as none; and runs may have millions of steps.
constexpr int kLongestWay = 32;
constexpr size_t kFarEnough = 4096;  // segments, steps
constexpr size_t kMostTried = 500;   // reads

bool same_operation(const NamedRun& a, const Step& x, const NamedRun& b, const Step& y) {
  return operation_kind(*x.event) == operation_kind(*y.event) && x.event->size == y.event->size &&
         a.symbols.location_of(x.event->pc) == b.symbols.location_of(y.event->pc);
}

bool same_known_value(const TraceEvent& a, const TraceEvent& b) {
  return a.value_known != 0 && b.value_known != 0 && a.value == b.value;
}

}  // namespace

RunDifference::RunDifference(const NamedRun& failing, const NamedRun& passing)
    : failing_(failing),
      passing_(passing),
      mine_(failing.trace, failing.symbols),
      theirs_(passing.trace, passing.symbols),
      aligned_(mine_.actors()) {
  for (uint32_t actor = 0; actor < mine_.actors(); ++actor) {
    aligned_[actor].actor_there = theirs_.find(mine_.actor(actor));
    if (aligned_[actor].actor_there != kNoActor) compare(actor);
    const auto steps = mine_.steps_of(actor);
    if (!mine_.actor(actor).accesses) continue;
    distance_ +=
        static_cast<uint64_t>(std::count_if(steps.begin() + aligned_[actor].length, steps.end(),
                                            [&](uint32_t i) { return step(i).contended; }));
  }
}

void RunDifference::compare(uint32_t actor) {
  Aligned& both = aligned_[actor];
  const auto mine = mine_.steps_of(actor), theirs = theirs_.steps_of(both.actor_there);
  for (size_t i = 0; i < std::min(mine.size(), theirs.size()); ++i) {
    const Step &x = step(mine[i]), &y = step_there(theirs[i]);
    if (!same_operation(failing_, x, passing_, y)) break;
    ++both.length;
    if (!step_observes(x) || !differs(x, y)) continue;
    const bool memory = is_data(x.event->kind);
    distance_ += memory;
    const bool same =
        memory && x.event->kind != OpKind::atomic_rmw && same_known_value(*x.event, *y.event);
    if (!same) (memory ? both.differences : both.synchronisation).push_back({mine[i], theirs[i]});
  }
}

// Another write, or one that wrote something else.
bool RunDifference::differs(const Step& mine, const Step& theirs) const {
  if ((mine.source == kInitially) != (theirs.source == kInitially)) return true;
  if (mine.source == kInitially) return false;
  if (mine_.name(mine.source) != theirs_.name(theirs.source)) return true;
  return is_memory(mine.event->kind) && mine.event->value_known != 0 &&
         theirs.event->value_known != 0 && mine.event->value != theirs.event->value;
}

uint32_t RunDifference::in_passing(uint32_t failing_step) const {
  const Aligned& both = aligned_[mine_.actor_of(failing_step)];
  const uint32_t number = mine_.name(failing_step).number;
  return number < both.length ? theirs_.steps_of(both.actor_there)[number] : kNoStep;
}

uint32_t RunDifference::in_failing(uint32_t passing_step) const {
  const StepName name = theirs_.name(passing_step);
  const uint32_t actor = mine_.find(name.actor);
  if (actor == kNoActor || name.number >= aligned_[actor].length) return kNoStep;
  return mine_.steps_of(actor)[name.number];
}

bool RunDifference::left_before(uint32_t passing_step) const {
  const uint32_t actor = mine_.find(theirs_.name(passing_step).actor);
  return actor != kNoActor && aligned_[actor].length < mine_.steps_of(actor).size();
}

bool RunDifference::ended_before(uint32_t passing_step) const {
  return failing_.trace.has_ended(passing_.trace.path(step_there(passing_step).event->thread));
}

bool RunDifference::preempted_between(uint32_t thread, uint32_t from, uint32_t to) const {
  const auto list = segments(failing_.trace.record().schedule);
  const size_t end = std::min<size_t>(step(to).segment + size_t{1}, list.size());
  size_t first = step(from).segment;
  if (end > kFarEnough) first = std::max(first, end - kFarEnough);
  for (size_t i = first; i < end; ++i) {
    if (list[i].thread == thread && channel::is_preemption(list[i])) return true;
  }
  return false;
}

// What libraries lock for themselves says nothing, nor does who comes first to a barrier.
bool RunDifference::is_of_program(const Step& step) const {
  if (step.event->kind == OpKind::barrier_wait) return false;
  const Module* module = failing_.symbols.module_at(step.event->object);
  return module == nullptr || module->instrumented;
}

// ---- the way back -----------------------------------------------------------------------------

// The actors that a reader would ask first: of who failed what it did last; of a deadlock those
// who wait.
std::vector<uint32_t> RunDifference::where_it_shows() const {
  const channel::RunRecord& record = failing_.trace.record();
  std::vector<uint32_t> threads, actors;
  if (record.end.outcome == channel::Outcome::deadlock) {
    for (const channel::ThreadReport& thread : reports(record)) {
      const bool waits = thread.state == channel::ThreadState::blocked;
      if (waits && thread.pending.kind != OpKind::thread_join) threads.push_back(thread.thread);
    }
  } else {
    threads.push_back(record.end.thread);
  }
  for (const uint32_t thread : threads) {
    const auto steps = failing_.trace.of_thread(thread);
    for (size_t i = steps.size(); i-- > 0;) {
      const uint32_t actor = mine_.actor_of(steps[i]);
      if (std::ranges::find(actors, actor) == actors.end()) actors.push_back(actor);
    }
  }
  return actors;
}

std::optional<Cause> RunDifference::cause() const {
  const std::vector<uint32_t> shows = where_it_shows();
  const bool is_event_driven = failing_.trace.record().callback_count != 0;
  for (const bool memory : {true, false}) {
    // Between callbacks the locks of the loop are all over the place.
    if (!memory && is_event_driven) break;
    const auto list = [&](uint32_t actor) -> const std::vector<Read>& {
      return memory ? aligned_[actor].differences : aligned_[actor].synchronisation;
    };
    for (const uint32_t actor : shows) {
      size_t tried = 0;
      for (size_t i = list(actor).size(); i-- > 0 && tried < kMostTried; ++tried) {
        if (const auto found = follow(list(actor)[i], memory)) return found;
      }
    }
    // Not to be seen in who failed: then whatever came first.
    std::vector<Read> all;
    for (uint32_t actor = 0; actor < aligned_.size(); ++actor) {
      all.insert(all.end(), list(actor).begin(), list(actor).end());
    }
    std::ranges::sort(all, {}, &Read::failing);
    if (all.size() > kMostTried) all.resize(kMostTried);
    for (const Read& read : all) {
      if (const auto found = follow(read, memory)) return found;
    }
  }
  return std::nullopt;
}

// The last one about this object, or else the first.
const RunDifference::Read* RunDifference::difference_before(uint32_t actor, uint32_t before,
                                                            uintptr_t object) const {
  if (actor == kNoActor) return nullptr;
  const std::vector<Read>& list = aligned_[actor].differences;
  for (size_t i = list.size(); i-- > 0;) {
    if (list[i].failing < before && step(list[i].failing).event->object == object) return &list[i];
  }
  return list.empty() || list.front().failing >= before ? nullptr : &list.front();
}

uint32_t RunDifference::last_access(uint32_t actor, uint32_t before, uintptr_t object) const {
  const auto steps = mine_.steps_of(actor);
  auto i = static_cast<size_t>(std::ranges::lower_bound(steps, before) - steps.begin());
  for (size_t tried = 0; i-- > 0 && tried < kFarEnough; ++tried) {
    if (step(steps[i]).event->object == object) return steps[i];
  }
  return kNoStep;
}

// Its thread had looked there before and was preempted; meanwhile another changed it.
bool RunDifference::is_interrupted(const Read& read) const {
  const Step& now = step(read.failing);
  if (now.source == kInitially || !is_data(now.event->kind)) return false;
  const uint32_t actor = mine_.actor_of(read.failing);
  if (mine_.actor_of(now.source) == actor) return false;
  const uint32_t look = last_access(actor, now.source, now.event->object);
  return look != kNoStep && preempted_between(now.event->thread, look, read.failing);
}

// Had who writes here looked at it before?
bool RunDifference::has_looked(uint32_t write) const {
  const TraceEvent& event = *step(write).event;
  const uint32_t look = last_access(mine_.actor_of(write), write, event.object);
  return event.kind == OpKind::atomic_rmw || (look != kNoStep && step_observes(step(look)));
}

// What a thread did at the same place need not have been to the same memory: then it is not the
// write that is looked for.
uint32_t RunDifference::source_in_passing(const Read& read) const {
  const uint32_t source = step(read.failing).source;
  const uint32_t there = source == kInitially ? kNoStep : in_passing(source);
  if (there == kNoStep) return kNoStep;
  return same_place(*step_there(there).event, *step_there(read.passing).event) ? there : kNoStep;
}

uint32_t RunDifference::source_in_failing(const Read& read) const {
  const uint32_t wanted = step_there(read.passing).source;
  const uint32_t here = wanted == kInitially ? kNoStep : in_failing(wanted);
  if (here == kNoStep) return kNoStep;
  return same_place(*step(here).event, *step(read.failing).event) ? here : kNoStep;
}

// By this read alone, without asking why others wrote what they did.
std::optional<Cause> RunDifference::direct(const Read& read) const {
  const uint32_t source = step(read.failing).source, wanted = step_there(read.passing).source;
  const uint32_t wanted_here = source_in_failing(read);
  const uint32_t reader = mine_.actor_of(read.failing);
  const bool by_other = wanted != kInitially && theirs_.name(wanted).actor != mine_.actor(reader);
  if (by_other && (wanted_here == kNoStep || wanted_here > read.failing)) {
    return Cause{Cause::Kind::too_early, read.failing, wanted_here, wanted};
  }
  if (source != kInitially && mine_.actor_of(source) != reader) {
    return Cause{Cause::Kind::too_late, read.failing, source};
  }
  return std::nullopt;
}

std::vector<Cause> RunDifference::nearest_causes() const {
  constexpr size_t kMost = 3;
  std::vector<Cause> causes;
  if (failing_.trace.record().end.outcome == channel::Outcome::deadlock) return causes;
  for (const uint32_t actor : where_it_shows()) {
    const std::vector<Read>& list = aligned_[actor].differences;
    for (size_t i = list.size(); i-- > 0 && causes.size() < kMost;) {
      if (const auto cause = direct(list[i])) causes.push_back(*cause);
    }
  }
  return causes;
}

std::optional<Cause> RunDifference::follow(Read read, bool memory) const {
  for (int way = 0; way < kLongestWay; ++way) {
    const Step &here = step(read.failing), &there = step_there(read.passing);
    if (!memory && !is_of_program(here)) return std::nullopt;
    const uint32_t source = here.source, wanted = there.source;
    const Cause too_late{Cause::Kind::too_late, read.failing, source};
    if (source != kInitially && is_interrupted(read)) return too_late;
    const uint32_t source_there = source_in_passing(read);
    const uint32_t wanted_here = source_in_failing(read);
    const bool elsewhere = wanted_here == kNoStep && wanted != kInitially &&
                           in_failing(wanted) != kNoStep;  // it wrote something else
    const Read* back = nullptr;
    const bool is_missing = wanted != kInitially && wanted_here == kNoStep;
    const bool is_left_out = is_missing && (elsewhere || left_before(wanted));
    if (is_left_out || (is_missing && ended_before(wanted))) {
      // Who should have written did something else instead, or nothing more.
      const uint32_t writer = mine_.find(theirs_.name(wanted).actor);
      back = difference_before(writer, kNoStep, 0);
      if (!back && is_left_out) return std::nullopt;
      if (!back) return Cause{Cause::Kind::too_early, read.failing, wanted_here, wanted};
    } else if (wanted != kInitially && (wanted_here == kNoStep || wanted_here > read.failing)) {
      return Cause{Cause::Kind::too_early, read.failing, wanted_here, wanted};
    } else if (source == kInitially) {
      return std::nullopt;
    } else if (source_there == kNoStep || source_there > read.passing) {
      const uint32_t writer = mine_.actor_of(source);
      if (source_there == kNoStep) {
        back = difference_before(writer, source, here.event->object);
      }
      if (!back)
        return writer == mine_.actor_of(read.failing) ? std::nullopt : std::optional(too_late);
    } else {
      // Both were written before it in both runs: by whom last, or what?
      back = difference_before(mine_.actor_of(source), source, here.event->object);
      // The last one did the same in both. Did it know what it overwrites? Then the other one comes
      // between its read and its write; if not, all there is to it is that it was the last.
      if (!back && wanted_here != kNoStep && has_looked(source)) {
        back = difference_before(mine_.actor_of(wanted_here), wanted_here, here.event->object);
      }
      if (!back) {
        if (wanted_here == kNoStep || wanted_here == source) return std::nullopt;
        if (mine_.actor_of(wanted_here) == mine_.actor_of(source)) return std::nullopt;
        return Cause{Cause::Kind::overwritten, read.failing, source, kNoStep, wanted_here};
      }
    }
    if (!memory || back->failing >= read.failing) return std::nullopt;
    read = *back;
  }
  return std::nullopt;
}

// ---- from the failing run alone ---------------------------------------------------------------

namespace {

constexpr size_t kNearby = 64;    // steps of the thread before and after
constexpr size_t kLongGap = 512;  // steps of others
constexpr size_t kMostInterruptions = 4;

bool is_access(const Step& step) { return is_data(step.event->kind) && step.contended; }

// What a thread did around a preemption, and others meanwhile.
struct Gap {
  std::vector<uint32_t> before;  // the nearest first
  std::vector<uint32_t> others;
  std::vector<uint32_t> after;
};

bool is_lock(const Step& step) {
  const OpKind kind = step.event->kind;
  return kind == OpKind::mutex_lock || kind == OpKind::spin_lock || kind == OpKind::rwlock_read ||
         kind == OpKind::rwlock_write;
}

Gap gap_at(const RunTrace& trace, uint32_t segment, uint32_t thread,
           bool (*is_wanted)(const Step&)) {
  Gap gap;
  const auto own = trace.of_thread(thread);
  const auto resumed = std::ranges::partition_point(
      own, [&](uint32_t i) { return trace.steps()[i].segment <= segment; });
  for (auto i = resumed; i != own.begin() && gap.before.size() < kNearby;) {
    if (is_wanted(trace.steps()[*--i])) gap.before.push_back(*i);
  }
  for (auto i = resumed; i != own.end() && gap.after.size() < kNearby; ++i) {
    if (is_wanted(trace.steps()[*i])) gap.after.push_back(*i);
  }
  if (resumed == own.end() || resumed == own.begin()) return {};
  for (uint32_t i = *(resumed - 1) + 1; i < *resumed && gap.others.size() < kLongGap; ++i) {
    if (is_wanted(trace.steps()[i])) gap.others.push_back(i);
  }
  return gap;
}

// The last of the others' steps that conflicts with this one, one that changes something first;
// kNoStep.
uint32_t last_conflict(const RunTrace& trace, const Gap& gap, uint32_t with) {
  for (const bool changes : {true, false}) {
    for (size_t i = gap.others.size(); i-- > 0;) {
      const Step& other = trace.steps()[gap.others[i]];
      if (step_changes(other) == changes && conflict(other, trace.steps()[with])) {
        return gap.others[i];
      }
    }
  }
  return kNoStep;
}

// Two accesses to the same bytes before all others, and of those the ones that are closest to each
// other.
void add_interruptions(const RunTrace& trace, const Gap& gap, std::vector<Cause>& into) {
  struct Pair {
    bool apart;  // two variables
    size_t span;
    Cause cause;
  };
  std::vector<Pair> pairs;
  for (size_t f = 0; f < gap.before.size(); ++f) {
    const uint32_t first = gap.before[f], between = last_conflict(trace, gap, first);
    if (between == kNoStep) continue;
    bool found[2] = {};
    for (size_t l = 0; l < gap.after.size() && !found[0]; ++l) {
      const uint32_t last = gap.after[l];
      const bool apart = !same_place(*trace.steps()[first].event, *trace.steps()[last].event);
      if (found[apart] || last_conflict(trace, gap, last) == kNoStep) continue;
      found[apart] = true;
      pairs.push_back({apart, f + l, {Cause::Kind::interrupted, last, between, kNoStep, first}});
    }
  }
  std::ranges::stable_sort(pairs, [](const Pair& a, const Pair& b) {
    return a.apart != b.apart ? b.apart : a.span < b.span;
  });
  constexpr size_t kMostOfOne = 3;
  for (size_t i = 0; i < std::min(pairs.size(), kMostOfOne); ++i) into.push_back(pairs[i].cause);
}

}  // namespace

namespace {

std::vector<Cause> interruptions_of(const RunTrace& failing, bool (*is_wanted)(const Step&)) {
  std::vector<Cause> causes;
  const auto list = segments(failing.record().schedule);
  size_t gaps = 0;
  for (size_t i = list.size(); i-- > 0 && gaps < kMostInterruptions;) {
    if (!channel::is_preemption(list[i])) continue;
    const auto segment = static_cast<uint32_t>(i);
    add_interruptions(failing, gap_at(failing, segment, list[i].thread, is_wanted), causes);
    ++gaps;
  }
  return causes;
}

}  // namespace

namespace {

// Was the thread created after this step?
bool is_created_behind(const RunTrace& trace, uint32_t thread, uint32_t step) {
  if (thread >= channel::kMaxThreads) return false;
  const channel::ThreadRecord& record = trace.record().schedule.threads[thread];
  if (record.parent == thread) return false;  // main
  uint32_t left = record.ordinal;
  for (const uint32_t i : trace.of_thread(record.parent)) {
    if (trace.steps()[i].event->kind != OpKind::thread_create) continue;
    if (left-- == 0) return i > step;
  }
  return false;
}

// What a thread did before the other one was there hardly belongs together with what it does later.
bool is_about_beginning(const RunTrace& trace, const Cause& cause) {
  return is_created_behind(trace, trace.steps()[cause.write].event->thread, cause.other);
}

}  // namespace

std::vector<Cause> interruptions(const RunTrace& failing) {
  std::vector<Cause> causes = interruptions_of(failing, is_access);
  std::erase_if(causes, [&](const Cause& each) { return is_about_beginning(failing, each); });
  return causes;
}

std::vector<Cause> early_interruptions(const RunTrace& failing) {
  std::vector<Cause> causes = interruptions_of(failing, is_access);
  std::erase_if(causes, [&](const Cause& each) { return !is_about_beginning(failing, each); });
  return causes;
}

std::vector<Cause> lock_interruptions(const RunTrace& failing) {
  std::vector<Cause> causes = interruptions_of(failing, is_lock);
  std::erase_if(causes, [&](const Cause& cause) {
    return !same_place(*failing.steps()[cause.other].event, *failing.steps()[cause.read].event);
  });
  return causes;
}

}  // namespace jostle::report
