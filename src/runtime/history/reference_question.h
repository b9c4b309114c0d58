// SPDX-License-Identifier: Apache-2.0
// Questions to the process that knows what is right (schedule/history/reference_exchange.h).
#pragma once

#include "src/schedule/history/reference_exchange.h"

namespace jostle::rt {

// A run that is waited for no longer may have left a question: only then may a new one be written.
void await_reference();
// What is in the exchange is a question; waits for the answer.
Judgement ask_reference(ReferenceExchange::Question question);

// Nobody can say: no failure, and no proof either.
Judgement not_judged();

// Whether a run that changes threads only outside of the atomic functions came out like this.
Judgement judge(const ResultOfRun& result, bool explain);

}  // namespace jostle::rt
