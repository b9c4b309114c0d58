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
    why.sentences.insert(
        why.sentences.begin(),
        fmt::format("{}, which waited for {} {}, was {}; that may happen at any time, so what it "
                    "waits for has to be looked at again, in a loop.",
                    sentence.who(i), sentence.object(steps[i]), sentence.place(steps[i]),
                    kSpuriousText));
    why.steps.insert(why.steps.begin(), i);
    break;
  }
  return why;
}

}  // namespace jostle::report
