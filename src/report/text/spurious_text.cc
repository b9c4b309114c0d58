// SPDX-License-Identifier: Apache-2.0
#include "src/report/text/spurious_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/report/explain/sentence.h"

namespace jostle::report {
namespace {

std::string what_happened(const NamedRun& failing, uint32_t i) {
  const Step& step = failing.trace.steps()[i];
  Sentence sentence(failing);
  if (is_memory(step.event->kind)) {
    return fmt::format(
        "The compare_exchange_weak by which {} wanted to change {} {} failed although the value "
        "was the expected one",
        sentence.who(i), sentence.object(step), sentence.place(step));
  }
  return fmt::format("{}, which waited for {} {}, was {}", sentence.who(i), sentence.object(step),
                     sentence.place(step), spurious_text(step.event->kind));
}

std::string_view what_to_do(OpKind kind) {
  return is_memory(kind) ? "it has to be tried again, in a loop, or to be a compare_exchange_strong"
                         : "what it waits for has to be looked at again, in a loop";
}

}  // namespace

std::optional<uint32_t> first_spurious(const NamedRun& run) {
  const auto steps = run.trace.steps();
  for (uint32_t i = 0; i < steps.size(); ++i) {
    if (steps[i].event->spurious != 0) return i;
  }
  return std::nullopt;
}

bool is_looked_at_again(const NamedRun& run, uint32_t step) {
  const auto steps = run.trace.steps();
  const channel::TraceEvent& first = *steps[step].event;
  return std::ranges::any_of(run.trace.of_thread(first.thread), [&](uint32_t later) {
    return later > step && steps[later].event->kind == first.kind &&
           steps[later].event->pc == first.pc && steps[later].event->object == first.object;
  });
}

Explanation explain_spurious(const NamedRun& failing, Explanation why, bool decides) {
  const std::optional<uint32_t> i = first_spurious(failing);
  if (!i) return why;
  std::string sentence = what_happened(failing, *i);
  if (decides) {
    sentence += fmt::format("; without that it passes. It may happen at any time, so {}.",
                            what_to_do(failing.trace.steps()[*i].event->kind));
    why.passes_with = Claim{.kind = Claim::Kind::certain};
  } else {
    sentence += "; that may happen at any time.";
  }
  why.sentences.insert(why.sentences.begin(), std::move(sentence));
  why.steps.insert(why.steps.begin(), *i);
  return why;
}

}  // namespace jostle::report
