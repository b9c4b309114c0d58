// SPDX-License-Identifier: Apache-2.0
#include "src/engine/reference/question_loop.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "src/runtime/libc/real.h"

namespace jostle::engine {

bool await_question(ReferenceExchange& exchange) {
  for (;;) {
    const uint32_t state = exchange.state.load();
    if (state == ReferenceExchange::asked) return true;
    const timespec moment = {0, 200'000'000};
    const long ended =
        REAL(syscall)(SYS_futex, &exchange.state, FUTEX_WAIT, state, &moment, nullptr, 0);
    if (ended < 0 && errno == ETIMEDOUT) return false;
  }
}

void answer_question(ReferenceExchange& exchange, Judgement judgement) {
  exchange.judgement = judgement;
  exchange.state.store(ReferenceExchange::answered);
  REAL(syscall)(SYS_futex, &exchange.state, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

}  // namespace jostle::engine
