// SPDX-License-Identifier: Apache-2.0
// Choices of a run besides who goes on: asked of the strategy or of the recorded schedule, and
// logged.
#include "src/base/check.h"
#include "src/base/hash.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/strategy/decider.h"

namespace jostle::rt {
namespace {

bool only_about_time(ChoiceKind kind) {
  return kind == ChoiceKind::time || kind == ChoiceKind::sleep || kind == ChoiceKind::late ||
         kind == ChoiceKind::held_up;
}

}  // namespace

uint32_t Scheduler::choose(ChoiceKind kind, uint32_t alternatives) {
  return ask({kind, alternatives});
}

uint32_t Scheduler::choose_ready(const uint64_t* names, uint32_t count, bool may_stop) {
  return ask({ChoiceKind::ready, count + may_stop, names, count});
}

uint32_t Scheduler::choose_late(const uint64_t* names, uint32_t count, uint32_t alternatives) {
  return ask({ChoiceKind::late, alternatives, names, count});
}

uint32_t Scheduler::choose_draw(uint32_t alternatives) {
  if (alternatives <= 1 || !decider_) return 0;
  const uint32_t picked = decider_->choose({ChoiceKind::target, alternatives});
  g_actions.chose(ChoiceKind::target, alternatives, picked);
  return picked;
}

// What is not explored is as if nobody had asked.
uint32_t Scheduler::ask_decider(const Question& question, bool is_explored) {
  Question asked = question;
  asked.is_settled = decides_all_ && !is_explored;
  const uint32_t picked = decider_->choose(asked);
  return asked.is_settled ? 0 : picked;
}

uint32_t Scheduler::ask(const Question& question) {
  const ChoiceKind kind = question.kind;
  const uint32_t alternatives = question.alternatives;
  if (alternatives <= 1) return 0;
  const bool is_explored = !only_about_time(kind) || kind == ChoiceKind::late;
  if (g_actions.active() && !is_explored) g_actions.assume(kTimeoutsAreLate);
  const bool strikes_early = only_about_time(kind) && kind != ChoiceKind::held_up;
  if (channel_->config.patient && strikes_early && !follower_.active() && !decides_all_) {
    return log_choice(kind, alternatives, 0);
  }
  const uint32_t picked = follower_.active() ? follower_.next_choice(kind, alternatives, *current_)
                          : decider_         ? ask_decider(question, is_explored)
                                             : 0;
  if (g_actions.active() && is_explored) g_actions.chose(kind, alternatives, picked);
  return log_choice(kind, alternatives, picked);
}

uint32_t Scheduler::choose_store(ChoiceKind kind, uint32_t alternatives, uint32_t offered) {
  const Thread& t = *current_;
  if (offered == 0) offered = alternatives;
  if (offered == 1) return 0;
  const Question question = {
      .kind = kind, .alternatives = offered, .thread = t.index, .event = t.events};
  const uint32_t picked = follower_.active() ? follower_.choice_of_operation(kind, alternatives, t)
                          : decider_         ? decider_->choose(question)
                                             : 0;
  const bool is_explored = is_of_memory(kind) ? g_actions.explores_stores() : g_actions.active();
  if (is_explored) g_actions.chose(kind, offered, picked);
  log_store_choice(kind, alternatives, picked);
  return picked;
}

void Scheduler::log_store_choice(ChoiceKind kind, uint32_t alternatives, uint32_t picked) {
  // Another store might have led it out of its loop.
  if (current_->stillness.watching()) found_moving(*current_);
  log_choice_of_operation(kind, alternatives, picked);
}

void Scheduler::log_choice_of_operation(ChoiceKind kind, uint32_t alternatives, uint32_t picked) {
  JOSTLE_CHECK_LT(picked, alternatives);
  if (picked == 0) return;
  channel::Schedule& log = record().schedule;
  if (log.choice_count == channel::kMaxChoices) {
    record().log_overflow = 1;
    return;
  }
  log.digest = combine(log.digest, current_->events << 8 ^ picked);
  log.choices[log.choice_count++] = {
      kind, {}, alternatives, picked, current_->index, current_->events};
}

uint32_t Scheduler::log_choice(ChoiceKind kind, uint32_t alternatives, uint32_t picked) {
  JOSTLE_CHECK_LT(picked, alternatives);
  // Another choice might have led it out of its loop.
  if (current_->stillness.watching() && !only_about_time(kind)) found_moving(*current_);
  channel::Schedule& log = record().schedule;
  if (log.choice_count < channel::kMaxChoices) {
    log.choices[log.choice_count++] = {kind, {}, alternatives, picked, 0, 0};
  } else {
    record().log_overflow = 1;
  }
  return picked;
}

}  // namespace jostle::rt
