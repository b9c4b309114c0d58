// SPDX-License-Identifier: Apache-2.0
// The other side of runtime/history/reference_question.h: who is asked.
#pragma once

#include "src/schedule/history/reference_exchange.h"

namespace jostle::engine {

// Waits for a question, but not for long. False: there is none.
bool await_question(ReferenceExchange& exchange);
void answer_question(ReferenceExchange& exchange, Judgement judgement);

}  // namespace jostle::engine
