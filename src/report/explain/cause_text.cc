// SPDX-License-Identifier: Apache-2.0
#include "src/report/explain/cause_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/report/explain/same_operation.h"
#include "src/report/explain/sentence.h"
#include "src/report/words/record_view.h"

namespace jostle::report {
namespace {

// The read observes too little, but who should have written has ended and did something else: that
// it came too early is half of the truth.
bool never_comes(const NamedRun& failing, const NamedRun& passing, const Cause& cause) {
  if (cause.kind != Cause::Kind::too_early || cause.write != kNoStep) return false;
  const Step& write = passing.trace.steps()[cause.write_there];
  return failing.trace.has_ended(passing.trace.path(write.event->thread));
}

// Puts a cause into words. Steps are those of the failing run.
class Describer {
 public:
  // Without `tried` nothing is said of what happens then.
  Describer(const NamedRun& failing, const NamedRun& passing, const RunDifference& difference,
            bool tried)
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
    suspicion_.held = operation_of(failing_, held);
    suspicion_.first = operation_of(run, first);
    suspicion_.times = times_before(failing_, suspicion_.first, held);
  }
  // … when nobody comes between two steps of one thread.
  void claim_through(uint32_t first, uint32_t last) {
    const channel::TraceEvent &x = *step(first).event, &y = *step(last).event;
    suspicion_.claim = {Claim::Kind::through, x.thread, x.event, x.thread, y.event};
    suspicion_.held = operation_of(failing_, last);
    suspicion_.first = operation_of(failing_, first);
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
    // What it writes may depend on who came first: if the failing run came to it, it is taken from
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

Suspicion suspicion_of(const Cause& cause, const NamedRun& failing, const NamedRun& passing,
                       const RunDifference& difference, bool tried) {
  return Describer(failing, passing, difference, tried).describe(cause);
}

}  // namespace jostle::report
