// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/object_state.h"

namespace jostle::dpor {

void ObjectState::start(uint64_t value) {
  value_ = value;
  is_locked_ = false;
  readers_ = 0;
  waiters_.clear();
}

void ObjectState::apply(const Part& part, const Action& action, uint32_t alternative) {
  if (!action.took_effect) return;
  switch (part.act) {
    case Act::write:
    case Act::update:
      value_ = part.after;
      break;
    case Act::lock:
    case Act::try_lock:
      is_locked_ = true;
      break;
    case Act::unlock:
      is_locked_ = false;
      break;
    case Act::share:
    case Act::try_share:
      ++readers_;
      break;
    case Act::unshare:
      --readers_;
      break;
    case Act::post:
      ++value_;
      break;
    case Act::take:
    case Act::try_take:
      --value_;
      break;
    case Act::enter:
      waiters_.push_back(action.thread);
      break;
    case Act::leave:
      forget_waiter(action.thread);
      break;
    case Act::signal:
      forget_waiter(alternative);
      break;
    case Act::broadcast:
      waiters_.clear();
      break;
    case Act::read:
    case Act::await:
    case Act::arrive:
      break;
  }
}

void ObjectState::forget_waiter(Thread thread) {
  for (Thread& waiter : waiters_) {
    if (waiter != thread) continue;
    waiter = waiters_.back();
    waiters_.pop_back();
    return;
  }
}

bool ObjectState::admits(Act act, const Action& action, const AwaitConditions* conditions) const {
  switch (act) {
    case Act::lock:
      return !is_locked_ && readers_ == 0;
    case Act::share:
      return !is_locked_;
    case Act::take:
      return value_ > 0;
    case Act::await:
      return conditions && conditions->passes(action.operand, value_);
    default:
      return true;
  }
}

bool ObjectState::takes_effect(Act act, const Action& action) const {
  switch (act) {
    case Act::update:
      return !action.compares || value_ == action.operand;
    case Act::try_lock:
      return !is_locked_ && readers_ == 0;
    case Act::try_share:
      return !is_locked_;
    case Act::try_take:
      return value_ > 0;
    case Act::signal:
    case Act::broadcast:
      return !waiters_.empty();
    default:
      return true;
  }
}

Thread ObjectState::woken(Thread wanted) const {
  Thread lowest = kNone;
  for (const Thread waiter : waiters_) {
    if (waiter == wanted) return wanted;
    if (waiter < lowest) lowest = waiter;
  }
  return lowest;
}

}  // namespace jostle::dpor
