// SPDX-License-Identifier: Apache-2.0
#include "src/report/explain/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "src/report/explain/sentence.h"
#include "src/report/model/run_callbacks.h"
#include "src/report/text/race_text.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

bool is_library_file(std::string_view file) {
  constexpr std::string_view kFolders[] = {"/usr/include/", "/usr/lib/", "/usr/local/include/"};
  return std::ranges::any_of(kFolders, [&](std::string_view f) { return file.starts_with(f); });
}

// Is this step in code that the program's author wrote?
bool is_own(const NamedRun& run, uint32_t step) {
  const Frame frame = run.symbols.line_that_matters(run.trace.steps()[step].event->pc);
  return !frame.plumbing && !is_library_file(frame.file);
}

// The step at this number of its thread's events; kNoStep.
uint32_t find_exactly(const NamedRun& run, const Suspicion::Operation& wanted) {
  const auto steps = run.trace.steps();
  for (uint32_t i = 0; i < steps.size(); ++i) {
    const channel::TraceEvent& event = *steps[i].event;
    if (event.event == wanted.event && run.trace.path(event.thread) == wanted.path) return i;
  }
  return kNoStep;
}

bool touches(const channel::TraceEvent& event, const Suspicion::Operation& wanted) {
  channel::TraceEvent like{};
  like.kind = wanted.kind;
  like.object = wanted.object;
  like.size = wanted.size;
  return same_place(event, like);
}

// The same operation, not another that its thread did instead; kNoStep.
uint32_t find_same(const NamedRun& run, const Suspicion::Operation& wanted) {
  const uint32_t found = find_exactly(run, wanted);
  if (found == kNoStep) return kNoStep;
  const channel::TraceEvent& event = *run.trace.steps()[found].event;
  const bool same = operation_kind(event) == wanted.kind && touches(event, wanted) &&
                    run.symbols.location_of(event.pc) == wanted.place;
  return same ? found : kNoStep;
}

// How often the thread did this, at the same place of the program and to the same bytes, before
// that step: its numbers may be others in another run.
uint32_t times_before(const NamedRun& run, const Suspicion::Operation& wanted, uint32_t before) {
  const auto steps = run.trace.steps();
  uint32_t times = 0;
  for (uint32_t i = 0; i < std::min<size_t>(before, steps.size()); ++i) {
    const channel::TraceEvent& event = *steps[i].event;
    times += run.trace.path(event.thread) == wanted.path && touches(event, wanted) &&
             run.symbols.location_of(event.pc) == wanted.place;
  }
  return times;
}

// The read observes too little, but who should have written has ended and did something else: that
// it came too early is half of the truth.
bool never_comes(const NamedRun& failing, const NamedRun& passing, const Cause& cause) {
  if (cause.kind != Cause::Kind::too_early || cause.write != kNoStep) return false;
  const uint64_t path = passing.trace.path(passing.trace.steps()[cause.write_there].event->thread);
  return std::ranges::any_of(segments(failing.trace.record().schedule),
                             [&](const channel::Segment& segment) {
                               return segment.stopped_at == OpKind::thread_exit &&
                                      failing.trace.path(segment.thread) == path;
                             });
}

// Puts a cause into words. Steps are those of the failing run.
class Describer {
 public:
  // Without `tried` nothing is said of what happens then.
  Describer(const NamedRun& failing, const NamedRun& passing, const RunDifference& difference,
            bool tried = true)
      : tried_(tried),
        failing_(failing),
        trace_(failing.trace),
        passing_(passing),
        difference_(difference),
        say_(failing, &difference.failing_names()),
        there_(passing, &difference.passing_names()) {}

  Suspicion describe(const Cause& cause) {
    suspicion_ = {};
    Explanation& into = suspicion_.says;
    into.steps.push_back(cause.read);
    const std::string order = tried_ ? callbacks(cause) : std::string();
    order_is_said_ = !order.empty();
    if (order_is_said_) into.sentences.push_back(order);
    switch (cause.kind) {
      case Cause::Kind::too_early:
        too_early(cause, into);
        break;
      case Cause::Kind::too_late:
        too_late(cause, into);
        break;
      case Cause::Kind::overwritten:
        overwritten(cause, into);
        break;
      case Cause::Kind::interrupted:
        into.steps.push_back(cause.write);
        into.steps.push_back(cause.other);
        into.sentences.push_back(between(cause.write, cause.other, cause.read));
        break;
    }
    return std::move(suspicion_);
  }

  static Suspicion::Operation operation(const NamedRun& run, uint32_t i) {
    const channel::TraceEvent& event = *run.trace.steps()[i].event;
    return {run.trace.path(event.thread),      event.event,  operation_kind(event),
            run.symbols.location_of(event.pc), event.object, event.size};
  }

 private:
  static constexpr std::string_view kDiffers = "A schedule that passes differs in this.";

  const Step& step(uint32_t i) const { return trace_.steps()[i]; }
  const StepNames& names() const { return difference_.failing_names(); }
  // It passes when `held`, a step of the failing run, comes after `first` of this one.
  void claim_after(uint32_t held, const NamedRun& run, uint32_t first) {
    const channel::TraceEvent& x = *step(trace_.before_locks(held)).event;
    const channel::TraceEvent& y = *run.trace.steps()[first].event;
    suspicion_.claim = {Claim::Kind::after, x.thread, x.event, index_of(run.trace.path(y.thread)),
                        y.event};
    suspicion_.held = operation(failing_, held);
    suspicion_.first = operation(run, first);
    suspicion_.times = times_before(failing_, suspicion_.first, held);
  }
  // … when nobody comes between two steps of one thread.
  void claim_through(uint32_t first, uint32_t last) {
    const channel::TraceEvent &x = *step(first).event, &y = *step(last).event;
    suspicion_.claim = {Claim::Kind::through, x.thread, x.event, x.thread, y.event};
    suspicion_.held = operation(failing_, last);
    suspicion_.first = operation(failing_, first);
  }
  // The thread in the failing run; a number that no thread has when it was not created there.
  uint32_t index_of(uint64_t path) const {
    const auto all = threads(trace_.record().schedule);
    const auto found = std::ranges::find(all, path, &channel::ThreadRecord::path);
    return static_cast<uint32_t>(found - all.begin());
  }

  // "T2 audit read x = 50 (bank.cc:38)"
  std::string clause(uint32_t i) {
    return fmt::format("{} {} {}", say_.who(i), say_.did(step(i)), say_.place(step(i)));
  }

  // Of callbacks, in the order of the failing run.
  std::string callbacks(const Cause& cause) {
    const bool early = cause.kind == Cause::Kind::too_early;
    std::string first = say_.callback(names().actor_of(early ? cause.read : cause.write));
    std::string second =
        cause.kind == Cause::Kind::overwritten ? say_.callback(names().actor_of(cause.other))
        : early ? there_.callback(difference_.passing_names().actor_of(cause.write_there))
                : say_.callback(names().actor_of(cause.read));
    if (cause.kind == Cause::Kind::overwritten) std::swap(first, second);
    if (first.empty() || second.empty() || first == second) return {};
    return fmt::format("It fails when {} runs before {}; the other way round it passes.", first,
                       second);
  }

  bool nobody_goes_on() const {
    const channel::Outcome outcome = failing_.trace.record().end.outcome;
    return outcome == channel::Outcome::deadlock || outcome == channel::Outcome::livelock;
  }

  // How a sentence ends: with when it passes, unless one about callbacks has said that already.
  std::string otherwise(std::string_view passes) const {
    if (order_is_said_) return ".";
    return fmt::format(". {}", tried_ ? passes : kDiffers);
  }

  void too_early(const Cause& cause, Explanation& into) {
    const Step& read = step(cause.read);
    if (cause.write != kNoStep) into.steps.push_back(cause.write);
    if (const uint32_t again = looks_again(cause); again != kNoStep) {
      into.steps.push_back(again);
      into.sentences.push_back(between(cause.write, cause.read, again));
      return;
    }
    claim_after(cause.read, passing_, cause.write_there);
    std::string text = clause(cause.read);
    // What it writes may depend on who came first: if the failing run came to it, it is told from
    // there.
    const bool is_here = is_same_write(cause);
    const Step& write = is_here ? step(cause.write) : passing_.trace.steps()[cause.write_there];
    Sentence& of_write = is_here ? say_ : there_;
    const std::string writes = of_write.did_to_it(write, read);
    if (never_comes(failing_, passing_, cause)) {
      suspicion_.is_consequence = true;
      text += fmt::format("; {} {}ended and never {} {}", there_.who(cause.write_there),
                          what_was_tried(cause, into), writes, there_.place(write));
    } else if (const uint32_t first = begun(cause); first != kNoStep) {
      // Between two accesses of the other to the same place.
      into.steps.push_back(first);
      text += fmt::format(" between {}'s {} {} and {} {}", say_.who(first), say_.verb(step(first)),
                          say_.place(step(first)), say_.verb(write), of_write.place(write));
    } else if (const uint32_t seen = half_seen(cause); seen != kNoStep) {
      into.steps.push_back(seen);
      text += fmt::format(" after {} and before it {} {}", clause(seen), of_write.did(write),
                          of_write.place(write));
    } else {
      text += fmt::format(" before {} {} {}", there_.who(cause.write_there), writes,
                          of_write.place(write));
      if (cause.write == kNoStep && nobody_goes_on()) {
        text += fmt::format(", to which {} does not come any more", there_.who(cause.write_there));
      }
    }
    suspicion_.says_less = into;
    suspicion_.says_less->sentences.push_back(
        text + otherwise(fmt::format("When {} waits there for the others, it passes.",
                                     say_.who(cause.read))));
    into.sentences.push_back(
        text + otherwise(fmt::format("When that {} comes first, it passes.", say_.verb(write))));
  }

  void too_late(const Cause& cause, Explanation& into) {
    const Step &read = step(cause.read), &write = step(cause.write);
    into.steps.push_back(cause.write);
    if (const uint32_t first = looked_before(cause); first != kNoStep) {
      into.steps.push_back(first);
      into.sentences.push_back(between(cause.write, first, cause.read));
      return;
    }
    claim_after(cause.write, failing_, cause.read);
    into.sentences.push_back(fmt::format("{} after {} {} {}", clause(cause.read),
                                         say_.who(cause.write), say_.did_to_it(write, read),
                                         say_.place(write)) +
                             otherwise("With the two the other way round it passes."));
  }

  // "T2 wrote x = 0 (a.c:44) between T1's read (a.c:30) and read (a.c:32)."
  std::string between(uint32_t write, uint32_t first, uint32_t last) {
    claim_through(first, last);
    const auto access = [&](uint32_t i) {
      const bool named = same_place(*step(i).event, *step(write).event);
      return fmt::format("{}{} {}", say_.verb(step(i)), named ? "" : " of " + say_.object(step(i)),
                         say_.place(step(i)));
    };
    return fmt::format("{} between {}'s {} and {}", clause(write), say_.who(last), access(first),
                       access(last)) +
           otherwise("Without that in between it passes.");
  }

  void overwritten(const Cause& cause, Explanation& into) {
    claim_after(cause.other, failing_, cause.write);
    into.steps.push_back(cause.write);
    into.steps.push_back(cause.other);
    into.sentences.push_back(fmt::format("{} after {} {} {}", clause(cause.write),
                                         say_.who(cause.other),
                                         say_.did_to_it(step(cause.other), step(cause.write)),
                                         say_.place(step(cause.other))) +
                             otherwise("With the two the other way round it passes."));
  }

  // "tried to take lock in vain (a.c:7), ", of who should have written.
  std::string what_was_tried(const Cause& cause, Explanation& into) {
    const channel::TraceEvent& write = *passing_.trace.steps()[cause.write_there].event;
    const auto steps = trace_.of_thread(index_of(passing_.trace.path(write.thread)));
    for (size_t i = steps.size(); i-- > 0;) {
      const Step& tried = step(steps[i]);
      if (!is_in_vain(*tried.event)) continue;
      into.steps.push_back(steps[i]);
      return fmt::format("{} {}, ", say_.did(tried), say_.place(tried));
    }
    return {};
  }

  // Is the write that the read should have observed the one of this name in the failing run?
  bool is_same_write(const Cause& cause) const {
    if (cause.write == kNoStep) return false;
    const channel::TraceEvent& here = *step(cause.write).event;
    const channel::TraceEvent& there = *passing_.trace.steps()[cause.write_there].event;
    return operation_kind(here) == operation_kind(there) && same_place(here, there) &&
           failing_.symbols.location_of(here.pc) == passing_.symbols.location_of(there.pc);
  }

  // The reader's next look at the same place, when it sees the write then: it was held back between
  // the two.
  uint32_t looks_again(const Cause& cause) const {
    if (cause.write == kNoStep || !is_memory(step(cause.read).event->kind)) return kNoStep;
    if (!held_back(cause.read, cause.write)) return kNoStep;
    for (const uint32_t i : names().steps_of(names().actor_of(cause.read))) {
      if (i < cause.write || step(i).event->object != step(cause.read).event->object) continue;
      return step(i).source == cause.write ? i : kNoStep;
    }
    return kNoStep;
  }

  // What the writer did to the same place before it was held back, with the read in between.
  uint32_t begun(const Cause& cause) const {
    const StepName writer = difference_.passing_names().name(cause.write_there);
    const uint32_t actor = names().find(writer.actor);
    if (actor == kNoActor || actor == names().actor_of(cause.read)) return kNoStep;
    return last_before(actor, cause.read, [&](uint32_t i) {
      return step(i).event->object == step(cause.read).event->object &&
             is_memory(step(i).event->kind) && held_back(i, cause.read);
    });
  }

  // What the reader has seen of the writer already: half of what belongs together.
  uint32_t half_seen(const Cause& cause) const {
    const StepName writer = difference_.passing_names().name(cause.write_there);
    const uint32_t actor = names().find(writer.actor);
    if (actor == kNoActor || actor == names().actor_of(cause.read)) return kNoStep;
    const uint32_t read = last_before(names().actor_of(cause.read), cause.read, [&](uint32_t i) {
      const Step& earlier = step(i);
      return is_memory(earlier.event->kind) && earlier.source != kInitially &&
             names().actor_of(earlier.source) == actor &&
             earlier.event->object != step(cause.read).event->object && is_as_own(i, cause) &&
             is_as_own(earlier.source, cause) && held_back(earlier.source, cause.read);
    });
    return read == kNoStep ? kNoStep : step(read).source;
  }

  // What the reader looked at before it was held back and the write came: the same place, or
  // another that the writer changed then, too.
  uint32_t looked_before(const Cause& cause) const {
    const uint32_t reader = names().actor_of(cause.read), writer = names().actor_of(cause.write);
    if (!is_memory(step(cause.read).event->kind) || reader == writer) return kNoStep;
    const uintptr_t object = step(cause.read).event->object;
    const uint32_t same = last_before(reader, cause.write, [&](uint32_t i) {
      return step(i).event->object == object && is_memory(step(i).event->kind);
    });
    if (same != kNoStep) return same;
    return last_before(reader, cause.write, [&](uint32_t i) {
      if (!is_memory(step(i).event->kind) || !step(i).contended) return false;
      if (!is_as_own(i, cause)) return false;
      if (!difference_.preempted_between(step(i).event->thread, i, cause.read)) return false;
      return std::ranges::any_of(names().steps_of(writer), [&](uint32_t w) {
        return w > i && w < cause.read && step_changes(step(w)) &&
               step(w).event->object == step(i).event->object;
      });
    });
  }

  // What a library does on the way is no part of what the program did.
  bool is_as_own(uint32_t i, const Cause& cause) const {
    return !is_own(failing_, cause.read) || is_own(failing_, i);
  }

  bool held_back(uint32_t from, uint32_t to) const {
    return difference_.preempted_between(step(from).event->thread, from, to);
  }

  template <typename Wanted>
  uint32_t last_before(uint32_t actor, uint32_t before, Wanted&& wanted) const {
    const auto steps = names().steps_of(actor);
    constexpr size_t kFarEnough = 10'000;
    const auto end = std::ranges::lower_bound(steps, before) - steps.begin();
    for (auto i = static_cast<size_t>(end), tried = size_t{0}; i-- > 0 && tried < kFarEnough;
         ++tried) {
      if (wanted(steps[i])) return steps[i];
    }
    return kNoStep;
  }

  bool tried_;
  const NamedRun& failing_;
  const RunTrace& trace_;
  const NamedRun& passing_;
  const RunDifference& difference_;
  Suspicion suspicion_;
  Sentence say_, there_;
  bool order_is_said_ = false;  // of callbacks: which order fails and which passes
};

}  // namespace

std::string Explanation::text() const {
  std::string text;
  for (std::string sentence : sentences) {
    if (sentence.starts_with("the ")) sentence[0] = 'T';
    text += (text.empty() ? "" : " ") + sentence;
  }
  return text;
}

namespace {

// What comes first: that two accesses of a thread were torn apart, if they were; then what the
// failing thread saw last; then where that leads back to.
std::vector<Cause> causes_of(const NamedRun& failing, const RunDifference& difference) {
  std::vector<Cause> causes = interruptions(failing.trace);
  const auto add = [&](const Cause& cause) {
    if (std::ranges::find(causes, cause) == causes.end()) causes.push_back(cause);
  };
  for (const Cause& cause : difference.nearest_causes()) add(cause);
  for (const Cause& cause : lock_interruptions(failing.trace)) add(cause);
  if (const std::optional<Cause> cause = difference.cause()) add(*cause);
  return causes;
}

}  // namespace

std::vector<Suspicion> suspicions(const NamedRun& failing, const NamedRun& passing) {
  std::vector<Suspicion> result;
  if (failing.trace.empty() || passing.trace.empty()) return result;
  const RunDifference difference(failing, passing);
  Describer describer(failing, passing, difference);
  for (const Cause& cause : causes_of(failing, difference)) {
    result.push_back(describer.describe(cause));
    result.back().says.distance = difference.distance();
  }
  return result;
}

Explanation explain_difference(const NamedRun& failing, const NamedRun& passing, bool tried) {
  Explanation result;
  if (failing.trace.empty() || passing.trace.empty()) return result;
  const RunDifference difference(failing, passing);
  if (const std::optional<Cause> cause = difference.cause()) {
    result = Describer(failing, passing, difference, tried).describe(*cause).says;
  }
  result.distance = difference.distance();
  if (result.sentences.size() > 1) return result;
  const std::string order =
      callback_difference(callbacks_of(failing.trace.record(), failing.symbols),
                          callbacks_of(passing.trace.record(), passing.symbols));
  if (!order.empty()) result.sentences.insert(result.sentences.begin(), order);
  return result;
}

namespace {

// Has the thread of this step, shortly before it, read what the other one wrote?
bool has_seen(const NamedRun& run, uint32_t step, uint64_t path) {
  constexpr int kNearby = 16;
  const auto steps = run.trace.steps();
  const auto own = run.trace.of_thread(steps[step].event->thread);
  int tried = 0;
  for (auto i = std::ranges::lower_bound(own, step); i != own.begin() && tried < kNearby; ++tried) {
    const Step& earlier = steps[*--i];
    if (!is_memory(earlier.event->kind) || earlier.source == kInitially) continue;
    if (run.trace.path(steps[earlier.source].event->thread) == path) return true;
  }
  return false;
}

}  // namespace

namespace {

// What others send may not have been there yet.
bool is_input(const Step& step) {
  return step.event->kind == OpKind::io_wait || step.event->kind == OpKind::io_read;
}

// The race that the run ended with; null: with something else.
const channel::RaceRecord* race_at_end(const RunTrace& trace) {
  const channel::RunRecord& record = trace.record();
  const bool is_race = record.end.outcome == channel::Outcome::race && !races(record).empty();
  return is_race ? &races(record).back() : nullptr;
}

// Who else than this thread is part of the race that the run ended with: its path; 0: it is none.
uint64_t partner_in_race(const RunTrace& trace, uint32_t thread) {
  const channel::RaceRecord* race = race_at_end(trace);
  if (race == nullptr) return 0;
  return trace.path(race->earlier.thread == thread ? race->later.thread : race->earlier.thread);
}

// The read that raced with what the failing thread did; kNoStep: it was none.
uint32_t read_in_race(const NamedRun& failing) {
  const channel::RaceRecord* race = race_at_end(failing.trace);
  if (race == nullptr || race->earlier.writes || race->earlier.frees) return kNoStep;
  const auto steps = failing.trace.of_thread(race->earlier.thread);
  for (size_t i = steps.size(); i-- > 0;) {
    const Step& step = failing.trace.steps()[steps[i]];
    if (step.event->object == race->address && step_observes(step)) return steps[i];
  }
  return kNoStep;
}

}  // namespace

std::vector<Probe> probes_behind(const NamedRun& failing) {
  constexpr size_t kMost = 4;           // each is a run
  constexpr size_t kFarEnough = 64;     // steps
  constexpr size_t kReadsOfFailed = 3;  // whose origin is asked for
  std::vector<Probe> result;
  const channel::Failure& end = failing.trace.record().end;
  if (end.outcome == channel::Outcome::deadlock) return result;
  const auto steps = failing.trace.steps();
  const auto is_read = [&](uint32_t i) {
    return is_memory(steps[i].event->kind) && step_observes(steps[i]) && is_own(failing, i);
  };
  const auto failed = failing.trace.of_thread(end.thread);
  size_t asked = 0;
  for (size_t i = failed.size(), far = 0; i-- > 0 && far < kFarEnough && asked < kReadsOfFailed;
       ++far) {
    const uint32_t source = steps[failed[i]].source;
    if (!is_read(failed[i]) || source == kInitially) continue;
    const uint32_t thread = steps[source].event->thread;
    if (thread == end.thread || !is_own(failing, source)) continue;
    ++asked;
    const auto writer = failing.trace.of_thread(thread);
    auto before = static_cast<size_t>(std::ranges::lower_bound(writer, source) - writer.begin());
    for (size_t tried = 0; before-- > 0 && tried < kFarEnough && result.size() < kMost; ++tried) {
      if (!is_read(writer[before])) continue;
      const Step& held = steps[failing.trace.before_locks(writer[before])];
      const Probe probe{writer[before],
                        {Claim::Kind::after, thread, held.event->event, kNoThread, UINT64_MAX}};
      const bool known = std::ranges::find(result, probe.read, &Probe::read) != result.end();
      if (!known) result.push_back(probe);
    }
  }
  return result;
}

std::vector<Probe> probes(const NamedRun& failing) {
  constexpr size_t kMostReads = 5, kMostInputs = 2;
  constexpr size_t kFarEnough = 64;
  std::vector<Probe> result;
  size_t reads = 0, inputs = 0;
  const channel::Failure& end = failing.trace.record().end;
  if (end.outcome == channel::Outcome::deadlock) return result;
  if (const uint32_t read = read_in_race(failing); read != kNoStep) {
    const channel::TraceEvent& held =
        *failing.trace.steps()[failing.trace.before_locks(read)].event;
    result.push_back({read, {Claim::Kind::after, held.thread, held.event, kNoThread, UINT64_MAX}});
  }
  const auto own = failing.trace.of_thread(end.thread);
  for (size_t i = own.size(), tried = 0; i-- > 0 && tried < kFarEnough; ++tried) {
    const Step& read = failing.trace.steps()[own[i]];
    // Others may not have come to it in this run: whether it is shared does not show here.
    if (!is_input(read) && !(is_memory(read.event->kind) && step_observes(read))) continue;
    const bool known = std::ranges::any_of(result, [&](const Probe& other) {
      const Step& step = failing.trace.steps()[other.read];
      return is_input(step) == is_input(read) &&
             (is_input(step) ? step.event->pc == read.event->pc
                             : same_place(*step.event, *read.event));
    });
    if (known || (is_input(read) ? inputs++ >= kMostInputs : reads++ >= kMostReads)) continue;
    const Step& held = failing.trace.steps()[failing.trace.before_locks(own[i])];
    result.push_back(
        {own[i], {Claim::Kind::after, end.thread, held.event->event, kNoThread, UINT64_MAX}});
  }
  return result;
}

std::optional<Suspicion> missed_write(const NamedRun& failing, const Probe& probe,
                                      const NamedRun& trial) {
  if (trial.trace.empty()) return std::nullopt;
  const Step& read = failing.trace.steps()[probe.read];
  const RunDifference difference(failing, trial);
  Describer describer(failing, trial, difference);
  const uint32_t held = find_exactly(trial, Describer::operation(failing, probe.read));
  if (held == kNoStep) return std::nullopt;
  const uint64_t partner = partner_in_race(failing.trace, read.event->thread);
  uint32_t missed = kNoStep;
  for (uint32_t i = held; i-- > 0;) {
    const Step& write = trial.trace.steps()[i];
    const bool is_sent = is_input(read) && write.event->kind == OpKind::io_write;
    const bool is_written = step_changes(write) && is_memory(write.event->kind) &&
                            same_place(*write.event, *read.event);
    const bool own = write.event->thread == trial.trace.steps()[held].event->thread;
    if (own || (!is_sent && !is_written)) continue;
    // It has come in the failing run, too.
    if (find_same(failing, Describer::operation(trial, i)) < probe.read) {
      if (is_sent) continue;
      break;
    }
    // Of several the one of whom the reader has seen half already, or with whom it races, or else
    // the last.
    const uint64_t writer = trial.trace.path(write.event->thread);
    const bool half_seen = writer == partner || has_seen(failing, probe.read, writer);
    if (missed == kNoStep || half_seen) missed = i;
    if (half_seen) break;
  }
  if (missed == kNoStep) return std::nullopt;
  const uint32_t here = find_same(failing, Describer::operation(trial, missed));
  return describer.describe({Cause::Kind::too_early, probe.read, here, missed});
}

Claim wait_for_all(const Claim& claim) {
  return {Claim::Kind::after, claim.thread, claim.event, kNoThread, UINT64_MAX};
}

bool bears_out(const Suspicion& suspicion, const NamedRun& trial) {
  if (trial.trace.empty()) return false;
  if (suspicion.first.kind == OpKind::none) return true;
  const uint32_t held = find_exactly(trial, suspicion.held);
  if (suspicion.claim.kind == Claim::Kind::after) {
    // Once more than in the failing run: it may have been done before in a loop.
    return times_before(trial, suspicion.first, held) > suspicion.times;
  }
  const uint32_t first = find_exactly(trial, suspicion.first);
  if (first == kNoStep) return false;
  const auto steps = trial.trace.steps();
  const auto end = held == kNoStep ? static_cast<uint32_t>(steps.size()) : held;
  for (uint32_t i = first + 1; i < end; ++i) {
    const bool own = steps[i].event->thread == steps[first].event->thread;
    const bool at_last = step_changes(steps[i]) && touches(*steps[i].event, suspicion.held);
    if (!own && (at_last || conflict(steps[i], steps[first]))) return false;
  }
  return true;
}

bool is_about_race(const Suspicion& suspicion, const NamedRun& failing) {
  const channel::RaceRecord* race = race_at_end(failing.trace);
  if (race == nullptr) return true;
  const auto takes_part = [&](const Suspicion::Operation& operation) {
    return operation.path == failing.trace.path(race->earlier.thread) ||
           operation.path == failing.trace.path(race->later.thread);
  };
  return takes_part(suspicion.held) && takes_part(suspicion.first);
}

namespace {

// What the library keeps for itself: how many share what a shared_ptr points to, or who has come to
// a barrier.
bool is_count_of_library(const NamedRun& run, uint32_t step) {
  const std::string name = run.names.object(run.trace.steps()[step].event->object);
  return name.find(".use_count") != std::string::npos ||
         name.find(".weak_count") != std::string::npos || name.starts_with("barrier state") ||
         name.starts_with("stop state");
}

}  // namespace

bool is_of_own_code(const Suspicion& suspicion, const NamedRun& failing) {
  return std::ranges::all_of(suspicion.says.steps, [&](uint32_t i) {
    return is_own(failing, i) && !is_count_of_library(failing, i);
  });
}

Explanation explain_both(Explanation end, const Explanation& difference) {
  end.sentences.insert(end.sentences.end(), difference.sentences.begin(),
                       difference.sentences.end());
  end.steps.insert(end.steps.end(), difference.steps.begin(), difference.steps.end());
  end.passes_with = difference.passes_with;
  return end;
}

}  // namespace jostle::report
