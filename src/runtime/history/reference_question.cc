// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/history/reference_question.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "src/runtime/history/run_history.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/memory/actions.h"

namespace jostle::rt {

JOSTLE_KEPT ReferenceExchange* g_reference = nullptr;

namespace {

void futex(std::atomic<uint32_t>* word, int what, uint32_t value, const timespec* time) {
  REAL(syscall)(SYS_futex, word, what, value, time, nullptr, 0);
}

// False: who should answer is gone.
bool await_answer() {
  ReferenceExchange& reference = *g_reference;
  constexpr int kSpins = 2000;
  for (int i = 0; i < kSpins && reference.state.load() != ReferenceExchange::answered; ++i) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    asm volatile("yield");
#endif
  }
  while (reference.state.load() != ReferenceExchange::answered) {
    const timespec second = {1, 0};
    futex(&reference.state, FUTEX_WAIT, ReferenceExchange::asked, &second);
    if (REAL(kill)(reference.pid, 0) != 0 && errno == ESRCH) return false;
  }
  reference.state.store(ReferenceExchange::idle);
  return true;
}

}  // namespace

void await_reference() {
  if (g_reference->state.load() != ReferenceExchange::idle) await_answer();
}

Judgement ask_reference(ReferenceExchange::Question question) {
  ReferenceExchange& reference = *g_reference;
  reference.question = question;
  reference.state.store(ReferenceExchange::asked);
  futex(&reference.state, FUTEX_WAKE, 1, nullptr);
  return await_answer() ? reference.judgement : Judgement::unknown;
}

Judgement not_judged() {
  g_scheduler.channel().status.not_judged.fetch_add(1, std::memory_order_relaxed);
  if (g_actions.active()) g_actions.gap(TrailGap::not_judged);
  return Judgement::unknown;
}

Judgement judge(const ResultOfRun& result, bool explain) {
  if (!g_reference) return not_judged();
  const uint64_t key = result.key();
  if (g_reference->known.contains(key)) return Judgement::right;
  await_reference();
  memcpy(&g_reference->result, &result, sizeof result);
  const Judgement judgement =
      ask_reference(explain ? ReferenceExchange::and_why : ReferenceExchange::is_right);
  if (judgement == Judgement::unknown) return not_judged();
  if (judgement == Judgement::right) g_reference->known.insert(key);
  return judgement;
}

}  // namespace jostle::rt
