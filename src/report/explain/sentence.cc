// SPDX-License-Identifier: Apache-2.0
#include "src/report/explain/sentence.h"

#include <fmt/format.h>

#include "src/report/words/record_view.h"
#include "src/schedule/descriptor_use.h"

namespace jostle::report {
namespace {

std::string ordinal(uint32_t number) {
  const uint32_t tens = number % 100, ones = number % 10;
  if (tens >= 11 && tens <= 13) return fmt::format("{}th", number);
  return fmt::format("{}{}", number, ones == 1 ? "st" : ones == 2 ? "nd" : ones == 3 ? "rd" : "th");
}

}  // namespace

std::string Sentence::which_call(uint32_t actor) const {
  if (!steps_->is_called_again(actor)) return {};
  return fmt::format("the {} ", ordinal(steps_->actor(actor).call + 1));
}

std::string Sentence::callback(uint32_t actor) {
  const Callback* callback = steps_->callback(actor);
  return callback ? which_call(actor) + callback_text(*callback) : std::string();
}

std::string Sentence::who(uint32_t i) {
  const uint32_t thread = step(i).event->thread;
  if (steps_ == nullptr) return run_.names.title(thread);
  const uint32_t actor = steps_->actor_of(i);
  const Callback* callback = steps_->callback(actor);
  if (callback == nullptr) return run_.names.title(thread);
  const std::string on = thread == 0 ? "" : " on " + run_.names.label(thread);
  return fmt::format("{}{}{}", which_call(actor), callback->name, on);
}

std::string Sentence::place(uintptr_t pc) {
  return fmt::format("({})", source(run_.symbols.line_that_matters(pc)));
}

std::string Sentence::place(const Step& step) { return place(step.event->pc); }

std::string Sentence::place(const channel::Stack& stack) {
  return fmt::format("({})", source(run_.symbols.line_that_matters(stack)));
}

std::string Sentence::did(const Step& step) {
  const std::string what = object(step);
  const std::string is = value(step).empty() ? "" : " = " + value(step);
  if (is_in_vain(*step.event)) return fmt::format("tried to take {} in vain", what);
  switch (step.event->kind) {
    case OpKind::read:
    case OpKind::atomic_load:
      return fmt::format("read {}{}{}", what, is,
                         is_failed_exchange(*step.event) ? " in an exchange that failed" : "");
    case OpKind::write:
    case OpKind::atomic_store:
      return fmt::format("wrote {}{}", what, is);
    case OpKind::atomic_rmw:
      return fmt::format("updated {}{}", what, value(step).empty() ? "" : " to " + value(step));
    case OpKind::mutex_trylock:  // of a mutex, a read-write lock, a semaphore
      return fmt::format("took {}", what);
    case OpKind::mutex_lock:
    case OpKind::spin_lock:
    case OpKind::rwlock_read:
    case OpKind::rwlock_write:
      return fmt::format("locked {}", what);
    case OpKind::mutex_unlock:
    case OpKind::spin_unlock:
    case OpKind::rwlock_unlock:
      return fmt::format("unlocked {}", what);
    case OpKind::sem_wait:
      return fmt::format("took from semaphore {}", what);
    case OpKind::sem_post:
      return fmt::format("posted semaphore {}", what);
    case OpKind::cond_signal:
    case OpKind::cond_broadcast:
      return fmt::format("signalled {}", what);
    case OpKind::cond_wait:
      return fmt::format("waited for {}", what);
    case OpKind::io_wait:
      return "looked for input";
    case OpKind::io_read:
      return "read input";
    case OpKind::io_write:
      return step.event->size == kClosesDescriptor    ? "closed a descriptor"
             : step.event->size == kChangesDescriptor ? "changed a descriptor"
                                                      : "wrote output";
    case OpKind::state_read:
      return fmt::format("looked at {}", what);
    case OpKind::state_write:
      return fmt::format("changed {}", what);
    default:
      return fmt::format("did {} on {}", op_name(step.event->kind), what);
  }
}

std::string Sentence::did_to_it(const Step& step, const Step& named) {
  if (!is_memory(step.event->kind) || step.event->object != named.event->object) return did(step);
  const bool is_rmw = step.event->kind == OpKind::atomic_rmw;
  if (value(step).empty() || value(step) == value(named)) return is_rmw ? "updated it" : "wrote it";
  return fmt::format("{} {}", is_rmw ? "updated it to" : "wrote", value(step));
}

std::string Sentence::verb(const Step& step) {
  switch (step.event->kind) {
    case OpKind::read:
    case OpKind::atomic_load:
      return is_failed_exchange(*step.event) ? "failed exchange" : "read";
    case OpKind::write:
    case OpKind::atomic_store:
      return "write";
    case OpKind::atomic_rmw:
      return "update";
    case OpKind::io_read:
      return "read";
    case OpKind::io_write:
      return step.event->size == kClosesDescriptor    ? "close"
             : step.event->size == kChangesDescriptor ? "change"
                                                      : "write";
    case OpKind::mutex_lock:
    case OpKind::mutex_trylock:
    case OpKind::spin_lock:
    case OpKind::rwlock_read:
    case OpKind::rwlock_write:
      return is_in_vain(*step.event) ? "failed lock" : "lock";
    case OpKind::mutex_unlock:
    case OpKind::spin_unlock:
    case OpKind::rwlock_unlock:
      return "unlock";
    default:
      return fmt::format("{}{}", is_in_vain(*step.event) ? "failed " : "",
                         op_name(step.event->kind));
  }
}

}  // namespace jostle::report
