// SPDX-License-Identifier: Apache-2.0
#include "src/report/text/spurious_text.h"

#include <fmt/format.h>

#include "src/report/explain/sentence.h"

namespace jostle::report {

Explanation explain_spurious(const NamedRun& failing, Explanation why) {
  const auto steps = failing.trace.steps();
  for (uint32_t i = 0; i < steps.size(); ++i) {
    if (steps[i].event->spurious == 0) continue;
    Sentence sentence(failing);
    const OpKind kind = steps[i].event->kind;
    why.sentences.insert(
        why.sentences.begin(),
        is_memory(kind)
            ? fmt::format(
                  "The compare_exchange_weak by which {} wanted to change {} {} failed "
                  "although the value was the expected one; that may happen at any time, so "
                  "it has to be tried again, in a loop, or to be a compare_exchange_strong.",
                  sentence.who(i), sentence.object(steps[i]), sentence.place(steps[i]))
            : fmt::format(
                  "{}, which waited for {} {}, was {}; that may happen at any time, so what "
                  "it waits for has to be looked at again, in a loop.",
                  sentence.who(i), sentence.object(steps[i]), sentence.place(steps[i]),
                  spurious_text(kind)));
    why.steps.insert(why.steps.begin(), i);
    break;
  }
  return why;
}

}  // namespace jostle::report
