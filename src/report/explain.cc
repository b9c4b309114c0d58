#include "src/report/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "src/report/callbacks.h"
#include "src/report/record_view.h"
#include "src/report/sentence.h"
#include "src/report/text.h"

namespace jostle::report {
namespace {

// Puts a cause into words. Steps are those of the failing run.
class Describer {
 public:
  Describer(const NamedRun& failing, const NamedRun& passing, const RunDifference& difference)
      : trace_(failing.trace),
        passing_(passing),
        difference_(difference),
        say_(failing, &difference.failing_names()),
        there_(passing, &difference.passing_names()) {}

  void describe(const Cause& cause, Explanation& into) {
    into.steps.push_back(cause.read);
    const std::string order = callbacks(cause);
    order_is_said_ = !order.empty();
    if (order_is_said_) into.sentences.push_back(order);
    switch (cause.kind) {
      case Cause::Kind::too_early:
        return too_early(cause, into);
      case Cause::Kind::too_late:
        return too_late(cause, into);
      case Cause::Kind::overwritten:
        return overwritten(cause, into);
    }
  }

 private:
  const Step& step(uint32_t i) const { return trace_.steps()[i]; }
  const StepNames& names() const { return difference_.failing_names(); }
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

  // How a sentence ends: with when it passes, unless one about callbacks has said that already.
  std::string otherwise(std::string_view passes) const {
    return order_is_said_ ? "." : fmt::format(". {}", passes);
  }

  void too_early(const Cause& cause, Explanation& into) {
    const Step& read = step(cause.read);
    const Step& write = passing_.trace.steps()[cause.write_there];
    if (cause.write != kNoStep) into.steps.push_back(cause.write);
    if (const uint32_t again = looks_again(cause); again != kNoStep) {
      into.steps.push_back(again);
      into.sentences.push_back(between(cause.write, cause.read, again));
      return;
    }
    std::string text = clause(cause.read);
    const std::string writes = there_.did_to_it(write, read);
    if (const uint32_t first = begun(cause); first != kNoStep) {
      // Between two accesses of the other to the same place.
      into.steps.push_back(first);
      text += fmt::format(" between {}'s {} {} and {} {}", say_.who(first), say_.verb(step(first)),
                          say_.place(step(first)), say_.verb(write), there_.place(write));
    } else if (const uint32_t seen = half_seen(cause); seen != kNoStep) {
      into.steps.push_back(seen);
      text += fmt::format(" after {} and before it {} {}", clause(seen), there_.did(write),
                          there_.place(write));
    } else {
      text += fmt::format(" before {} {} {}", there_.who(cause.write_there), writes,
                          there_.place(write));
    }
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
    into.sentences.push_back(fmt::format("{} after {} {} {}", clause(cause.read),
                                         say_.who(cause.write), say_.did_to_it(write, read),
                                         say_.place(write)) +
                             otherwise("With the two the other way round it passes."));
  }

  // "T2 wrote x = 0 (a.c:44) between T1's read (a.c:30) and read (a.c:32)."
  std::string between(uint32_t write, uint32_t first, uint32_t last) {
    const bool same = step(first).event->object == step(last).event->object;
    return fmt::format("{} between {}'s {}{} {} and {} {}. Without that in between it passes.",
                       clause(write), say_.who(last), say_.verb(step(first)),
                       same ? "" : " of " + say_.object(step(first)), say_.place(step(first)),
                       say_.verb(step(last)), say_.place(step(last)));
  }

  void overwritten(const Cause& cause, Explanation& into) {
    into.steps.push_back(cause.write);
    into.steps.push_back(cause.other);
    into.sentences.push_back(fmt::format("{} after {} {} {}", clause(cause.write),
                                         say_.who(cause.other),
                                         say_.did_to_it(step(cause.other), step(cause.write)),
                                         say_.place(step(cause.other))) +
                             otherwise("With the two the other way round it passes."));
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
             earlier.event->object != step(cause.read).event->object &&
             held_back(earlier.source, cause.read);
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
      if (!difference_.preempted_between(step(i).event->thread, i, cause.read)) return false;
      return std::ranges::any_of(names().steps_of(writer), [&](uint32_t w) {
        return w > i && w < cause.read && step_changes(step(w)) &&
               step(w).event->object == step(i).event->object;
      });
    });
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

  const RunTrace& trace_;
  const NamedRun& passing_;
  const RunDifference& difference_;
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

Explanation explain_difference(const NamedRun& failing, const NamedRun& passing) {
  Explanation result;
  if (failing.trace.empty() || passing.trace.empty()) return result;
  const RunDifference difference(failing, passing);
  result.distance = difference.distance();
  if (const std::optional<Cause> cause = difference.cause()) {
    Describer(failing, passing, difference).describe(*cause, result);
  }
  if (result.sentences.size() > 1) return result;
  const std::string order =
      callback_difference(callbacks_of(failing.trace.record(), failing.symbols),
                          callbacks_of(passing.trace.record(), passing.symbols));
  if (!order.empty()) result.sentences.insert(result.sentences.begin(), order);
  return result;
}

Explanation explain_both(Explanation end, const Explanation& difference) {
  end.sentences.insert(end.sentences.end(), difference.sentences.begin(),
                       difference.sentences.end());
  end.steps.insert(end.steps.end(), difference.steps.begin(), difference.steps.end());
  return end;
}

}  // namespace jostle::report
